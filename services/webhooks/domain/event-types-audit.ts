import { type AuditAction, auditActions, auditFamilies, auditSubject } from "#api/audit-actions.ts";
import type { EventTypeInfo } from "./problems.ts";

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
