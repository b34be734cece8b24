/** The texts of mails. `{subject}`, `{sender}`, `{name}`, `{signer}`, `{reason}`, `{date}` are placeholders. */
export interface MailTexts {
  readonly greeting: string;
  readonly invitationSubject: string;
  readonly invitationText: string;
  readonly reminderSubject: string;
  readonly reminderText: string;
  readonly approveSubject: string;
  readonly approveText: string;
  readonly approveReminderSubject: string;
  readonly approveReminderText: string;
  /** For certified deliveries. */
  readonly receiveSubject: string;
  readonly receiveText: string;
  readonly receiveReminderSubject: string;
  readonly receiveReminderText: string;
  /** For carbon copies. */
  readonly readSubject: string;
  readonly readText: string;
  /** For hosts of in-person signers. */
  readonly hostSubject: string;
  readonly hostText: string;
  readonly hostReminderSubject: string;
  readonly hostReminderText: string;
  /** Followed by the reminder's text. */
  readonly expiringSubject: string;
  readonly expiringText: string;
  readonly open: string;
  readonly openToApprove: string;
  readonly personal: string;
  readonly personalToApprove: string;
  /** For links that do not allow signing in the reader's name. */
  readonly private: string;
  readonly completedSubject: string;
  readonly completedText: string;
  /** Follows it, where the files come with the mail, and where they are too large for that. */
  readonly attachedText: string;
  readonly notAttachedText: string;
  readonly download: string;
  readonly declinedSubject: string;
  readonly declinedText: string;
  readonly declinedToApproveText: string;
  readonly voidedSubject: string;
  readonly voidedText: string;
  readonly expiredSubject: string;
  readonly expiredText: string;
  /** For those who act: it is followed by the reminder's text. */
  readonly correctedSubject: string;
  readonly correctedText: string;
  /** For those who need not do anything, when others take part. */
  readonly changedText: string;
  /** The label of what is otherwise, and what that may be, each on a line of its own. */
  readonly whatChanged: string;
  readonly changeOfSubject: string;
  readonly changeOfMessage: string;
  readonly changeOfEnd: string;
  readonly changeOfPeople: string;
  readonly changeOfOrder: string;
  readonly changeOfFields: string;
  readonly changeOfLanguage: string;
  /** For those who take no part any more. */
  readonly removedSubject: string;
  readonly removedText: string;
  /** With a code that proves that the reader has the mailbox. */
  readonly codeSubject: string;
  readonly codeText: string;
  readonly code: string;
  readonly reason: string;
  readonly messageFrom: string;
  /** Labels of who asks, what it is, and until when. */
  readonly from: string;
  readonly agreement: string;
  readonly documents: string;
  readonly until: string;
  /** Small print; `{address}` is the reader's. */
  readonly why: string;
  /** For a subject that asks by itself. */
  readonly remindedSubject: string;
  readonly reportAbuse: string;
}

export const en: MailTexts = {
  greeting: "Hello {name},",
  invitationSubject: "Please sign: {subject}",
  invitationText: "{sender} asks you to sign “{subject}”.",
  reminderSubject: "Reminder: please sign {subject}",
  reminderText: "{sender} is still waiting for you to sign “{subject}”.",
  approveSubject: "Please approve: {subject}",
  approveText: "{sender} asks you to approve “{subject}”.",
  approveReminderSubject: "Reminder: please approve {subject}",
  approveReminderText: "{sender} is still waiting for you to approve “{subject}”.",
  receiveSubject: "Please open and read: {subject}",
  receiveText: "{sender} sent you “{subject}” to read, and will be notified when you open it.",
  receiveReminderSubject: "Reminder: please open {subject}",
  receiveReminderText: "{sender} is still waiting for you to open and read “{subject}”.",
  readSubject: "To read: {subject}",
  readText: "{sender} sent you “{subject}” to read.",
  hostSubject: "In-person signing: {subject}",
  hostText: "{sender} asks you to let {signer} sign “{subject}” in person, on your device.",
  hostReminderSubject: "Reminder: in-person signing of {subject}",
  hostReminderText: "{sender} is still waiting for {signer} to sign “{subject}” in person, on your device.",
  expiringSubject: "Ending soon: {subject}",
  expiringText: "It ends on {date}; after that it can no longer be completed.",
  open: "Read and sign",
  openToApprove: "Read and approve",
  personal: "This link is for you alone: anyone who has it can sign in your name. Don’t forward this email.",
  personalToApprove:
    "This link is for you alone: anyone who has it can approve in your name. Don’t forward this email.",
  private: "This link is for you alone. Don’t forward this email.",
  completedSubject: "Completed: {subject}",
  completedText: "Everyone has signed “{subject}”. You can download the sealed documents and the certificate.",
  attachedText: "The sealed documents and the certificate are attached.",
  notAttachedText: "The files are too large to attach. Download them from the page behind the link.",
  download: "Open the documents",
  declinedSubject: "Declined: {subject}",
  declinedText: "{name} declined to sign “{subject}”. It can no longer be signed.",
  declinedToApproveText: "{name} declined to approve “{subject}”. It can no longer be signed.",
  voidedSubject: "Withdrawn: {subject}",
  voidedText: "{sender} withdrew “{subject}”. You don’t need to do anything.",
  expiredSubject: "Expired: {subject}",
  expiredText: "“{subject}” wasn’t signed by everyone in time and has expired.",
  correctedSubject: "Changed: {subject}",
  correctedText: "{sender} has changed “{subject}”. What you see when you open it now is what counts.",
  changedText:
    "{sender} has changed who takes part in “{subject}”, or when it is their turn. You do not need to do anything now.",
  whatChanged: "What changed",
  changeOfSubject: "Subject",
  changeOfMessage: "Message",
  changeOfEnd: "End date",
  changeOfPeople: "Who takes part",
  changeOfOrder: "Order",
  changeOfFields: "Fields",
  changeOfLanguage: "Language",
  removedSubject: "No longer needed: {subject}",
  removedText:
    "{sender} no longer asks you to take part in “{subject}”. The link you had does not work any more, and you do not need to do anything.",
  codeSubject: "Your code from {sender}",
  codeText:
    "Enter this code on the page where you asked for it. It works for 10 minutes, and only there. If you did not ask for it, ignore this email and tell {sender}: someone else may have your link.",
  code: "Code",
  reason: "Reason: {reason}",
  messageFrom: "Message from {sender}:",
  from: "From",
  agreement: "Agreement",
  documents: "Documents",
  until: "Available until",
  why: "You received this email because {sender} entered {address} as the address of a recipient of “{subject}”.",
  remindedSubject: "Reminder: {subject}",
  reportAbuse: "Report abuse",
};
