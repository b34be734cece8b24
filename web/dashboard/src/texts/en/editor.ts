interface FlagWords {
  readonly label: string;
  readonly hint: string;
}

const flags: ReadonlyMap<string, FlagWords> = new Map([
  [
    "requireCheckbox",
    { label: "Require a checkbox", hint: "Users must check a box before they accept. Always on for consent." },
  ],
  ["requireScroll", { label: "Require scrolling to the end", hint: "The end of the text must have been visible." }],
  [
    "requireView",
    { label: "Require opening documents", hint: "A document or link in the text must have been opened." },
  ],
  [
    "minDisplaySeconds",
    {
      label: "Minimum seconds shown",
      hint: "Measured by the server; needs the render token or a session. 0: no minimum.",
    },
  ],
  [
    "requireRenderToken",
    {
      label: "Require proof that the text was shown",
      hint: "Acceptances must include the signed token of the text that was rendered.",
    },
  ],
  [
    "esignDisclosure",
    {
      label: "Electronic records disclosure",
      hint: "Shown before the text. Acceptances count only if it was visible.",
    },
  ],
  ["allowDecline", { label: "Allow declining", hint: "Adds a button to decline." }],
  [
    "recordDecline",
    {
      label: "Record declines",
      hint: "Declines get a receipt, too. Needs “Allow declining”.",
    },
  ],
  ["requireTypedName", { label: "Require a typed name", hint: "Users type their name to accept." }],
  [
    "requireAuthenticatedUser",
    { label: "Require sign-in", hint: "Your system must state that the user was signed in there." },
  ],
  ["minAge", { label: "Minimum age", hint: "Users state that they’re at least this old. 0: no minimum." }],
  ["verificationMethods", { label: "Verification methods", hint: "How acceptances must establish who the user is." }],
  ["verificationMode", { label: "Methods required", hint: "All of them, or any one." }],
  ["requireReacceptance", { label: "Ask again", hint: "When an earlier acceptance no longer counts." }],
  ["reacceptIntervalDays", { label: "Days until users are asked again", hint: "0: acceptances never expire." }],
  [
    "showChanges",
    {
      label: "Show changes",
      hint: "Users who accepted an earlier text see what’s changed since.",
    },
  ],
  [
    "oneAcceptancePerRevision",
    { label: "One acceptance per text", hint: "A second acceptance of the same text by the same user is rejected." },
  ],
  ["consentExpiresAfterDays", { label: "Days until consent expires", hint: "0: valid until withdrawn." }],
  [
    "honorGpc",
    {
      label: "Honor Global Privacy Control",
      hint: "When a browser sends this signal, purposes that sell or share data are denied.",
    },
  ],
  [
    "allowDirectAccept",
    {
      label: "Allow acceptances without a session",
      hint: "Your server can record acceptances of a text that it showed itself.",
    },
  ],
  ["singleUseSession", { label: "Single-use sessions", hint: "A session closes after one decision." }],
  ["sessionTtlSeconds", { label: "Session lifetime in seconds", hint: "From 60 seconds to 30 days (2592000)." }],
  ["captureIp", { label: "Record IP address", hint: "Shortened: without the last part." }],
  ["captureUserAgent", { label: "Record browser", hint: "Shortened: browser family only." }],
  ["captureReferrer", { label: "Record referrer", hint: "Shortened: origin only." }],
  [
    "requireSnapshot",
    {
      label: "Require a screenshot",
      hint: "Deployments can be activated only with one of their screenshots, or with your ID of an image you keep elsewhere.",
    },
  ],
  [
    "sendCopyToUser",
    {
      label: "Email users a copy",
      hint: "Users get the text and receipt by email, once, at the address your system sends with the acceptance.",
    },
  ],
  [
    "retentionDays",
    {
      label: "Days to keep records",
      hint: "When a user is erased, records stay restricted until then. 0: nothing is kept.",
    },
  ],
  ["legalHold", { label: "Legal hold", hint: "No one can be erased while this is on." }],
]);

