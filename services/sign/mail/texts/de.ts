import type { MailTexts } from "./mail-texts.ts";

export const de: MailTexts = {
  greeting: "Guten Tag {name},",
  invitationSubject: "Bitte unterschreiben: {subject}",
  invitationText: "{sender} bittet Sie, „{subject}“ zu unterschreiben.",
  reminderSubject: "Erinnerung: Bitte unterschreiben Sie {subject}",
  reminderText: "{sender} wartet noch auf Ihre Unterschrift unter „{subject}“.",
  approveSubject: "Bitte genehmigen: {subject}",
  approveText: "{sender} bittet Sie, „{subject}“ zu genehmigen.",
  approveReminderSubject: "Erinnerung: Bitte genehmigen Sie {subject}",
  approveReminderText: "{sender} wartet noch auf Ihre Genehmigung von „{subject}“.",
  receiveSubject: "Bitte öffnen und lesen: {subject}",
  receiveText:
    "{sender} sendet Ihnen „{subject}“ zum Lesen und erfährt, dass Sie es erhalten haben, sobald Sie es öffnen.",
  receiveReminderSubject: "Erinnerung: Bitte öffnen Sie {subject}",
  receiveReminderText: "{sender} wartet noch darauf, dass Sie „{subject}“ öffnen und lesen.",
  readSubject: "Zum Lesen: {subject}",
  readText: "{sender} sendet Ihnen „{subject}“ zum Lesen.",
  hostSubject: "Unterschrift vor Ort: {subject}",
  hostText: "{sender} bittet Sie, {signer} „{subject}“ in Ihrem Beisein auf Ihrem Gerät unterschreiben zu lassen.",
  hostReminderSubject: "Erinnerung an die Unterschrift vor Ort: {subject}",
  hostReminderText:
    "{sender} wartet noch darauf, dass {signer} „{subject}“ in Ihrem Beisein auf Ihrem Gerät unterschreibt.",
  expiringSubject: "Die Frist endet bald: {subject}",
  expiringText: "Die Frist endet am {date}; danach kann der Vorgang nicht mehr abgeschlossen werden.",
  open: "Lesen und unterschreiben",
  openToApprove: "Lesen und genehmigen",
  expires: "Der Link gilt bis {date}.",
  personal:
    "Dieser Link gehört Ihnen allein: Wer ihn hat, kann in Ihrem Namen unterschreiben. Bitte leiten Sie diese Mail nicht weiter.",
  personalToApprove:
    "Dieser Link gehört Ihnen allein: Wer ihn hat, kann in Ihrem Namen genehmigen. Bitte leiten Sie diese Mail nicht weiter.",
  private: "Der Link ist nur für Sie bestimmt. Bitte leiten Sie diese Mail nicht weiter.",
  completedSubject: "Abgeschlossen: {subject}",
  completedText:
    "Alle haben „{subject}“ unterschrieben. Sie können die versiegelten Dokumente und das Zertifikat herunterladen.",
  download: "Dokumente öffnen",
  declinedSubject: "Abgelehnt: {subject}",
  declinedText: "{name} hat die Unterschrift unter „{subject}“ abgelehnt. Niemand kann mehr unterschreiben.",
  declinedToApproveText: "{name} hat es abgelehnt, „{subject}“ zu genehmigen. Niemand kann mehr unterschreiben.",
  voidedSubject: "Zurückgezogen: {subject}",
  voidedText: "{sender} hat „{subject}“ zurückgezogen. Sie müssen nichts mehr tun.",
  expiredSubject: "Abgelaufen: {subject}",
  expiredText: "„{subject}“ wurde nicht rechtzeitig von allen unterschrieben und ist beendet.",
  reason: "Grund: {reason}",
  messageFrom: "Nachricht von {sender}:",
};
