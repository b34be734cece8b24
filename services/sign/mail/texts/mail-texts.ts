/** What mails say. `{subject}`, `{sender}`, `{name}`, `{signer}`, `{reason}`, `{date}` are filled in. */
export interface MailTexts {
  readonly greeting: string;
  readonly invitationSubject: string;
  readonly invitationText: string;
  readonly reminderSubject: string;
  readonly reminderText: string;
  /** To those who approve. */
  readonly approveSubject: string;
  readonly approveText: string;
  readonly approveReminderSubject: string;
  readonly approveReminderText: string;
  /** To those for whom it is enough to have received it. */
  readonly receiveSubject: string;
  readonly receiveText: string;
  readonly receiveReminderSubject: string;
  readonly receiveReminderText: string;
  /** To those who get a copy. */
  readonly readSubject: string;
  readonly readText: string;
  /** To those with whom somebody else signs. */
  readonly hostSubject: string;
  readonly hostText: string;
  readonly hostReminderSubject: string;
  readonly hostReminderText: string;
  /** Its text follows what a reminder says. */
  readonly expiringSubject: string;
  readonly expiringText: string;
  readonly open: string;
  readonly openToApprove: string;
  readonly expires: string;
  readonly personal: string;
  readonly personalToApprove: string;
  /** Of a link with which nobody signs in the name of the reader. */
  readonly private: string;
  readonly completedSubject: string;
  readonly completedText: string;
  readonly download: string;
  readonly declinedSubject: string;
  readonly declinedText: string;
  /** When whoever declined was asked to approve. */
  readonly declinedToApproveText: string;
  readonly voidedSubject: string;
  readonly voidedText: string;
  readonly expiredSubject: string;
  readonly expiredText: string;
  readonly reason: string;
  readonly messageFrom: string;
}
