/** What mails say. `{subject}`, `{sender}`, `{name}`, `{signer}`, `{reason}`, `{date}` are filled in. */
export interface MailTexts {
  readonly greeting: string;
  readonly invitationSubject: string;
  readonly invitationText: string;
  readonly reminderSubject: string;
  readonly reminderText: string;
  /** To those who have nothing to sign. */
  readonly readSubject: string;
  readonly readText: string;
  /** To those with whom somebody else signs. */
  readonly hostSubject: string;
  readonly hostText: string;
  readonly open: string;
  readonly expires: string;
  readonly personal: string;
  /** Of a link with which nothing can be signed. */
  readonly private: string;
  readonly completedSubject: string;
  readonly completedText: string;
  readonly download: string;
  readonly declinedSubject: string;
  readonly declinedText: string;
  readonly voidedSubject: string;
  readonly voidedText: string;
  readonly expiredSubject: string;
  readonly expiredText: string;
  readonly reason: string;
  readonly messageFrom: string;
}
