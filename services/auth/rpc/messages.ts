import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  ApiKeySchema,
  type ChangeSchema,
  OAuthClientKeySchema,
  OAuthClientSchema,
  OrganizationSchema,
  OrganizationSummarySchema,
  Plan as PlanMessage,
} from "#gen/assent/auth/v1/auth_pb.ts";
import {
  NoticeDelivery,
  type NoticeSettingsSchema,
  type NoticeSettings as SettingsMessage,
} from "#gen/assent/auth/v1/notices_pb.ts";
import { AuditEventSchema } from "#gen/assent/auth/v1/organization_pb.ts";
import {
  UserRole as RoleMessage,
  UserStatus as StatusMessage,
  UserSchema,
  UserSessionSchema,
} from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import { noticesText, parseNotices } from "../domain/notices.ts";
import type { Plan } from "../domain/organization.ts";
import type { User, UserRole, UserStatus } from "../domain/user.ts";
import type { StoredAuditEvent } from "../store/audit-store.ts";
import type { ChangeKind, StoredChange } from "../store/change-store.ts";
import type { OrganizationUse } from "../store/organization-store.ts";
import type { ApiKey, OAuthClient, OAuthClientKey, Organization } from "../store/orm.ts";
import type { StoredSession } from "../store/session-store.ts";

const plans = {
  gen_starter: PlanMessage.GEN_STARTER,
  gen_pro: PlanMessage.GEN_PRO,
  gen_hoa: PlanMessage.GEN_HOA,
  business: PlanMessage.BUSINESS,
  gen_payg: PlanMessage.GEN_PAYG,
} as const satisfies Record<Plan, PlanMessage>;

const planOf = nameReader(plans);

/** Throws VALIDATION_FAILED for a plan that does not exist. */
export function toPlan(message: PlanMessage): Plan {
  const plan = planOf(message);
  if (plan !== undefined) return plan;
  throw refusedField("plan", "UNKNOWN_PLAN", "must be a plan");
}

/** Throws NOT_FOUND for what cannot be the id of an organization. */
export function toOrgId(organizationId: string): OrgId {
  const orgId = parseOrgId(organizationId);
  if (orgId === undefined) throw organizationNotFound();
  return orgId;
}

export const organizationNotFound = (): DomainError =>
  new DomainError("NOT_FOUND", { message: "There is no organization with this id." });

export const apiKeyNotFound = (): DomainError =>
  new DomainError("NOT_FOUND", { message: "The organization has no API key with this id." });

export const clientNotFound = (): DomainError =>
  new DomainError("NOT_FOUND", { message: "The organization has no OAuth client with this id." });

export const clientKeyNotFound = (): DomainError =>
  new DomainError("NOT_FOUND", { message: "The OAuth client has no key with this id." });

const roles = {
  owner: RoleMessage.OWNER,
  developer: RoleMessage.DEVELOPER,
  viewer: RoleMessage.VIEWER,
} as const satisfies Record<UserRole, RoleMessage>;

const statuses = {
  invited: StatusMessage.INVITED,
  active: StatusMessage.ACTIVE,
  disabled: StatusMessage.DISABLED,
} as const satisfies Record<UserStatus, StatusMessage>;

const organizations = recordsOf(OrganizationSchema, { plan: plans });
const summaries = recordsOf(OrganizationSummarySchema);
const apiKeys = recordsOf(ApiKeySchema);
const clients = recordsOf(OAuthClientSchema);
const clientKeys = recordsOf(OAuthClientKeySchema);
const users = recordsOf(UserSchema, { role: roles, status: statuses });
const sessions = recordsOf(UserSessionSchema);
const auditEvents = recordsOf(AuditEventSchema);

export const toOrganizationMessage = (organization: Organization): MessageInitShape<typeof OrganizationSchema> =>
  organizations.write({
    ...organization,
    id: organization.organizationId,
    limits: {
      accept: organization.limitAccept ?? undefined,
      render: organization.limitRender ?? undefined,
      other: organization.limitOther ?? undefined,
      sign: organization.limitSign ?? undefined,
    },
    sharedLimits: {
      accept: organization.sharedAccept ?? undefined,
      render: organization.sharedRender ?? undefined,
      other: organization.sharedOther ?? undefined,
      sign: organization.sharedSign ?? undefined,
    },
  });

export const toSummaryMessage = (
  organization: OrganizationUse,
  use: Pick<MessageInitShape<typeof OrganizationSummarySchema>, "usedToday" | "usedIn30Days">,
): MessageInitShape<typeof OrganizationSummarySchema> => {
  const { keys, clients, users, lastUsedAt, lastLoginAt, closedAt } = organization;
  const closed = Boolean(closedAt);
  return summaries.write({
    ...{ ...use, organization: toOrganizationMessage(organization), closed },
    ...{ keys, clients, users, lastUsedAt, lastLoginAt },
  });
};

export const toApiKeyMessage = (key: ApiKey): MessageInitShape<typeof ApiKeySchema> =>
  apiKeys.write({ ...key, id: key.keyId });

export const toClientMessage = (client: OAuthClient): MessageInitShape<typeof OAuthClientSchema> =>
  clients.write({ ...client, id: client.clientId });

export const toClientKeyMessage = (key: OAuthClientKey): MessageInitShape<typeof OAuthClientKeySchema> => {
  const publicJwkJson = JSON.stringify(key.publicJwk, Object.keys(key.publicJwk).sort());
  return clientKeys.write({ ...key, id: key.keyId, publicJwkJson });
};

const changeCases = {
  token_revoked: "revokedTokenId",
  client_revoked: "revokedClientId",
  key_revoked: "revokedKeyId",
  organization_changed: "changedOrganizationId",
  session_changed: "changedSessionId",
  user_changed: "changedUserId",
} as const satisfies Record<ChangeKind, string>;

export const toChangeMessage = (change: StoredChange): MessageInitShape<typeof ChangeSchema> => ({
  cursor: change.cursor,
  subject: { case: changeCases[change.kind], value: change.subject },
});

const roleOf = nameReader(roles);

/** Throws VALIDATION_FAILED for a role that does not exist. */
export function toRole(message: RoleMessage): UserRole {
  const role = roleOf(message);
  if (role !== undefined) return role;
  throw refusedField("role", "UNKNOWN_ROLE", "must be owner, developer or viewer");
}

export const userNotFound = (): DomainError =>
  new DomainError("NOT_FOUND", { message: "The organization has no user with this id." });

export const sessionNotFound = (): DomainError =>
  new DomainError("NOT_FOUND", { message: "You have no session with this id." });

export const toUserMessage = ({ notices, ...user }: User): MessageInitShape<typeof UserSchema> => ({
  ...users.write({ ...user, organizationId: user.orgId, totpEnabled: user.totpEnabledAt !== null }),
  notices: toNoticesMessage(notices),
});

export const toSessionMessage = (session: StoredSession): MessageInitShape<typeof UserSessionSchema> =>
  sessions.write(session);

export const toAuditMessage = (event: StoredAuditEvent): MessageInitShape<typeof AuditEventSchema> =>
  auditEvents.write(event);

const deliveries = { immediate: NoticeDelivery.IMMEDIATE, daily: NoticeDelivery.DAILY } as const;

export function toNoticesMessage(text: string): MessageInitShape<typeof NoticeSettingsSchema> {
  const { delivery, ...flags } = parseNotices(text);
  return { ...flags, delivery: deliveries[delivery] };
}

export const noticesOf = (settings: SettingsMessage): string =>
  noticesText({ ...settings, delivery: settings.delivery === NoticeDelivery.DAILY ? "daily" : "immediate" });
