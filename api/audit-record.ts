import type { AuditedJson } from "#gen/assent/events/v1/events_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { type EventContext, type EventPayload, type OutboxRecord, outboxRecord } from "#platform/outbox/outbox.ts";
import { type AuditAction, type AuditFamily, auditActions, auditSubject } from "./audit-actions.ts";

export interface AuditParty {
  readonly kind: string;
  readonly id: string;
}

export interface Audited {
  readonly action: AuditAction;
  readonly actor: AuditParty;
  /** Its kind follows from the action. */
  readonly targetId: string;
  /** The fields that were set, with their values: most of these stay here. */
  readonly changes?: Readonly<Record<string, unknown>> | undefined;
}

/** Fields whose values say nothing about a person. */
const openFields: ReadonlySet<string> = new Set([
  ...["role", "status", "factor", "method", "count", "mail", "plan", "enabled", "auditFormat", "reason"],
  ...["every", "paused", "schedule"],
  ...["kind", "purge", "publishAt", "fourEyes", "textHash"],
  ...["legalHold", "retentionDays"],
  ...["limitAccept", "limitRender", "limitOther", "limitSign"],
]);

const payloads = {
  authentication: (audited) => ({ auditedAuthentication: audited }),
  account: (audited) => ({ auditedAccount: audited }),
  credential: (audited) => ({ auditedCredential: audited }),
  organization: (audited) => ({ auditedOrganization: audited }),
  integration: (audited) => ({ auditedIntegration: audited }),
  privacy: (audited) => ({ auditedPrivacy: audited }),
  template: (audited) => ({ auditedTemplate: audited }),
} as const satisfies Record<AuditFamily, (audited: AuditedJson) => EventPayload>;

/** The event of an administrative act. Names people by their ids, and of what was set the fields. */
export function auditRecord(context: EventContext, { action, actor, targetId, changes = {} }: Audited): OutboxRecord {
  const { family, target, outcome } = auditActions[action];
  const audited = {
    ...{ action, actor: { ...actor }, target: { kind: target, id: targetId }, outcome },
    changes: Object.entries(changes).map(([field, value]) => ({
      ...{ field, value: openFields.has(field) ? String(value) : "" },
    })),
  };
  return outboxRecord(context, auditSubject(action), targetId, payloads[family](audited));
}

const userPrefix = "user:";

/** Who calls, as the metadata says: a user of the dashboard, an API key or an OAuth client; without one, the system. */
export function auditActor({ clientId }: Pick<Caller, "clientId">): AuditParty {
  if (clientId === "") return { kind: "system", id: "" };
  if (clientId.startsWith(userPrefix)) return { kind: "user", id: clientId.slice(userPrefix.length) };
  return { kind: "client", id: clientId };
}