const choices: ReadonlyMap<string, string> = new Map([
  ["ALL", "All of them"],
  ["ANY", "Any one"],
  ["ON_MAJOR", "When a new version requires it"],
  ["ALWAYS", "For every new version"],
  ["NEVER", "Never"],
  ["FULL", "In full"],
  ["TRUNCATED", "Shortened"],
  ["NONE", "Not at all"],
  ["CUSTOMER_ATTESTED", "Your system vouches for the user"],
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
  languages: "Languages",
  addLanguage: "Add language",
  languageTag: "Language",
  languageHelp: "A language tag such as de, fr-CA or pt-BR.",
  languageWrong: "Not a language tag. Use one such as de, fr-CA or pt-BR.",
  languageKnown: "The template already has this language.",
  notYet: "Not written yet",
  versionState: (status: "DRAFT" | "PUBLISHED" | "ARCHIVED", label: string | null): string =>
    ({ DRAFT: "Draft", PUBLISHED: `Published ${label ?? ""}`, ARCHIVED: "Archived" })[status],

  title: "Text",
  textTitle: "Title",
  textLabel: "Text to accept",
  format: "Format",
  formats: [
    { id: "html", label: "HTML" },
    { id: "markdown", label: "Markdown" },
    { id: "text", label: "Plain text" },
    { id: "pdf", label: "PDF" },
  ],
  pdf: {
    upload: "Upload a PDF instead",
    replace: "Replace PDF",
    uploadHelp:
      "Up to 5 MiB and 200 pages, with selectable text. Users see its pages; screen readers read the text in the file.",
    none: "No PDF yet.",
    spoken: "Text for screen readers",
    page: (page: number): string => `Page ${page}`,
  },
  emptyHelp:
    "Write or paste your text. HTML can include headings, paragraphs, lists, tables, emphasis and links, but no scripts, styles or forms.",
  save: "Save",
  discard: "Discard changes",
  unsaved: "You have unsaved changes.",
  savedState: "All changes saved.",
  draftNote: "Users don’t see this draft yet.",
  restored: "We restored your unsaved changes. Save them, or discard them to go back to the saved text.",
  fromArchived: "The last version in this language is archived. Saving creates a new draft from its text.",
  liveNote: (label: string): string =>
    `Version ${label} is live. You’re editing the next draft: users see version ${label} until you publish it.`,
  nextNote: (label: string): string => `This is the next draft. Users see version ${label} until you publish it.`,
  draftSaved: "Last saved:",
  draftBadge: "Next draft",
  scheduledBadge: "Scheduled",
  scheduledNote: "This text is locked until its scheduled publication on",
  scheduledWay: "To edit it, cancel the publication",
  discardDraft: "Discard draft",
  discardDraftTitle: "Discard the draft?",
  discardDraftText: "Everything written since the last publication is deleted. The live text stays as it is.",
  leftDraft:
    "This version was unpublished while its next draft was in progress. The draft is kept; publishing here publishes what you see here.",
  takeDraft: "Continue with the draft",
  conflictTitle: "Someone else saved this text",
  conflictText: "Your text is still here, but not saved. The other text was saved at",
  theirText: "View other text",
  keepMine: "Keep my text",
  takeTheirs: "Use other text",
  leaveTitle: "Leave without saving?",
  leaveText: "Your unsaved changes will be lost.",
  leaveAction: "Leave without saving",

  findingsHere: "Issues are underlined. Press F8 to go to the next one.",
  visual: {
    view: "View",
    visual: "Visual",
    source: "Source",
    refusals: {
      ERRORS: "This text has errors, so it’s shown as source. Fix them, then choose “Visual” again.",
      FORM: "This text includes markup that the visual editor would change, so it’s shown as source.",
    },
    pasteTooLarge: "That’s too much to paste. A text can be up to 1 MB including formatting. Nothing was changed.",
    tooLarge: "This text is larger than 1 MB and can’t be saved. Shorten it.",
    toolbar: "Formatting",
    kind: "Paragraph style",
    kinds: {
      p: "Paragraph",
      h1: "Heading 1",
      h2: "Heading 2",
      h3: "Heading 3",
      h4: "Heading 4",
      h5: "Heading 5",
      h6: "Heading 6",
      pre: "Preformatted",
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
    linkSet: "Apply",
    linkAddress: "URL",
    linkHint: "A web address, an email address, or # and an ID in this text.",
    linkHintOld: "Leave empty to remove the link.",
    linkWords: "Link text",
    linkWrong: "Links can be web addresses (https), email addresses or phone numbers.",
    fieldLabel: "Merge field",
    fieldSet: "Insert",
  },

  findings: "Issues",
  found: (errors: number, warnings: number, locale: string): string =>
    errors + warnings === 0
      ? "No issues found."
      : `${counted(errors, "error", "errors", locale)}, ${counted(warnings, "warning", "warnings", locale)}${errors > 0 ? ". You can save this text, but not publish it." : "."}`,
  severities: { ERROR: "Error", WARNING: "Warning" },
  place: (line: number, column: number): string => `Line ${line}, column ${column}`,
  messages,

  words: "Labels",
  wordsIntro: "Empty labels use the defaults of the language.",
  wordLabels: {
    consentText: "Notice above the buttons",
    buttonText: "Accept button",
    declineText: "Decline button",
    checkboxText: "Checkbox label",
    linkText: "Link text",
  },
  purpose: "Purpose label",

  preview: "Preview",
  previewIntro: "What your users will see. Updates as you type.",
  previewEmpty: "Nothing to preview yet.",
  previewInvalid: "Fix the errors in the text to see a preview.",
  liveIntro: (label: string): string => `Version ${label}, as users see it now.`,
  showLive: "Show live version",
  phoneWidth: "Phone width",
  nothingRecorded: "This is a preview. Nothing was recorded.",
  samples: "Sample values",

  verification: "Identity verification",
  verificationIntro: "What acceptances must include, based on the policy.",
  noVerification: "No verification required.",
  oneIsEnough: "One of the alternatives is enough.",
  alternative: "alternative",
  fromAge: (age: string): string => `age ${age} or older`,
  policyHash: "Policy hash",
  changed: "Changed",

  policy: "Policy",
  policyIntro:
    "Enforced on every acceptance. Deployments can be stricter, but never less strict. Receipts name the policy that applied.",
  groups: {
    reading: "Reading and deciding",
    person: "Identity",
    again: "Asking again",
    sessions: "Sessions",
    records: "Evidence and retention",
  },
  savePolicy: "Save policy",
  nothingChanged: "Saved.",
  usual: (value: string): string => `Default: ${value}.`,
  on: "on",
  off: "off",
  none: "none",
  flags,
  choices,

  configuration: "Configuration",
  configurationIntro: {
    STATIC: "Documents that belong to the text, and how it should be shown.",
    GENERATED:
      "The text’s merge fields. If you don’t declare any, these are available: fullName, email, company, title and date.",
    CONSENT: "Who controls the data, and the purposes users decide on individually.",
  },
  changeConfiguration: "Edit configuration",
  configurationHelp: {
    STATIC:
      "documents: each with name, url, contentHash, order and mustRead. displayMode: INLINE, MODAL, LINK or FULL_PAGE. downloadable: true or false.",
    GENERATED:
      "variables: each with key, label, type (STRING, NUMBER, DATE, BOOLEAN, ENUM), required, default and more. missing: ERROR or EMPTY, for fields without a value.",
    CONSENT:
      "controller with name, address, email and url; jurisdiction; privacyNoticeUrl; withdrawalMethod; purposes: each with key, name, description, required, legalBasis and more.",
  },
  json: "Configuration as JSON",
  jsonWrong: "Not a valid JSON object.",
};
