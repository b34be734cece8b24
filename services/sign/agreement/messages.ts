import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  AgreementSchema,
  AuditEventSchema,
  type CustomFieldSchema,
  DocumentSchema,
  PurgeSchema,
  RecipientSchema,
  AgreementStatus as WireAgreementStatus,
  RecipientStatus as WireRecipientStatus,
  RecipientRole as WireRole,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { tabMessage } from "../edit/tabs.ts";
import { assuranceLevels, checkMembers } from "../identity/messages.ts";
import type {
  Agreement,
  AgreementDocument,
  AgreementStatus,
  CustomField,
  Purge,
  RecipientRole,
  RecipientStatus,
} from "./agreement.ts";
import { type AuditEvent, publicPart } from "./audit-chain.ts";
import { workflowMessage } from "./workflow-message.ts";

export const wireAgreementStatuses = {
  created: WireAgreementStatus.CREATED,
  sent: WireAgreementStatus.SENT,
  delivered: WireAgreementStatus.DELIVERED,
  completing: WireAgreementStatus.COMPLETING,
  completed: WireAgreementStatus.COMPLETED,
  declined: WireAgreementStatus.DECLINED,
  voided: WireAgreementStatus.VOIDED,
  expired: WireAgreementStatus.EXPIRED,
  template: WireAgreementStatus.TEMPLATE,
} as const satisfies Record<AgreementStatus, WireAgreementStatus>;

/** Undefined when the status is unspecified. */
export const agreementStatusFromWire = nameReader(wireAgreementStatuses);

export const wireRoles = {
  signer: WireRole.SIGNER,
  approver: WireRole.APPROVER,
  "carbon-copy": WireRole.CARBON_COPY,
  "certified-delivery": WireRole.CERTIFIED_DELIVERY,
  "in-person-signer": WireRole.IN_PERSON_SIGNER,
} as const satisfies Record<RecipientRole, WireRole>;

export const wireRecipientStatuses = {
  created: WireRecipientStatus.CREATED,
  sent: WireRecipientStatus.SENT,
  delivered: WireRecipientStatus.DELIVERED,
  completed: WireRecipientStatus.COMPLETED,
  declined: WireRecipientStatus.DECLINED,
} as const satisfies Record<RecipientStatus, WireRecipientStatus>;

const agreements = recordsOf(AgreementSchema, { status: wireAgreementStatuses });
const purges = recordsOf(PurgeSchema);
const documents = recordsOf(DocumentSchema);
const recipients = recordsOf(RecipientSchema, {
  ...{ role: wireRoles, status: wireRecipientStatuses, assurance: assuranceLevels },
});
const auditEvents = recordsOf(AuditEventSchema, { agreementStatus: wireAgreementStatuses });

/** The API message of an agreement or template. */
export const agreementMessage = (
  agreement: Agreement,
  organizationId: string,
): MessageInitShape<typeof AgreementSchema> =>
  agreements.write({
    ...agreement,
    // What was only scheduled has been sent to nobody.
    sentAt: agreement.workflow?.paused?.reason === "scheduled" ? null : agreement.sentAt,
    organizationId,
    documents: agreement.documents.map(documentMessage),
    recipients: agreement.recipients.map((recipient) =>
      recipients.write({
        ...recipient,
        tabs: recipient.tabs.map(tabMessage),
        verification: [],
        ...(recipient.verification || recipient.deliveredAt !== null ? checkMembers(recipient) : {}),
        excludedDocuments: [...(recipient.excludedDocuments ?? [])],
      }),
    ),
    customFields: agreement.customFields.map(customFieldMessage),
    metadataJson: jsonText(agreement.metadata),
    subscriptionJson: jsonText(agreement.subscription),
    purge: agreement.purge && purgeMessage(agreement.purge),
    ...workflowMessage(agreement),
  });

const purgeMessage = ({ state, requestedAt, purgedAt }: Purge): MessageInitShape<typeof PurgeSchema> =>
  purges.write({ state, requestedAt: new Date(requestedAt), purgedAt: purgedAt === null ? null : new Date(purgedAt) });

/** The API message of a document; `index` starts at 0. */
const documentMessage = (document: AgreementDocument, index: number): MessageInitShape<typeof DocumentSchema> =>
  documents.write({ ...document, order: index + 1 });

const customFieldMessage = ({ kind, ...field }: CustomField): MessageInitShape<typeof CustomFieldSchema> => ({
  ...field,
  items: [...field.items],
  isList: kind === "list",
});

export const auditEventMessage = (
  agreementId: string,
  event: AuditEvent,
): MessageInitShape<typeof AuditEventSchema> => {
  const { id: actorId, name: actorName, email: actorEmail, source, ip, userAgent } = event.actor;
  const disclosed = [...(event.committed?.disclosed ?? [])];
  return auditEvents.write({
    ...event,
    ...{ source, actorId, actorName, actorEmail, ip, userAgent },
    detailsJson: jsonText(event.details),
    format: event.committed === undefined ? 1 : 2,
    publicJson: jsonText(publicPart(agreementId, event) ?? null),
    disclosures: disclosed.flatMap(([, values]) => (typeof values === "string" ? [] : values)),
    erasedSubjects: disclosed.flatMap(([id, values]) => (values === "erased" ? [id] : [])),
  });
};

const jsonText = (value: object | null): string => (value === null ? "" : JSON.stringify(value));
