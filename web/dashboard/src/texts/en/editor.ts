interface FlagWords {
  readonly label: string;
  readonly hint: string;
}

const flags: ReadonlyMap<string, FlagWords> = new Map([
  [
    "requireCheckbox",
    { label: "Box must be ticked", hint: "Whoever accepts ticks a box first. Consent always needs it." },
  ],
  ["requireScroll", { label: "Scrolled to the end", hint: "The end of the text must have been on the screen." }],
  ["requireView", { label: "Document opened", hint: "A document or link of the text must have been opened." }],
  [
    "minDisplaySeconds",
    {
      label: "Shown for at least … seconds",
      hint: "On the server’s clock; needs the render token or a session. 0: no minimum.",
    },
  ],
  [
    "requireRenderToken",
    {
      label: "Proof that the text was shown",
      hint: "An acceptance must carry the signed token of the rendering that was shown.",
    },
  ],
  [
    "esignDisclosure",
    {
      label: "Disclosure on electronic records",
      hint: "It is shown before the text, and an acceptance counts only if it was on the screen.",
    },
  ],
  ["allowDecline", { label: "Declining is offered", hint: "A second button declines." }],
  [
    "recordDecline",
    {
      label: "Declining is recorded",
      hint: "A refusal gets a receipt as well. Without “Declining is offered” it has no effect.",
    },
  ],
  ["requireTypedName", { label: "Name typed", hint: "Whoever accepts types their name." }],
  [
    "requireAuthenticatedUser",
    { label: "Signed in to yours", hint: "Your system must say that the person was signed in there." },
  ],
  ["minAge", { label: "Minimum age", hint: "The person states to be that old. 0: no age." }],
  [
    "verificationMethods",
    { label: "Ways to verify the person", hint: "What an acceptance must say about who the person is." },
  ],
  ["verificationMode", { label: "How many of these ways", hint: "All of them, or one of them." }],
  ["requireReacceptance", { label: "People are asked again", hint: "When an earlier acceptance no longer counts." }],
  ["reacceptIntervalDays", { label: "Asked again after … days", hint: "0: an acceptance counts however old it is." }],
  [
    "showChanges",
    {
      label: "Changes are shown",
      hint: "Whoever accepted an earlier text sees in the session what has changed since.",
    },
  ],
  [
    "oneAcceptancePerRevision",
    { label: "Once per text", hint: "A second acceptance of the same text by the same person is refused." },
  ],
  ["consentExpiresAfterDays", { label: "Consent ends after … days", hint: "0: it holds until it is withdrawn." }],
  [
    "honorGpc",
    {
      label: "Global Privacy Control is honoured",
      hint: "With this signal of the browser, purposes that sell or share data are denied.",
    },
  ],
  [
    "allowDirectAccept",
    {
      label: "Accepting without a session",
      hint: "Your server may record an acceptance of a text that it has shown itself.",
    },
  ],
  ["singleUseSession", { label: "A session is for one decision", hint: "After it the session is closed." }],
  ["sessionTtlSeconds", { label: "A session lasts … seconds", hint: "From 60 seconds to 30 days (2592000)." }],
  ["captureIp", { label: "IP address in the evidence", hint: "Shortened: without its last part." }],
  ["captureUserAgent", { label: "Browser in the evidence", hint: "Shortened: its family only." }],
  ["captureReferrer", { label: "Page of origin in the evidence", hint: "Shortened: its origin only." }],
  [
    "requireSnapshot",
    {
      label: "Picture of the page is required",
      hint: "A deployment is activated only with one of its screenshots, or your own name of a picture that you keep elsewhere.",
    },
  ],
  [
    "sendCopyToUser",
    {
      label: "The person gets a copy",
      hint: "Whoever accepts gets the text and the receipt by mail, once, at the address that your system gives with the acceptance.",
    },
  ],
  [
    "retentionDays",
    {
      label: "Kept for … days",
      hint: "When a person is erased, records are kept closed until then. 0: nothing is kept.",
    },
  ],
  ["legalHold", { label: "Legal hold", hint: "Nobody can be erased as long as this is on." }],
]);

const choices: ReadonlyMap<string, string> = new Map([
  ["ALL", "All of them"],
  ["ANY", "One is enough"],
  ["ON_MAJOR", "When a new version asks for it"],
  ["ALWAYS", "With every new version"],
  ["NEVER", "Never"],
  ["FULL", "In full"],
  ["TRUNCATED", "Shortened"],
  ["NONE", "Not at all"],
  ["CUSTOMER_ATTESTED", "Your system vouches for the person"],
  ["CUSTOMER_SESSION", "Signed in to your system"],
  ["TYPED_NAME", "Name typed"],
  ["AGE_STATEMENT", "Age stated"],
]);

