import type { MailTexts } from "./mail-texts.ts";

export const fr: MailTexts = {
  greeting: "Bonjour {name},",
  invitationSubject: "À signer : {subject}",
  invitationText: "{sender} vous demande de signer « {subject} ».",
  reminderSubject: "Rappel : veuillez signer {subject}",
  reminderText: "{sender} attend encore votre signature pour « {subject} ».",
  readSubject: "À lire : {subject}",
  readText: "{sender} vous envoie « {subject} » pour lecture.",
  hostSubject: "Signature en personne : {subject}",
  hostText:
    "{sender} vous demande de faire signer « {subject} » par {signer}, en votre présence et sur votre appareil.",
  open: "Lire et signer",
  expires: "Le lien est valable jusqu’au {date}.",
  personal:
    "Ce lien est strictement personnel : quiconque le possède peut signer en votre nom. Veuillez ne pas transférer ce message.",
  private: "Ce lien vous est personnellement destiné. Veuillez ne pas transférer ce message.",
  completedSubject: "Terminé : {subject}",
  completedText: "Tout le monde a signé « {subject} ». Vous pouvez télécharger les documents scellés et le certificat.",
  download: "Ouvrir les documents",
  declinedSubject: "Refusé : {subject}",
  declinedText: "{name} a refusé de signer « {subject} ». Plus personne ne peut signer.",
  voidedSubject: "Retiré : {subject}",
  voidedText: "{sender} a retiré « {subject} ». Vous n’avez plus rien à faire.",
  expiredSubject: "Expiré : {subject}",
  expiredText: "« {subject} » n’a pas été signé par tous à temps et a pris fin.",
  reason: "Motif : {reason}",
  messageFrom: "Message de {sender} :",
};
