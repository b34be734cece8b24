import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AuditAction, auditActions, type OcsfActivity } from "#api/audit-actions.ts";
import type { Audited, AuditParty, Event } from "#gen/assent/events/v1/events_pb.ts";
import { type DataMakers, textOrNull } from "./lookups.ts";

// Classes of version 1.5.0 of the Open Cybersecurity Schema Framework, all of the category Identity & Access Management.
const version = "1.5.0";
const category = { category_uid: 3, category_name: "Identity & Access Management" };

const classes = {
  account: { class_uid: 3001, class_name: "Account Change" },
  authentication: { class_uid: 3002, class_name: "Authentication" },
  entity: { class_uid: 3004, class_name: "Entity Management" },
} as const;

interface Activity {
  readonly of: keyof typeof classes;
  readonly id: number;
  readonly name: string;
}

const activities: Readonly<Record<OcsfActivity | "account disable", Activity>> = {
  "account create": { of: "account", id: 1, name: "Create" },
  "account enable": { of: "account", id: 2, name: "Enable" },
  "account password change": { of: "account", id: 3, name: "Password Change" },
  "account password reset": { of: "account", id: 4, name: "Password Reset" },
  "account disable": { of: "account", id: 5, name: "Disable" },
  "account delete": { of: "account", id: 6, name: "Delete" },
  "account lock": { of: "account", id: 9, name: "Lock" },
  "account MFA enable": { of: "account", id: 10, name: "MFA Factor Enable" },
  "account MFA disable": { of: "account", id: 11, name: "MFA Factor Disable" },
  "account other": { of: "account", id: 99, name: "Other" },
  "authentication logon": { of: "authentication", id: 1, name: "Logon" },
  "authentication logoff": { of: "authentication", id: 2, name: "Logoff" },
  "entity create": { of: "entity", id: 1, name: "Create" },
  "entity read": { of: "entity", id: 2, name: "Read" },
  "entity update": { of: "entity", id: 3, name: "Update" },
  "entity delete": { of: "entity", id: 4, name: "Delete" },
};

/** The event as a class of OCSF. What that has no place for is in `unmapped`. */
export function ocsfOf(event: Event, audited: Audited): object {
  const { of, id, name } = activityOf(audited);
  const isSuccess = audited.outcome === "SUCCESS";
  const isGrave = audited.action === "login.locked";
  const { action, changes, target } = auditData(audited, event);
  return {
    ...{ activity_id: id, activity_name: name, ...category, ...classes[of] },
    type_uid: classes[of].class_uid * 100 + id,
    type_name: `${classes[of].class_name}: ${name}`,
    time: event.occurredAt === undefined ? 0 : timestampMs(event.occurredAt),
    ...(isGrave ? { severity_id: 3, severity: "Medium" } : severities[isSuccess ? "success" : "failure"]),
    ...(isSuccess ? { status_id: 1, status: "Success" } : { status_id: 2, status: "Failure" }),
    message: isKnown(action) ? auditActions[action].description : action,
    metadata: {
      version,
      product: { name: "Assent", vendor_name: "Assent" },
      ...{ uid: event.id, event_code: action, log_name: "audit", tenant_uid: event.organizationId },
      ...(event.requestId === "" ? {} : { correlation_uid: event.requestId }),
    },
    actor: actorOf(audited.actor),
    ...objectOf(of, audited),
    unmapped: { target, changes },
  };
}

const severities = {
  success: { severity_id: 1, severity: "Informational" },
  failure: { severity_id: 2, severity: "Low" },
} as const;

/** An action that a later version has added is a change of something. */
function activityOf({ action, changes }: Audited): Activity {
  if (!isKnown(action)) return { of: "entity", id: 99, name: "Other" };
  const status = action === "user.updated" ? changes.find(({ field }) => field === "status")?.value : undefined;
  if (status === "disabled") return activities["account disable"];
  return activities[status === "active" ? "account enable" : auditActions[action].ocsf];
}

const isKnown = (action: string): action is AuditAction => Object.hasOwn(auditActions, action);

const userTypes: Readonly<Record<string, { readonly type_id: number; readonly type: string }>> = {
  user: { type_id: 1, type: "User" },
  operator: { type_id: 2, type: "Admin" },
  system: { type_id: 3, type: "System" },
  client: { type_id: 4, type: "Service" },
};

function actorOf(party: AuditParty | undefined): object {
  const { kind = "", id = "" } = party ?? {};
  return { user: { uid: id || kind, ...(userTypes[kind] ?? { type_id: 0, type: "Unknown" }) } };
}

/** Those of accounts and logins are about a user: whose session it is where that is what was ended. */
function objectOf(of: Activity["of"], { actor, target }: Audited): object {
  const { kind = "", id = "" } = target ?? {};
  if (of === "entity") return { entity: { uid: id, type: kind } };
  const user = actorOf(kind === "user" ? target : actor);
  return of === "authentication" ? { ...user, service: { name: "Assent" } } : user;
}

type AuditCase =
  `audited${"Authentication" | "Account" | "Credential" | "Organization" | "Integration" | "Privacy" | "Template"}`;

/** These events say all there is to say, and nothing that tells who a person is. */
const auditData = (audited: Audited, { requestId }: Event) => ({
  action: audited.action,
  ...{ actor: partyOf(audited.actor), target: partyOf(audited.target), outcome: audited.outcome },
  changes: audited.changes.map(({ field, value }) => ({ field, value: textOrNull(value) })),
  requestId: textOrNull(requestId),
});

const partyOf = (party: AuditParty | undefined) => ({ kind: party?.kind ?? "", id: textOrNull(party?.id) });

const told = (audited: Audited, _lookups: unknown, event: Event) => ({ audit: auditData(audited, event) });

export const auditMakers: DataMakers<AuditCase> = {
  auditedAuthentication: told,
  auditedAccount: told,
  auditedCredential: told,
  auditedOrganization: told,
  auditedIntegration: told,
  auditedPrivacy: told,
  auditedTemplate: told,
};
