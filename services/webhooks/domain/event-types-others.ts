import { type AuditAction, auditActions, auditFamilies, auditSubject } from "#api/audit-actions.ts";
import type { EventTypeInfo } from "./problems.ts";

const receiptId = "0198f3a1-7c00-7000-8000-000000000010";
const sessionId = "0198f3a1-7c00-7000-8000-000000000011";
const logId = "0198f3a1-7c00-7000-8000-000000000001";

/** A receipt as it is read, for examples. */
export const receiptExample = {
  receiptId,
  status: "RECORDED",
  decision: "ACCEPT",
  organizationId: logId,
  sessionId,
  userRef: "user-1042",
  templateId: "0198f3a1-7c00-7000-8000-000000000012",
  templateSlug: "newsletter",
  templateName: "Newsletter",
  templateType: "CONSENT",
  versionId: "0198f3a1-7c00-7000-8000-000000000013",
  revision: 3,
  versionLabel: "2.0",
  locale: "en",
  contentHash: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  renderHash: null,
  deploymentId: null,
  action: "CHECKBOX_AND_BUTTON",
  assertedBy: "BACKEND",
  purposes: [{ purpose: "marketing_email", granted: true }] as const,
  acceptedAt: "2026-10-21T09:00:31.000Z",
  clientAcceptedAt: null,
  expiresAt: null,
  reacceptBy: null,
  superseded: false,
  verification: [],
  policy: {
    hash: "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    satisfied: true,
  },
  idempotencyKey: "order-42",
  evidenceUrl: `/v1/click/evidence/${sessionId}`,
  erased: false,
  restricted: false,
  log: {
    logId,
    origin: `assent.example.com/log/${logId}`,
    leafIndex: 1234,
    leafHash: "sha256:fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
    integrateBy: "2026-10-21T09:01:31.000Z",
  },
  signature: { alg: "EdDSA", kid: "receipt-1", jws: "eyJhbGciOiJFZERTQSJ9.eyJyaWQiOiIuLi4ifQ.c2lnbmF0dXJl" },
};

export const testEventType = "webhook.test";
/** Never on the bus. */
export const testEventSubject = "assent.webhooks.webhook.test";
export const testData = { message: "This is a test. Nothing has happened." };

export const webhooksEvents: readonly EventTypeInfo[] = [
  {
    type: "endpoint.disabled",
    subject: "assent.webhooks.endpoint.disabled",
    description: "An endpoint was disabled because it responded with 410 or failed for five days.",
    example: { endpoint: { id: "0198f3a1-7c00-7000-8000-000000000060", enabled: false, disabledReason: "FAILING" } },
  },
  {
    type: testEventType,
    subject: testEventSubject,
    description: "A test event that someone requested. It goes only to that endpoint, whatever types it subscribes to.",
    example: testData,
  },
];

/** Asks for every type of the audit trail, also those of later versions. */
export const allAuditTypes = "assent.audit.*";

/** Who asks for all events is not told of these: they are for those who watch over the organization. */
export const isAuditType = (type: string): boolean => type.startsWith("assent.audit.");

interface ExampleChange {
  readonly field: string;
  readonly value: string | null;
}

const example = (action: AuditAction, targetId: string, changes: readonly ExampleChange[] = []): EventTypeInfo => {
  const { family, target, outcome } = auditActions[action];
  return {
    ...{ type: auditSubject(action), subject: auditSubject(action), description: auditFamilies[family] },
    example: {
      audit: {
        action,
        actor: { kind: "user", id: "0198f3a1-7c00-7000-8000-000000000070" },
        target: { kind: target, id: targetId },
        ...{ outcome, changes },
        requestId: "0198f3a1-7c00-7000-8000-000000000071",
      },
    },
  };
};

const userId = "0198f3a1-7c00-7000-8000-000000000072";

export const auditEvents: readonly EventTypeInfo[] = [
  example("login.failed", userId, [{ field: "factor", value: "password" }]),
  example("user.updated", userId, [
    { field: "name", value: null },
    { field: "role", value: "owner" },
  ]),
  example("api-key.created", "0123456789abcdef"),
  example("organization.updated", "0198f3a1-7c00-7000-8000-000000000001", [{ field: "locale", value: null }]),
  example("endpoint.updated", "0198f3a1-7c00-7000-8000-000000000060", [{ field: "enabled", value: "false" }]),
  example("person.erased", "0198f3a1-7c00-7000-8000-000000000021", [
    { field: "reason", value: "DATA_SUBJECT_REQUEST" },
  ]),
  example("draft.saved", "0198f3a1-7c00-7000-8000-000000000011", [{ field: "content", value: null }]),
];
