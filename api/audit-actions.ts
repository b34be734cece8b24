import type { AuditedJson } from "#gen/assent/events/v1/events_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { type EventContext, type EventPayload, type OutboxRecord, outboxRecord } from "#platform/outbox/outbox.ts";

/** The kinds of events of the audit trail: each is a type that a webhook may ask for, `assent.audit.<family>`. */
export const auditFamilies = {
  authentication: "Someone has signed in or out, or has failed to.",
  account: "A dashboard user was invited or changed: role, password or two-factor authentication.",
  credential: "An API key or OAuth client was created, changed or revoked.",
  organization: "A setting, the plan or a limit of the organization was changed.",
  integration:
    "A webhook endpoint, a configuration of the compatible interface, or their signing secrets were changed.",
  privacy: "Records of a person were erased, restricted ones opened, or the rules for keeping them changed.",
  template:
    "The next text of a click template was saved or discarded; its publication is an event of its own. Or its approval was asked for, given or refused, or people are asked for their acceptance by a campaign.",
} as const;
export type AuditFamily = keyof typeof auditFamilies;

/** What the action is in OCSF: a class and an activity of it, by their names there. */
export type OcsfActivity =
  | `authentication ${"logon" | "logoff"}`
  | `account ${"create" | "enable" | "password change" | "password reset" | "delete" | "lock" | "MFA enable" | "MFA disable" | "other"}`
  | `entity ${"create" | "read" | "update" | "delete"}`;

interface AuditActionInfo {
  readonly family: AuditFamily;
  /** What it is done to. */
  readonly target: string;
  readonly outcome: "SUCCESS" | "FAILURE";
  readonly description: string;
  readonly ocsf: OcsfActivity;
}

const done =
  (family: AuditFamily, target: string) =>
  (ocsf: OcsfActivity, description: string): AuditActionInfo => ({
    ...{ family, target, outcome: "SUCCESS", description, ocsf },
  });
const failed = (info: AuditActionInfo): AuditActionInfo => ({ ...info, outcome: "FAILURE" });

const login = done("authentication", "user");
const user = done("account", "user");
const passkey = done("account", "passkey");
const key = done("credential", "api-key");
const client = done("credential", "client");
const clientKey = done("credential", "client-key");
const organization = done("organization", "organization");
const endpoint = done("integration", "webhook-endpoint");
const connect = done("integration", "connect-configuration");
const brand = done("organization", "brand");
const senderDomain = done("organization", "sender-domain");
const pageHost = done("organization", "page-host");
const exportSchedule = done("privacy", "export-schedule");
const campaign = done("template", "campaign");
const connectKey = done("integration", "connect-key");

