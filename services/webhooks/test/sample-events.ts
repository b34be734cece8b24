import { create, type MessageInitShape, toJsonString } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type AuditAction, auditActions } from "#api/audit-actions.ts";
import { EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import { newId, type OrgId, parseOrgId } from "#platform/ids.ts";
import type { StoredEvent } from "../domain/delivery.ts";
import { publicTypeOf } from "../domain/event-types.ts";

export const orgId = parseOrgId("0198f3a1-7c00-7000-8000-000000000001") as OrgId;
export const ids = {
  template: "0198f3a1-7c00-7000-8000-000000000012",
  version: "0198f3a1-7c00-7000-8000-000000000013",
  session: "0198f3a1-7c00-7000-8000-000000000011",
  receipt: "0198f3a1-7c00-7000-8000-000000000010",
  agreement: "0198f3a1-7c00-7000-8000-000000000030",
  recipient: "0198f3a1-7c00-7000-8000-000000000031",
  document: "0198f3a1-7c00-7000-8000-000000000032",
  signTemplate: "0198f3a1-7c00-7000-8000-000000000040",
  generated: "0198f3a1-7c00-7000-8000-000000000050",
  user: "0198f3a1-7c00-7000-8000-000000000070",
  target: "0198f3a1-7c00-7000-8000-000000000072",
} as const;
export const occurredAt = new Date("2026-10-21T09:00:31.120Z");
const time = timestampFromDate(occurredAt);

type Payload = NonNullable<MessageInitShape<typeof EventSchema>["payload"]>;

const text = { templateId: ids.template, versionId: ids.version, revision: 3 };
const session = { sessionId: ids.session, ...text };
const version = { templateId: ids.template, versionId: ids.version, locale: "en" };
const change = {
  consentEventId: "0198f3a1-7c00-7000-8000-000000000020",
  userKey: new Uint8Array(16).fill(7),
  purpose: "marketing_email",
  receiptId: ids.receipt,
  ...text,
};
const agreement = { agreementId: ids.agreement, transactionId: "order-42", receivers: 0 };
const recipient = { agreementId: ids.agreement, recipientId: ids.recipient, role: "in-person-signer", receivers: 0 };
const generated = { documentId: ids.generated, templateId: ids.template, version: 3, batchId: "" };

const audited = (action: AuditAction, changes: Readonly<Record<string, string>> = {}) => ({
  ...{ action, outcome: auditActions[action].outcome },
  actor: { kind: "user", id: ids.user },
  target: { kind: auditActions[action].target, id: ids.target },
  changes: Object.entries(changes).map(([field, value]) => ({ field, value })),
});

/** One event of each subject. */
const approval = {
  ...{ ...version, contentHash: "sha256:00", textHash: "sha256:01" },
  ...{ by: "user:0198f3a1-7c00-7000-8000-000000000072", comment: "Section 3 is missing." },
};

const report = {
  ...{ campaignId: newId(), templateId: ids.template, dueAt: time },
  ...{ people: 12, unchecked: 0, asked: 9, accepted: 2, declined: 1, withdrawn: 0 },
};

const payloads: Readonly<Record<string, Payload>> = {
  "templates.version.published": {
    case: "versionPublished",
    value: { ...version, revision: 3, label: "2.0", contentHash: "sha256:00", requiresReacceptance: true },
  },
  "templates.version.unpublished": { case: "versionUnpublished", value: version },
  "templates.version.scheduled": {
    case: "versionScheduled",
    value: { ...version, publishAt: time, contentHash: "sha256:00", requiresReacceptance: true },
  },
  "templates.version.unscheduled": { case: "versionUnscheduled", value: { ...version, publishAt: time } },
  "templates.approval.requested": { case: "approvalRequested", value: approval },
  "templates.approval.granted": { case: "approvalGranted", value: approval },
  "templates.approval.refused": { case: "approvalRefused", value: approval },
  "templates.version.archived": { case: "versionArchived", value: version },
  "templates.template.archived": { case: "templateArchived", value: { templateId: ids.template } },
  "templates.template.restored": { case: "templateRestored", value: { templateId: ids.template } },
  "templates.template.removed": { case: "templateRemoved", value: { templateId: ids.template } },
  "click.session.created": { case: "sessionCreated", value: session },
  "click.session.presented": { case: "sessionPresented", value: session },
  "click.session.completed": { case: "sessionCompleted", value: { ...session, outcome: "ACCEPTED" } },
  "click.session.declined": { case: "sessionDeclined", value: session },
  "click.session.expired": { case: "sessionExpired", value: { ...session, expiresAt: time } },
  "click.session.cancelled": { case: "sessionCancelled", value: session },
  "click.acceptance.recorded": {
    case: "acceptanceRecorded",
    value: { ...session, receiptId: ids.receipt, decision: "ACCEPT", acceptedAt: time, userKey: new Uint8Array(16) },
  },
  "click.consent.granted": { case: "consentGranted", value: { ...change, expiresAt: time, renewed: true } },
  "click.consent.denied": { case: "consentDenied", value: change },
  "click.consent.withdrawn": { case: "consentWithdrawn", value: change },
  "click.consent.expired": { case: "consentExpired", value: { ...change, expiresAt: time } },
  "click.reacceptance.required": { case: "reacceptanceRequired", value: { ...version, revision: 3, label: "2.0" } },
  "click.user.erased": {
    case: "userErased",
    value: { erasureId: newId(), receiptIds: [ids.receipt], restrictedReceiptIds: [], sessionIds: [ids.session] },
  },
  "click.campaign.started": { case: "campaignStarted", value: report },
  "click.campaign.reminder": { case: "campaignReminder", value: { ...report, reminders: 1 } },
  "click.campaign.ended": { case: "campaignEnded", value: { ...report, reminders: 2 } },
  "click.campaign.cancelled": { case: "campaignCancelled", value: report },
  "click.anchor.published": {
    case: "anchorPublished",
    value: { checkpoint: "log\n1\n", anchorIndex: 17n, anchorCheckpoint: "anchor\n18\n" },
  },
  "docgen.document.completed": {
    case: "documentCompleted",
    value: { ...generated, pages: 4, bytes: 37_920n, sha256: "9f" },
  },
  "docgen.document.failed": { case: "documentFailed", value: { ...generated, errorCode: "GEN_RENDER_FAILED" } },
  "docgen.batch.completed": {
    case: "batchCompleted",
    value: { batchId: newId(), status: "completed", total: 3, completed: 2, failed: 1, cancelled: 0 },
  },
  "sign.agreement.created": { case: "agreementCreated", value: agreement },
  "sign.agreement.modified": { case: "agreementModified", value: agreement },
  "sign.agreement.sent": { case: "agreementSent", value: agreement },
  "sign.agreement.corrected": { case: "agreementCorrected", value: agreement },
  "sign.agreement.resent": { case: "agreementResent", value: agreement },
  "sign.agreement.delivered": { case: "agreementDelivered", value: agreement },
  "sign.agreement.completed": { case: "agreementCompleted", value: agreement },
  "sign.agreement.declined": {
    case: "agreementDeclined",
    value: { ...agreement, recipientId: ids.recipient },
  },
  "sign.agreement.voided": { case: "agreementVoided", value: agreement },
  "sign.agreement.expired": { case: "agreementExpired", value: agreement },
  "sign.agreement.purged": { case: "agreementPurged", value: agreement },
  "sign.agreement.deleted": { case: "agreementDeleted", value: agreement },
  "sign.recipient.sent": { case: "recipientSent", value: recipient },
  "sign.recipient.delivered": { case: "recipientDelivered", value: recipient },
  "sign.recipient.completed": { case: "recipientCompleted", value: recipient },
  "sign.recipient.declined": { case: "recipientDeclined", value: recipient },
  "sign.recipient.left": { case: "recipientLeft", value: recipient },
  "sign.recipient.undelivered": { case: "recipientUndelivered", value: recipient },
  "sign.recipient.locked": { case: "recipientLocked", value: recipient },
  "sign.document.completed": {
    case: "agreementDocumentCompleted",
    value: { agreementId: ids.agreement, documentId: ids.document, sha256: "2c" },
  },
  "sign.template.created": { case: "signTemplateCreated", value: { templateId: ids.signTemplate } },
  "sign.template.modified": { case: "signTemplateModified", value: { templateId: ids.signTemplate } },
  "sign.template.deleted": { case: "signTemplateDeleted", value: { templateId: ids.signTemplate } },
  "webhooks.endpoint.disabled": {
    case: "endpointDisabled",
    value: { endpointId: newId(), reason: "GONE", host: "hooks.example.com" },
  },
  "auth.export.ended": {
    case: "exportEnded",
    value: { exportId: newId(), kind: "acceptances", status: "completed", format: "csv", parts: 1, bytes: 9n },
  },
  "webhooks.webhook.test": { case: undefined },
  "audit.authentication": {
    case: "auditedAuthentication",
    value: audited("login.failed", { factor: "password" }),
  },
  "audit.account": { case: "auditedAccount", value: audited("user.updated", { name: "", role: "owner" }) },
  "audit.credential": { case: "auditedCredential", value: audited("api-key.created") },
  "audit.organization": { case: "auditedOrganization", value: audited("organization.renamed", { name: "" }) },
  "audit.integration": { case: "auditedIntegration", value: audited("endpoint.updated", { url: "" }) },
  "audit.privacy": { case: "auditedPrivacy", value: audited("restricted.opened") },
  "audit.template": { case: "auditedTemplate", value: audited("draft.saved", { content: "" }) },
};

/** An event as it was stored. */
export function storedEvent(subject: string, changes: object = {}): StoredEvent {
  const payload = payloads[subject.replace("assent.", "")];
  if (payload === undefined) throw new Error(`there is no sample of ${subject}`);
  const id = newId();
  const changed = payload.case === undefined ? payload : { ...payload, value: { ...payload.value, ...changes } };
  const event = create(EventSchema, {
    ...{ id, subject, organizationId: orgId, occurredAt: time, aggregateId: aggregateOf(payload) },
    ...{ requestId: "request-7", traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    payload: changed as Payload,
  });
  return { id, type: publicTypeOf(subject) ?? "", data: toJsonString(EventSchema, event), occurredAt };
}

/** As the services name them: the agreement, also for what belongs to one. */
function aggregateOf({ value }: Payload): string {
  const named = (value ?? {}) as Readonly<Record<string, unknown>>;
  return String(named.agreementId ?? named.templateId ?? orgId);
}
