import { customFieldsView, notificationView } from "#api/compat-records.ts";
import { type Agreement, AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { envelopeDocumentsView } from "./documents.ts";
import { recipientsView } from "./recipients.ts";
import { compatTime, filled, flagText, numberText, type Written } from "./scalars.ts";

/** What `include` asks for besides. */
export type Included = ReadonlySet<string>;

/** The names of a list such as `recipients,custom_fields`. */
export const includedIn = (list: string | undefined): Included =>
  new Set((list ?? "").split(",").map((name) => name.trim().toLowerCase()));

/** The `Envelope` object. Times are there once they have happened. */
export function envelopeView(agreement: Agreement, included: Included): { readonly [name: string]: Written } {
  const { id, emailSubject, emailBlurb, transactionId } = agreement;
  const uri = `/envelopes/${id}`;
  return defined({
    envelopeId: id,
    status: statusOf(agreement.status),
    emailSubject,
    emailBlurb,
    transactionId: filled(transactionId),
    envelopeUri: uri,
    documentsUri: `${uri}/documents`,
    recipientsUri: `${uri}/recipients`,
    attachmentsUri: `${uri}/attachments`,
    customFieldsUri: `${uri}/custom_fields`,
    notificationUri: `${uri}/notification`,
    documentsCombinedUri: `${uri}/documents/combined`,
    certificateUri: `${uri}/documents/certificate`,
    templatesUri: `${uri}/templates`,
    ...timesOf(agreement),
    ...expiryOf(agreement),
    sender: senderOf(agreement),
    ...purgeOf(agreement),
    ...envelopeConstants,
    envelopeMetadata,
    ...partsOf(agreement, included),
  });
}

/** `EnvelopeSummary`: what creating one answers. */
export const envelopeSummary = ({ id, status, statusChangedAt, createdAt }: Agreement): Written =>
  defined({
    envelopeId: id,
    uri: `/envelopes/${id}`,
    statusDateTime: compatTime(statusChangedAt ?? createdAt),
    status: statusOf(status),
  });

/** Everybody has signed while the documents are being sealed; what has expired is void. */
const statusNames: ReadonlyMap<AgreementStatus, string> = new Map([
  [AgreementStatus.CREATED, "created"],
  [AgreementStatus.SENT, "sent"],
  [AgreementStatus.DELIVERED, "delivered"],
  [AgreementStatus.COMPLETING, "signed"],
  [AgreementStatus.COMPLETED, "completed"],
  [AgreementStatus.DECLINED, "declined"],
  [AgreementStatus.VOIDED, "voided"],
  [AgreementStatus.EXPIRED, "voided"],
  [AgreementStatus.TEMPLATE, "template"],
]);

export const statusOf = (status: AgreementStatus): string => statusNames.get(status) ?? "created";

const timesOf = (agreement: Agreement) => ({
  createdDateTime: compatTime(agreement.createdAt),
  lastModifiedDateTime: compatTime(agreement.modifiedAt),
  statusChangedDateTime: compatTime(agreement.statusChangedAt),
  initialSentDateTime: compatTime(agreement.sentAt),
  sentDateTime: compatTime(agreement.sentAt),
  deliveredDateTime: compatTime(agreement.deliveredAt),
  completedDateTime: compatTime(agreement.completedAt),
  declinedDateTime: compatTime(agreement.declinedAt),
  voidedDateTime: compatTime(agreement.voidedAt),
  voidedReason: filled(agreement.voidedReason),
});

const purgeOf = ({ purge }: Agreement) => ({
  purgeState: purge?.state ?? "unpurged",
  purgeRequestDate: compatTime(purge?.requestedAt),
  purgeCompletedDate: compatTime(purge?.purgedAt),
});

const expiryOf = ({ notification, expiresAt }: Agreement) => ({
  expireEnabled: flagText(notification?.expireEnabled ?? true),
  expireAfter: numberText(notification?.expireAfter ?? 120),
  expireDateTime: compatTime(expiresAt),
});

/** The user is the organization, as in the user information. */
const senderOf = ({ sender, organizationId }: Agreement): Written =>
  defined({
    userName: sender?.name ?? "",
    userId: organizationId,
    accountId: organizationId,
    email: filled(sender?.email),
  });

function partsOf(agreement: Agreement, included: Included): Record<string, Written | undefined> {
  const withRecipients = included.has("recipients") || included.has("tabs");
  return {
    recipients: withRecipients ? recipientsView(agreement, included.has("tabs")) : undefined,
    customFields: included.has("custom_fields") ? customFieldsView(agreement.customFields) : undefined,
    envelopeDocuments: included.has("documents") ? envelopeDocumentsView(agreement) : undefined,
    notification: included.has("notification") ? notificationView(agreement.notification) : undefined,
    envelopeAttachments: included.has("attachments") ? [] : undefined,
    folders: included.has("folders") ? [] : undefined,
  };
}

/** What is so of every envelope here. */
export const envelopeConstants = {
  signingLocation: "online",
  enableWetSign: "false",
  allowMarkup: "false",
  allowReassign: "false",
  allowComments: "false",
  allowViewHistory: "true",
  autoNavigation: "true",
  envelopeIdStamping: "true",
  is21CFRPart11: "false",
  signerCanSignOnMobile: "true",
  isSignatureProviderEnvelope: "false",
  hasFormDataChanged: "false",
  hasComments: "false",
  isDynamicEnvelope: "false",
  envelopeLocation: "current_site",
} as const;

export const envelopeMetadata = {
  allowAdvancedCorrect: "false",
  enableSignWithNotary: "false",
  allowCorrect: "false",
} as const;