/** Everything that is written down as an administrative act. The names are part of the public API. */
export const auditActions = {
  "login.succeeded": login("authentication logon", "A person has signed in."),
  "login.failed": failed(login("authentication logon", "A password or a code was wrong.")),
  "login.locked": login("account lock", "After too many failures, an account was locked for a while."),
  logout: login("authentication logoff", "A person has signed out."),
  "session.revoked": done("authentication", "session")("authentication logoff", "Someone ended one of their sessions."),
  "sessions.revoked": login("authentication logoff", "Someone ended all their other sessions."),
  "password.changed": user("account password change", "Someone changed their password."),
  "password.reset": user("account password reset", "Someone set a new password with a link."),
  "password.reset-requested": user("account password reset", "Someone has asked for a link to set a new password."),
  "totp.enabled": user("account MFA enable", "Someone turned on two-factor authentication."),
  "totp.disabled": user("account MFA disable", "Someone turned off two-factor authentication."),
  "recovery-codes.replaced": user("account other", "Someone replaced their recovery codes."),
  "passkey.added": passkey("account MFA enable", "Someone added a passkey."),
  "passkey.removed": passkey("account MFA disable", "Someone removed a passkey."),
  "passkey.copied": failed(
    passkey("account other", "A passkey was refused because its counter went back: it may have been copied."),
  ),
  "user.invited": user("account create", "A person was invited."),
  "user.invited-again": user("account other", "An invitation was sent again."),
  "user.created": user("account create", "The operator has created an owner."),
  "user.accepted": user("account enable", "Someone accepted an invitation."),
  "identity.linked": user("account other", "Someone signed in with the identity provider for the first time."),
  "user.updated": user("account other", "A user was changed: role, status or settings."),
  "user.removed": user("account delete", "A user was removed."),
  "mail.failed": failed(user("account other", "An email about an account couldn't be delivered.")),
  "organization.renamed": organization("entity update", "The organization was renamed."),
  "organization.updated": organization(
    "entity update",
    "Settings, the plan or limits of the organization were changed.",
  ),
  "organization.deletion-requested": organization(
    "entity update",
    "The operator has asked for the organization to be deleted; it comes in seven days.",
  ),
  "organization.deletion-withdrawn": organization("entity update", "The organization is not deleted after all."),
  "organization.suspended": organization(
    "entity update",
    "The operator has suspended the organization: it can only read.",
  ),
  "organization.resumed": organization("entity update", "The operator has ended the suspension of the organization."),
  "api-key.created": key("entity create", "An API key was created."),
  "api-key.revoked": key("entity delete", "An API key was revoked."),
  "client.created": client("entity create", "An OAuth client was created."),
  "client.secret-rotated": client("entity update", "The secret of an OAuth client was replaced."),
  "client.revoked": client("entity delete", "An OAuth client was revoked."),
  "client-key.added": clientKey("entity create", "A public key was added to an OAuth client."),
  "client-key.revoked": clientKey("entity delete", "A public key of an OAuth client was revoked."),
  "endpoint.created": endpoint("entity create", "A webhook endpoint was registered."),
  "endpoint.updated": endpoint("entity update", "A webhook endpoint was changed."),
  "endpoint.secret-rotated": endpoint("entity update", "The secret of a webhook endpoint was rotated."),
  "endpoint.deleted": endpoint("entity delete", "A webhook endpoint was deleted."),
  "connect.created": connect("entity create", "A configuration of the compatible interface was stored."),
  "connect.updated": connect("entity update", "A configuration of the compatible interface was changed."),
  "connect.deleted": connect("entity delete", "A configuration of the compatible interface was deleted."),
  "connect-key.created": connectKey("entity create", "A key that signs messages of the compatible interface was made."),
  "connect-key.deleted": connectKey(
    "entity delete",
    "A key that signs messages of the compatible interface was deleted.",
  ),
  "retention.changed": done("privacy", "organization")(
    "entity update",
    "Retention periods were changed; a shorter period takes effect in seven days.",
  ),
  "template-retention.changed": done("privacy", "template")(
    "entity update",
    "How long agreements made from a template are kept was changed; a shorter period comes in seven days.",
  ),
  "file-search.changed": done("privacy", "organization")(
    "entity update",
    "Finding agreements by the words of their files was turned on or off.",
  ),
  "hold.set": done("privacy", "legal-hold")("entity create", "A legal hold was set."),
  "hold.lifted": done("privacy", "legal-hold")("entity delete", "A legal hold was lifted."),
  "purge.requested": done("privacy", "agreement")(
    "entity update",
    "Someone has asked for the files of an agreement to be deleted in 14 days.",
  ),
  "purge.withdrawn": done("privacy", "agreement")(
    "entity update",
    "The files of an agreement are not deleted after all.",
  ),
  "agreement.purged": done("privacy", "agreement")("entity delete", "The files of an agreement were deleted."),
  "agreement.deleted": done("privacy", "agreement")(
    "entity delete",
    "An agreement was deleted because its retention period ended.",
  ),
  "records.deleted": done("privacy", "record-removal")(
    "entity delete",
    "Acceptances, documents, webhook deliveries or audit trail entries were deleted because their retention period ended.",
  ),
  "person.erased": done("privacy", "erasure")(
    "entity delete",
    "Records of a person were erased or restricted; those whose retention is over are erased by the system.",
  ),
  "person.sought": done("privacy", "erasure")(
    "entity read",
    "A dry run reported what an erasure of a person would do.",
  ),
  "export.requested": done("privacy", "export")(
    "entity create",
    "An export of a person's data, of the organization or of acceptances was requested.",
  ),
  "export-schedule.created": exportSchedule("entity create", "Scheduled exports of acceptances were asked for."),
  "export-schedule.updated": exportSchedule("entity update", "Scheduled exports were changed, paused, or resumed."),
  "export-schedule.deleted": exportSchedule("entity delete", "Scheduled exports were ended."),
  "export.downloaded": done("privacy", "export")("entity read", "An export was downloaded."),
  "template.policy-changed": done("privacy", "template")(
    "entity update",
    "The rules of a click template were changed, such as how long records are kept, or a legal hold.",
  ),
  "draft.saved": done("template", "version")("entity update", "The next text of a version was saved."),
  "draft.discarded": done("template", "version")("entity delete", "The next text of a version was discarded."),
  "publication.scheduled": done("template", "version")(
    "entity update",
    "The publication of a version was scheduled, or put to another time.",
  ),
  "publication.cancelled": done("template", "version")(
    "entity update",
    "A scheduled publication was canceled, or the version was published, unpublished or archived before.",
  ),
  "approval.requested": done("template", "version")("entity update", "The approval of a text was asked for."),
  "approval.granted": done("template", "version")("entity update", "Someone approved a text that others wrote."),
  "approval.refused": done("template", "version")("entity update", "Someone refused a text that others wrote."),
  "campaign.created": campaign("entity create", "A campaign was created as a draft."),
  "campaign.updated": campaign("entity update", "The name, the date or the reminders of a campaign were changed."),
  "campaign.people-added": campaign("entity update", "People were added to a campaign."),
  "campaign.people-removed": campaign("entity update", "A person was removed from a campaign."),
  "campaign.started": campaign("entity update", "A campaign was started."),
  "campaign.cancelled": campaign("entity update", "A campaign was cancelled."),
  "campaign.deleted": campaign("entity delete", "The draft of a campaign was deleted."),
  "template.settings-changed": done("template", "template")(
    "entity update",
    "While texts need an approval, a person has changed what the published ones are shown with, or has restored them.",
  ),
  "publication-rules.changed": organization(
    "entity update",
    "The rule that a second person approves every text before publication was changed.",
  ),
  "brand.created": brand("entity create", "A brand was created."),
  "brand.changed": brand("entity update", "A brand or its images were changed."),
  "brand.deleted": brand("entity delete", "A brand was deleted. Everything that used it gets the default brand."),
  "sender-domain.created": senderDomain("entity create", "A domain was added that mails are to come from."),
  "sender-domain.verified": senderDomain("entity update", "The records of a sender domain were found."),
  "sender-domain.lost": senderDomain(
    "entity update",
    "Records of a verified sender domain were gone; mails no longer come from it.",
  ),
  "sender-domain.deleted": senderDomain("entity delete", "A sender domain was deleted."),
  "page-host.created": pageHost("entity create", "A host name was added that pages are to be at."),
  "page-host.verified": pageHost("entity update", "The record of a page host was found."),
  "page-host.lost": pageHost(
    "entity update",
    "The record of a verified page host was gone; emails no longer link to it.",
  ),
  "page-host.deleted": pageHost("entity delete", "A page host was deleted."),
  "restricted.opened": done("privacy", "session")("entity read", "Someone has opened restricted records."),
} as const satisfies Readonly<Record<string, AuditActionInfo>>;

export type AuditAction = keyof typeof auditActions;

export const auditSubject = (action: AuditAction): string => `assent.audit.${auditActions[action].family}`;

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
