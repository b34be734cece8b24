import { tab } from "#api/tabs.ts";
import {
  type Agreement,
  type CustomField,
  type Document,
  type Notification,
  type Recipient,
  RecipientRole,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { isoTime } from "../scalars.ts";
import { recipientStatuses, roles, statuses } from "./names.ts";
import { hexOrNull, objectOf, textOrNull } from "./texts.ts";

export const agreementView = (agreement: Agreement) => ({
  id: agreement.id,
  envelopeId: agreement.id,
  organizationId: agreement.organizationId,
  status: statuses.nameOf(agreement.status),
  ...contentView(agreement),
  expiresAt: isoTime(agreement.expiresAt),
  createdAt: isoTime(agreement.createdAt),
  modifiedAt: isoTime(agreement.modifiedAt),
  sentAt: isoTime(agreement.sentAt),
  deliveredAt: isoTime(agreement.deliveredAt),
  completedAt: isoTime(agreement.completedAt),
  declinedAt: isoTime(agreement.declinedAt),
  voidedAt: isoTime(agreement.voidedAt),
  voidedReason: textOrNull(agreement.voidedReason),
  sealLevel: textOrNull(agreement.sealLevel),
});

/** A template is what agreements are made from, so it has no course of its own. */
export const signTemplateView = (template: Agreement) => ({
  id: template.id,
  organizationId: template.organizationId,
  name: template.name,
  description: textOrNull(template.description),
  shared: template.shared,
  ...contentView(template),
  createdAt: isoTime(template.createdAt),
  modifiedAt: isoTime(template.modifiedAt),
});

const contentView = (agreement: Agreement) => ({
  emailSubject: textOrNull(agreement.emailSubject),
  emailBlurb: textOrNull(agreement.emailBlurb),
  documents: agreement.documents.map(documentView),
  recipients: recipientsView(agreement.recipients),
  customFields: agreement.customFields.map(customFieldView),
  ...notificationView(agreement.notification),
  metadata: objectOf(agreement.metadataJson),
});

export const documentView = ({ documentId, name, order, pages, bytes, sha256, sentSha256, warnings }: Document) => ({
  documentId,
  name,
  order,
  pages: pages.length,
  bytes: Number(bytes),
  sha256: hexOrNull(sha256),
  sentSha256: hexOrNull(sentSha256),
  warnings: warnings.map((code) => ({ code, message: warningTexts.get(code) ?? code })),
});

const certifiedText = (rule: number): string =>
  `A signature of the PDF locks what its pages show (DocMDP, P: ${rule}): the agreement cannot be sent with tabs that show something on it.`;

const warningTexts: ReadonlyMap<string, string> = new Map([
  ["CERTIFIED_P2", certifiedText(2)],
  ["CERTIFIED_P3", certifiedText(3)],
  [
    "PDF_UA_CLAIM_DROPPED",
    "The PDF is signed, so what is placed on it cannot be tagged: the sealed file no longer says that it is PDF/UA.",
  ],
]);

const { APPROVER, CARBON_COPY, CERTIFIED_DELIVERY, IN_PERSON_SIGNER, SIGNER } = RecipientRole;

/** By what they are asked to do. */
export function recipientsView(recipients: readonly Recipient[]) {
  const viewsOf = (...wanted: RecipientRole[]) =>
    recipients.filter(({ role }) => wanted.includes(role)).map(recipientView);
  return {
    signers: viewsOf(SIGNER, APPROVER),
    carbonCopies: viewsOf(CARBON_COPY),
    certifiedDeliveries: viewsOf(CERTIFIED_DELIVERY),
    inPersonSigners: viewsOf(IN_PERSON_SIGNER),
  };
}

export const recipientView = (recipient: Recipient) => ({
  recipientId: recipient.recipientId,
  recipientIdGuid: recipient.id,
  name: textOrNull(recipient.name),
  email: textOrNull(recipient.email),
  clientUserId: textOrNull(recipient.clientUserId),
  role: roles.nameOf(recipient.role),
  roleName: textOrNull(recipient.roleName),
  routingOrder: recipient.routingOrder,
  status: recipientStatuses.nameOf(recipient.status),
  note: textOrNull(recipient.note),
  locale: textOrNull(recipient.locale),
  emailSubject: textOrNull(recipient.emailSubject),
  emailBlurb: textOrNull(recipient.emailBlurb),
  hostName: textOrNull(recipient.hostName),
  hostEmail: textOrNull(recipient.hostEmail),
  sentAt: isoTime(recipient.sentAt),
  deliveredAt: isoTime(recipient.deliveredAt),
  completedAt: isoTime(recipient.completedAt),
  declinedAt: isoTime(recipient.declinedAt),
  declineReason: textOrNull(recipient.declineReason),
  tabs: recipient.tabs.map((one) => tab.answer(one)),
});

const customFieldView = ({ fieldId, name, value, isList, items, show, required }: CustomField) => ({
  fieldId,
  name,
  value,
  items: isList ? items : null,
  show,
  required,
});

const notificationView = (notification: Notification | undefined) => ({
  reminders: {
    enabled: notification?.reminderEnabled ?? false,
    delayDays: notification?.reminderDelay ?? 0,
    frequencyDays: notification?.reminderFrequency ?? 0,
  },
  expiration: {
    enabled: notification?.expireEnabled ?? false,
    afterDays: notification?.expireAfter ?? 0,
    warnDays: notification?.expireWarn ?? 0,
  },
});
