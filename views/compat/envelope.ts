import { customFieldsView, notificationView } from "#api/compat-records.ts";
import { always, sampleId, sampleTime, tellingOf } from "#api/spelling.ts";
import { type Agreement, AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { envelopeDocumentsView } from "./documents.ts";
import { recipientsView } from "./recipients.ts";
import { compatTime, filled, flagText, numberText, type Written } from "./scalars.ts";
import { workflowView } from "./workflow.ts";

/** What `include` asks for besides. */
export type Included = ReadonlySet<string>;

/** The names of a list such as `recipients,custom_fields`. */
export const includedIn = (list: string | undefined): Included =>
  new Set((list ?? "").split(",").map((name) => name.trim().toLowerCase()));

const uri = `/envelopes/${sampleId}`;
const uriOf = ({ id }: Agreement): string => `/envelopes/${id}`;

/** What an `Envelope` says of itself in texts. Times are there once they have happened. */
export const envelopeTexts = tellingOf<Agreement>({
  envelopeId: [sampleId, ({ id }) => id],
  status: ["sent", ({ status }) => statusOf(status)],
  emailSubject: ["Please sign the NDA", ({ emailSubject }) => emailSubject],
  emailBlurb: ["As discussed.", ({ emailBlurb }) => emailBlurb],
  envelopeUri: [uri, uriOf],
  documentsUri: [`${uri}/documents`, (agreement) => `${uriOf(agreement)}/documents`],
  recipientsUri: [`${uri}/recipients`, (agreement) => `${uriOf(agreement)}/recipients`],
  attachmentsUri: [`${uri}/attachments`, (agreement) => `${uriOf(agreement)}/attachments`],
  customFieldsUri: [`${uri}/custom_fields`, (agreement) => `${uriOf(agreement)}/custom_fields`],
  notificationUri: [`${uri}/notification`, (agreement) => `${uriOf(agreement)}/notification`],
  documentsCombinedUri: [`${uri}/documents/combined`, (agreement) => `${uriOf(agreement)}/documents/combined`],
  certificateUri: [`${uri}/documents/certificate`, (agreement) => `${uriOf(agreement)}/documents/certificate`],
  templatesUri: [`${uri}/templates`, (agreement) => `${uriOf(agreement)}/templates`],
  createdDateTime: [sampleTime, ({ createdAt }) => compatTime(createdAt)],
  lastModifiedDateTime: [sampleTime, ({ modifiedAt }) => compatTime(modifiedAt)],
  statusChangedDateTime: [sampleTime, ({ statusChangedAt }) => compatTime(statusChangedAt)],
  expireEnabled: ["true", ({ notification }) => flagText(notification?.expireEnabled ?? true)],
  expireAfter: ["120", ({ notification }) => numberText(notification?.expireAfter ?? 120)],
  purgeState: ["unpurged", ({ purge }) => purge?.state ?? "unpurged"],
  ...always({
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
  }),
  transactionId: ["order-1042", ({ transactionId }) => filled(transactionId), "sometimes"],
  brandId: [sampleId, ({ brandId }) => filled(brandId), "sometimes"],
  initialSentDateTime: [sampleTime, ({ sentAt }) => compatTime(sentAt), "sometimes"],
  sentDateTime: [sampleTime, ({ sentAt }) => compatTime(sentAt), "sometimes"],
  deliveredDateTime: [sampleTime, ({ deliveredAt }) => compatTime(deliveredAt), "sometimes"],
  completedDateTime: [sampleTime, ({ completedAt }) => compatTime(completedAt), "sometimes"],
  declinedDateTime: [sampleTime, ({ declinedAt }) => compatTime(declinedAt), "sometimes"],
  voidedDateTime: [sampleTime, ({ voidedAt }) => compatTime(voidedAt), "sometimes"],
  voidedReason: ["The order was cancelled.", ({ voidedReason }) => filled(voidedReason), "sometimes"],
  expireDateTime: [sampleTime, ({ expiresAt }) => compatTime(expiresAt), "sometimes"],
  purgeRequestDate: [sampleTime, ({ purge }) => compatTime(purge?.requestedAt), "sometimes"],
  purgeCompletedDate: [sampleTime, ({ purge }) => compatTime(purge?.purgedAt), "sometimes"],
});

export const envelopeView = (agreement: Agreement, included: Included): { readonly [name: string]: Written } =>
  defined({
    ...envelopeTexts.write(agreement),
    sender: envelopeSender.write(agreement),
    envelopeMetadata,
    ...partsOf(agreement, included),
  });

/** `EnvelopeSummary`: what creating one answers. */
export const envelopeSummary = tellingOf<Agreement>({
  envelopeId: [sampleId, ({ id }) => id],
  uri: [uri, uriOf],
  statusDateTime: [sampleTime, ({ statusChangedAt, createdAt }) => compatTime(statusChangedAt ?? createdAt)],
  status: ["sent", ({ status }) => statusOf(status)],
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

/** The user is the organization, as in the user information. */
export const envelopeSender = tellingOf<Agreement>({
  userName: ["Example AG", ({ sender }) => sender?.name ?? ""],
  userId: [sampleId, ({ organizationId }) => organizationId],
  accountId: [sampleId, ({ organizationId }) => organizationId],
  email: ["sender@example.com", ({ sender }) => filled(sender?.email), "sometimes"],
});

function partsOf(agreement: Agreement, included: Included): Record<string, Written | undefined> {
  const withRecipients = included.has("recipients") || included.has("tabs");
  return {
    recipients: withRecipients ? recipientsView(agreement, included.has("tabs")) : undefined,
    customFields: included.has("custom_fields") ? customFieldsView(agreement.customFields) : undefined,
    envelopeDocuments: included.has("documents") ? envelopeDocumentsView(agreement) : undefined,
    notification: included.has("notification") ? notificationView(agreement.notification) : undefined,
    workflow: included.has("workflow") ? workflowView(agreement) : undefined,
    envelopeAttachments: included.has("attachments") ? [] : undefined,
    folders: included.has("folders") ? [] : undefined,
  };
}

export const envelopeMetadata = {
  allowAdvancedCorrect: "false",
  enableSignWithNotary: "false",
  allowCorrect: "false",
} as const;
