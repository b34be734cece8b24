import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type AgreementSchema,
  type AuditEventSchema,
  type CustomFieldSchema,
  type DocumentSchema,
  type RecipientSchema,
  AgreementStatus as WireAgreementStatus,
  RecipientStatus as WireRecipientStatus,
  RecipientRole as WireRole,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { tabMessage } from "../edit/tabs.ts";
import type {
  Agreement,
  AgreementDocument,
  AgreementStatus,
  CustomField,
  Recipient,
  RecipientRole,
  RecipientStatus,
} from "./agreement.ts";
import { type AuditEvent, publicPart } from "./audit-chain.ts";

/** The API message of an agreement or template. */
export function agreementMessage(
  agreement: Agreement,
  organizationId: string,
): MessageInitShape<typeof AgreementSchema> {
  const { id, emailSubject, emailBlurb, name, description, shared, voidedReason, transactionId } = agreement;
  return {
    id,
    organizationId,
    status: wireAgreementStatuses[agreement.status],
    emailSubject,
    emailBlurb,
    name,
    description,
    shared,
    voidedReason,
    transactionId,
    documents: agreement.documents.map(documentMessage),
    recipients: agreement.recipients.map(recipientMessage),
    customFields: agreement.customFields.map(customFieldMessage),
    notification: agreement.notification,
    metadataJson: jsonText(agreement.metadata),
    subscriptionJson: jsonText(agreement.subscription),
    sender: agreement.sender,
    currentRoutingOrder: agreement.currentRoutingOrder,
    sealLevel: agreement.sealLevel ?? "",
    ...purgeOf(agreement),
    ...timesOf(agreement),
  };
}

const purgeOf = ({ purge }: Agreement) =>
  purge == null
    ? {}
    : {
        purge: {
          state: purge.state,
          requestedAt: timestampFromDate(new Date(purge.requestedAt)),
          ...time("purgedAt", purge.purgedAt === null ? null : new Date(purge.purgedAt)),
        },
      };

const timesOf = (agreement: Agreement) => ({
  createdAt: timestampFromDate(agreement.createdAt),
  modifiedAt: timestampFromDate(agreement.modifiedAt),
  statusChangedAt: timestampFromDate(agreement.statusChangedAt),
  ...time("sentAt", agreement.sentAt),
  ...time("deliveredAt", agreement.deliveredAt),
  ...time("completedAt", agreement.completedAt),
  ...time("declinedAt", agreement.declinedAt),
  ...time("voidedAt", agreement.voidedAt),
  ...time("expiresAt", agreement.expiresAt),
});

/** The API message of a document; `index` starts at 0. */
function documentMessage(document: AgreementDocument, index: number): MessageInitShape<typeof DocumentSchema> {
  const { id, documentId, name, bytes, sha256, pages, isSigned, warnings, sealedSha256, sentSha256 } = document;
  return {
    id,
    documentId,
    name,
    order: index + 1,
    bytes: BigInt(bytes),
    sha256,
    pages: [...pages],
    isSigned,
    warnings: [...warnings],
    ...(sealedSha256 === null ? {} : { sealedSha256 }),
    ...(sentSha256 === null ? {} : { sentSha256 }),
  };
}

function recipientMessage(recipient: Recipient): MessageInitShape<typeof RecipientSchema> {
  const { id, recipientId, name, email, clientUserId, roleName, routingOrder, note, locale } = recipient;
  const { hostName, hostEmail, declineReason, emailSubject, emailBlurb, deliveryFailedReason } = recipient;
  return {
    id,
    recipientId,
    role: wireRoles[recipient.role],
    name,
    email,
    clientUserId,
    roleName,
    routingOrder,
    status: wireRecipientStatuses[recipient.status],
    note,
    locale,
    emailSubject,
    emailBlurb,
    hostName,
    hostEmail,
    declineReason,
    deliveryFailedReason,
    tabs: recipient.tabs.map(tabMessage),
    ...time("sentAt", recipient.sentAt),
    ...time("deliveredAt", recipient.deliveredAt),
    ...time("completedAt", recipient.completedAt),
    ...time("declinedAt", recipient.declinedAt),
    ...time("deliveryFailedAt", recipient.deliveryFailedAt),
  };
}

const customFieldMessage = (field: CustomField): MessageInitShape<typeof CustomFieldSchema> => ({
  fieldId: field.fieldId,
  name: field.name,
  value: field.value,
  isList: field.kind === "list",
  items: [...field.items],
  show: field.show,
  required: field.required,
});

export const auditEventMessage = (
  agreementId: string,
  event: AuditEvent,
): MessageInitShape<typeof AuditEventSchema> => ({
  sequence: event.sequence,
  occurredAt: timestampFromDate(event.occurredAt),
  action: event.action,
  source: event.actor.source,
  actorId: event.actor.id,
  actorName: event.actor.name,
  actorEmail: event.actor.email,
  ip: event.actor.ip,
  userAgent: event.actor.userAgent,
  detailsJson: jsonText(event.details),
  agreementStatus: wireAgreementStatuses[event.agreementStatus],
  previousHash: event.previousHash,
  hash: event.hash,
  format: event.committed === undefined ? 1 : 2,
  publicJson: jsonText(publicPart(agreementId, event) ?? null),
  disclosures: [...(event.committed?.disclosed.values() ?? [])].flatMap((one) => (typeof one === "string" ? [] : one)),
  erasedSubjects: [...(event.committed?.disclosed ?? [])].flatMap(([id, one]) => (one === "erased" ? [id] : [])),
});

const jsonText = (value: object | null): string => (value === null ? "" : JSON.stringify(value));

const time = <K extends string>(name: K, value: Date | null): { [name in K]?: Timestamp } =>
  value === null ? {} : ({ [name]: timestampFromDate(value) } as { [name in K]: Timestamp });

export const wireAgreementStatuses: Readonly<Record<AgreementStatus, WireAgreementStatus>> = {
  created: WireAgreementStatus.CREATED,
  sent: WireAgreementStatus.SENT,
  delivered: WireAgreementStatus.DELIVERED,
  completing: WireAgreementStatus.COMPLETING,
  completed: WireAgreementStatus.COMPLETED,
  declined: WireAgreementStatus.DECLINED,
  voided: WireAgreementStatus.VOIDED,
  expired: WireAgreementStatus.EXPIRED,
  template: WireAgreementStatus.TEMPLATE,
};

/** Undefined when the status is unspecified. */
export const agreementStatusFromWire = (status: WireAgreementStatus): AgreementStatus | undefined =>
  (Object.keys(wireAgreementStatuses) as AgreementStatus[]).find((name) => wireAgreementStatuses[name] === status);

export const wireRoles: Readonly<Record<RecipientRole, WireRole>> = {
  signer: WireRole.SIGNER,
  approver: WireRole.APPROVER,
  "carbon-copy": WireRole.CARBON_COPY,
  "certified-delivery": WireRole.CERTIFIED_DELIVERY,
  "in-person-signer": WireRole.IN_PERSON_SIGNER,
};

export const wireRecipientStatuses: Readonly<Record<RecipientStatus, WireRecipientStatus>> = {
  created: WireRecipientStatus.CREATED,
  sent: WireRecipientStatus.SENT,
  delivered: WireRecipientStatus.DELIVERED,
  completed: WireRecipientStatus.COMPLETED,
  declined: WireRecipientStatus.DECLINED,
};
