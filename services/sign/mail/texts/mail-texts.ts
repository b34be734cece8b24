/** The texts of mails. `{subject}`, `{sender}`, `{name}`, `{signer}`, `{reason}`, `{date}` are placeholders. */
export interface MailTexts {
  readonly greeting: string;
  readonly invitationSubject: string;
  readonly invitationText: string;
  readonly reminderSubject: string;
  readonly reminderText: string;
  /** For approvers. */
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
  readonly expires: string;
  readonly personal: string;
  readonly personalToApprove: string;
  /** For links that do not allow signing in the reader's name. */
  readonly private: string;
  readonly completedSubject: string;
  readonly completedText: string;
  readonly download: string;
  readonly declinedSubject: string;
  readonly declinedText: string;
  /** When an approver declined. */
  readonly declinedToApproveText: string;
  readonly voidedSubject: string;
  readonly voidedText: string;
  readonly expiredSubject: string;
  readonly expiredText: string;
  readonly reason: string;
  readonly messageFrom: string;
}