/** Instead of the words of the API, which are English already. */
const messages: ReadonlyMap<string, string> = new Map();

const counted = (count: number, one: string, many: string, locale: string): string =>
  `${new Intl.NumberFormat(locale).format(count)} ${count === 1 ? one : many}`;

/** The text of a template and its policy. */
export const editor = {
  languages: "Languages of the text",
  addLanguage: "Add a language",
  languageTag: "Language",
  languageHelp: "A language tag such as de, fr-CA or pt-BR.",
  languageWrong: "This is no language tag. Write one such as de, fr-CA or pt-BR.",
  languageKnown: "The template has this language already.",
  notYet: "Not written yet",
  versionState: (status: "DRAFT" | "PUBLISHED" | "ARCHIVED", label: string | null): string =>
    ({ DRAFT: "Draft", PUBLISHED: `Published ${label ?? ""}`, ARCHIVED: "Archived" })[status],

  title: "Text",
  textTitle: "Title",
  textLabel: "Text to agree to",
  format: "Format",
  formats: [
    { id: "html", label: "HTML" },
    { id: "markdown", label: "Markdown" },
    { id: "text", label: "Plain text" },
    { id: "pdf", label: "PDF" },
  ],
  pdf: {
    upload: "Upload a PDF instead",
    replace: "Upload another PDF",
    uploadHelp:
      "At most 5 MiB and 200 pages, with text in it. People see its pages; what screen readers read is taken from the file.",
    none: "There is no PDF yet.",
    spoken: "What screen readers read",
    page: (page: number): string => `Page ${page}`,
  },
  emptyHelp:
    "Write the text, or paste it. In HTML, headings, paragraphs, lists, tables, emphasis and links are allowed; scripts, styles and forms are not.",
  save: "Save",
  discard: "Discard changes",
  unsaved: "There are changes that are not saved.",
  savedState: "Everything is saved.",
  draftNote: "Nobody is shown this draft yet.",
  restored: "Your unsaved changes were restored. Save them, or discard them to go back to what is saved.",
  fromArchived: "The last version in this language is archived. Saving makes a new draft from its text.",
  liveNote: (label: string): string =>
    `Version ${label} is live. What you write here is its next text: people go on seeing version ${label} until you publish it.`,
  nextNote: (label: string): string =>
    `This is the next text. People go on seeing version ${label} until you publish it.`,
  draftSaved: "Saved last:",
  draftBadge: "Next text",
  scheduledBadge: "Scheduled",
  scheduledNote: "This text is checked and closed until its publication, which is scheduled for",
  scheduledWay: "To go on writing, cancel the publication",
  discardDraft: "Give up the next text",
  discardDraftTitle: "Give up the next text?",
  discardDraftText: "What was written since the last publication is deleted. What is live stays as it is.",
  leftDraft:
    "The version was unpublished while its next text was being written. That text is kept; publishing here publishes what you see here.",
  takeDraft: "Go on with the next text",
  conflictTitle: "Somebody else has saved this text meanwhile",
  conflictText: "Your text is still here and not saved. The other one was saved at",
  theirText: "Show the other text",
  keepMine: "Keep my text",
  takeTheirs: "Take the other text",
  leaveTitle: "Leave without saving?",
  leaveText: "What you have changed is not saved and will be lost.",
  leaveAction: "Leave without saving",

  findingsHere: "Places with a finding are underlined. F8 leads from one to the next.",
  visual: {
    view: "How the text is shown",
    visual: "Visual",
    source: "Source",
    refusals: {
      ERRORS: "The text has errors, so that it is shown as source. Correct them there, and choose “Visual” again.",
      FORM: "The text has something that the visual editor would change, so that it is shown as source.",
    },
    pasteTooLarge:
      "This is too much to paste: a text can have 1 MB with its formatting. Nothing was changed. Paste it in parts, or shorten it first.",
    tooLarge: "The text is larger than 1 MB and cannot be saved. Shorten it.",
    toolbar: "Form of the text",
    kind: "Kind of paragraph",
    kinds: {
      p: "Paragraph",
      h1: "Heading 1",
      h2: "Heading 2",
      h3: "Heading 3",
      h4: "Heading 4",
      h5: "Heading 5",
      h6: "Heading 6",
      pre: "As typed",
      other: "Other",
    },
    actions: {
      bold: "Bold",
      italic: "Italic",
      underline: "Underline",
      strike: "Strikethrough",
      code: "Code",
      link: "Link",
      bullets: "Bulleted list",
      numbers: "Numbered list",
      outdent: "Decrease indent",
      indent: "Increase indent",
      quote: "Quotation",
      clear: "Clear formatting",
      table: "Insert table",
      field: "Insert merge field",
      undo: "Undo",
      redo: "Redo",
      addRow: "Add row below",
      addColumn: "Add column after",
      headerRow: "Header row",
      deleteRow: "Delete row",
      deleteColumn: "Delete column",
      deleteTable: "Delete table",
    } as Readonly<Record<string, string>>,
    linkTitle: "Link",
    linkSet: "Set link",
    linkAddress: "Address",
    linkHint: "A web address, an e-mail address, or # and the id of a place in this text.",
    linkHintOld: "Leave it empty to remove the link.",
    linkWords: "Words of the link",
    linkWrong: "Only web addresses (https), e-mail addresses and telephone numbers can be linked.",
    fieldLabel: "Merge field",
    fieldSet: "Insert",
  },

  findings: "What was found in the text",
  found: (errors: number, warnings: number, locale: string): string =>
    errors + warnings === 0
      ? "Nothing is wrong with the text."
      : `${counted(errors, "error", "errors", locale)}, ${counted(warnings, "warning", "warnings", locale)}${errors > 0 ? ": it can be saved, but not published." : "."}`,
  severities: { ERROR: "Error", WARNING: "Warning" },
  place: (line: number, column: number): string => `Line ${line}, column ${column}`,
  messages,

  words: "Words around the text",
  wordsIntro: "What is empty is said in the usual words of the language.",
  wordLabels: {
    consentText: "Notice at the buttons",
    buttonText: "Button that accepts",
    declineText: "Button that declines",
    checkboxText: "Words at the box",
    linkText: "Words of the link",
  },
  purpose: "Words for the purpose",

  preview: "Preview",
  previewIntro: "As people will see it. It follows what you write.",
  previewEmpty: "Nothing is written yet.",
  previewInvalid: "The text has errors with which it cannot be shown.",
  liveIntro: (label: string): string => `Version ${label}, as people see it now.`,
  showLive: "Show what is live",
  phoneWidth: "Width of a phone",
  nothingRecorded: "This is a preview: nothing was recorded.",
  samples: "Sample values",

  verification: "Verification of the person",
  verificationIntro: "What an acceptance must carry, as it follows from the policy.",
  noVerification: "An acceptance needs no verification.",
  oneIsEnough: "Of the alternatives one is enough.",
  alternative: "alternative",
  fromAge: (age: string): string => `from the age of ${age}`,
  policyHash: "Hash of the policy",
  changed: "Changed",

  policy: "Policy",
  policyIntro:
    "It is enforced when an acceptance arrives. A deployment may be stricter, never less strict. Receipts name the policy that held.",
  groups: {
    reading: "Reading and deciding",
    person: "Who decides",
    again: "Asking again",
    sessions: "Sessions",
    records: "Evidence and retention",
  },
  savePolicy: "Save the policy",
  nothingChanged: "Saved.",
  usual: (value: string): string => `Usual: ${value}.`,
  on: "on",
  off: "off",
  none: "none",
  flags,
  choices,

  configuration: "Configuration",
  configurationIntro: {
    STATIC: "Documents that belong to the text, and how it is meant to be shown.",
    GENERATED:
      "The merge fields of the text. Without a declaration there are fullName, email, company, title and date.",
    CONSENT: "Who is responsible for the data, and the purposes that people decide on one by one.",
  },
  changeConfiguration: "Change the configuration",
  configurationHelp: {
    STATIC:
      "documents: each with name, url, contentHash, order and mustRead. displayMode: INLINE, MODAL, LINK or FULL_PAGE. downloadable: true or false.",
    GENERATED:
      "variables: each with key, label, type (STRING, NUMBER, DATE, BOOLEAN, ENUM), required, default and more. missing: ERROR or EMPTY, for a field without a value.",
    CONSENT:
      "controller with name, address, email and url; jurisdiction; privacyNoticeUrl; withdrawalMethod; purposes: each with key, name, description, required, legalBasis and more.",
  },
  json: "Configuration as JSON",
  jsonWrong: "This is no JSON object.",
};
