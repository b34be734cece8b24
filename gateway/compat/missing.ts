/** What DocuSign has and this product has not, by a part of the path: integrations are told what they miss. */
const missing: readonly (readonly [pattern: RegExp, said: string])[] = [
  [
    /\/permission_profiles\b/,
    "Permission profiles are the roles of the dashboard, which cannot be created or changed.",
  ],
  [/\/groups\b/, "There are no groups of users: scopes decide what a credential can do."],
  [/\/users\/[^/]+\/authorizations?\b/, "No user acts on behalf of another one (userAuthorization)."],
  [/\/users\b/, "Users are invited in the dashboard, not here."],
  [/\/settings\b/, "The settings of the account cannot be changed here."],
  [
    /\/brands\/[^/]+\/(resources|file)\b/,
    "Brands have no resource files: texts and colors are set on the brand itself.",
  ],
  [
    /\/workflow\//,
    "Schedules and steps of a workflow have no address of their own: change the workflow of the draft as a whole.",
  ],
  [/\/templates\/[^/]+\/lock$/, "Templates have no locks: a change takes effect at once. Envelopes have them."],
  [/\/(payment|payment_gateway_accounts)\b/, "Payments are not collected."],
  [/\/powerforms\b/, "There are no PowerForms."],
  [/\/signing_groups\b/, "There are no signing groups: name each recipient."],
  [/\/contacts\b/, "There is no address book."],
  [/\/workspaces\b/, "There are no workspaces."],
  [/\/comments\b/, "Envelopes have no comments."],
  [/\/(document_visibility|document_fields|fields)$/, "Documents have no fields and no visibility of their own."],
  [/\/attachments\b/, "Envelopes have no attachments besides what signers upload."],
  [
    /\/(consumer_disclosure)\b/,
    "The text that signers consent to is on the signing page, and cannot be read or changed here.",
  ],
  [
    /\/views\/(recipient_preview|shared|template)/,
    "There is no such view. views/correct and views/console show an envelope.",
  ],
  [
    /\/(notary|identity_proof|seals?|signatures?|watermark|captive_recipients)\b/,
    "This operation of DocuSign has no counterpart here.",
  ],
];

/** What to tell whoever asks for an address of the compatible interface that there is not. */
export const missingOperation = (path: string): { readonly message?: string } => {
  const said = missing.find(([pattern]) => pattern.test(path))?.[1];
  return said === undefined ? {} : { message: `${said} See the page about migrating from DocuSign.` };
};
