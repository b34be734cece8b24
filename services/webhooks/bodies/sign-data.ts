import { agreementDocument, agreement as agreements, recipient as recipients, signTemplate } from "#api/agreements.ts";
import type { Agreement, Recipient } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { Lookups } from "./lookups.ts";
import { type DataMakers, textOrNull } from "./lookups.ts";

type SignCase =
  | `agreement${"Created" | "Modified" | "Corrected" | "Sent" | "Resent" | "Delivered" | "Completed" | "Declined"}`
  | `agreement${"Voided" | "Expired" | "Deleted" | "Purged" | "DocumentCompleted"}`
  | `recipient${"Sent" | "Delivered" | "Completed" | "Declined" | "Left" | "Undelivered" | "Locked"}`
  | `signTemplate${"Created" | "Modified" | "Deleted"}`;

export const signData: DataMakers<SignCase> = {
  agreementCreated: (payload, lookups) => agreementData(payload, lookups),
  agreementModified: (payload, lookups) => agreementData(payload, lookups),
  agreementCorrected: (payload, lookups) => agreementData(payload, lookups),
  agreementSent: (payload, lookups) => agreementData(payload, lookups),
  agreementResent: (payload, lookups) => agreementData(payload, lookups),
  agreementDelivered: (payload, lookups) => agreementData(payload, lookups),
  agreementCompleted: (payload, lookups) => agreementData(payload, lookups),
  agreementDeclined: (payload, lookups) => recipientData({ ...payload, role: "" }, lookups),
  agreementVoided: (payload, lookups) => agreementData(payload, lookups),
  agreementExpired: (payload, lookups) => agreementData(payload, lookups),
  agreementPurged: (payload, lookups) => agreementData(payload, lookups),
  agreementDeleted: (payload) => ({ agreement: toldOf(payload) }),
  recipientSent: (payload, lookups) => recipientData(payload, lookups),
  recipientDelivered: (payload, lookups) => recipientData(payload, lookups),
  recipientCompleted: (payload, lookups) => recipientData(payload, lookups),
  recipientDeclined: (payload, lookups) => recipientData(payload, lookups),
  recipientLeft: (payload, lookups) => recipientData(payload, lookups),
  recipientUndelivered: (payload, lookups) => recipientData(payload, lookups),
  recipientLocked: (payload, lookups) => recipientData(payload, lookups),
  agreementDocumentCompleted: (payload, lookups) => documentData(payload, lookups),
  signTemplateCreated: (payload, lookups) => templateData(payload, lookups),
  signTemplateModified: (payload, lookups) => templateData(payload, lookups),
  signTemplateDeleted: ({ templateId }) => ({ template: { id: templateId } }),
};

interface ToldAgreement {
  readonly agreementId: string;
  readonly transactionId?: string;
}

interface ToldRecipient extends ToldAgreement {
  /** UUID. */
  readonly recipientId: string;
  readonly role: string;
}

async function agreementData(told: ToldAgreement, lookups: Lookups): Promise<object> {
  const agreement = await lookups.agreement(told.agreementId);
  return { agreement: agreement === undefined ? toldOf(told) : summaryOf(agreement) };
}

async function recipientData(told: ToldRecipient, lookups: Lookups): Promise<object> {
  const agreement = await lookups.agreement(told.agreementId);
  const recipient = agreement?.recipients.find(({ id }) => id === told.recipientId);
  return {
    agreement: agreement === undefined ? toldOf(told) : summaryOf(agreement),
    recipient: recipient === undefined ? toldOfRecipient(told) : shortRecipient(recipient),
  };
}

/** Its parts are many, and are read where they are needed. */
function summaryOf(agreement: Agreement): object {
  const { id, envelopeId, status, emailSubject, customFields, metadata, expiresAt, ...view } =
    agreements.answer(agreement);
  const { createdAt, sentAt, deliveredAt, completedAt, declinedAt, voidedAt, voidedReason } = view;
  return {
    ...{ id, envelopeId, status, emailSubject, transactionId: textOrNull(agreement.transactionId) },
    ...{ customFields, metadata, expiresAt, createdAt, sentAt, deliveredAt, completedAt, declinedAt, voidedAt },
    voidedReason,
  };
}

const shortRecipient = (recipient: Recipient): object => {
  const {
    emailSubject: _subject,
    emailBlurb: _blurb,
    note: _note,
    locale: _locale,
    ...rest
  } = recipients.answer(recipient);
  const { tabs: _tabs, hostName: _host, hostEmail: _hostEmail, ...short } = rest;
  return short;
};

const toldOf = ({ agreementId: id, transactionId }: ToldAgreement) => ({
  id,
  envelopeId: id,
  ...(transactionId === undefined ? {} : { transactionId: textOrNull(transactionId) }),
});

const toldOfRecipient = ({ recipientId, role }: ToldRecipient) => ({
  recipientIdGuid: recipientId,
  ...(role === "" ? {} : { role: camelCase(role) }),
});

/** `carbon-copy` is carbonCopy. */
const camelCase = (role: string): string =>
  role
    .split("-")
    .map((word, index) => (index === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join("");

interface ToldFile {
  readonly agreementId: string;
  /** UUID. */
  readonly documentId: string;
  readonly sha256: string;
}

async function documentData({ agreementId, documentId: id, sha256 }: ToldFile, lookups: Lookups): Promise<object> {
  const ids = { agreementId, envelopeId: agreementId };
  const agreement = await lookups.agreement(agreementId);
  const document = agreement?.documents.find((one) => one.id === id);
  if (document === undefined) return { document: { id, ...ids, sha256 } };
  const { documentId, name, order, pages } = agreementDocument.answer(document);
  const contentUrl = `/v1/sign/agreements/${agreementId}/documents/${encodeURIComponent(documentId)}/content`;
  return { document: { id, documentId, ...ids, name, order, pages, sha256, contentUrl } };
}

async function templateData({ templateId }: { readonly templateId: string }, lookups: Lookups): Promise<object> {
  const found = await lookups.template(templateId);
  if (found === undefined) return { template: { id: templateId } };
  const { id, name, description, shared, emailSubject, createdAt, modifiedAt } = signTemplate.answer(found);
  return { template: { id, name, description, shared, emailSubject, createdAt, modifiedAt } };
}
