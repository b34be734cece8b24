import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { recordsOf } from "#api/records.ts";
import {
  ApiKeySchema,
  type ChangeSchema,
  OAuthClientKeySchema,
  OAuthClientSchema,
  type OrganizationSchema,
  type OrganizationSummarySchema,
  Plan as PlanMessage,
} from "#gen/assent/auth/v1/auth_pb.ts";
import type { AuditEventSchema } from "#gen/assent/auth/v1/organization_pb.ts";
import {
  UserRole as RoleMessage,
  UserStatus as StatusMessage,
  type UserSchema,
  type UserSessionSchema,
} from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import type { Plan } from "../domain/organization.ts";
import type { User, UserRole, UserStatus } from "../domain/user.ts";
import type { StoredAuditEvent } from "../store/audit-store.ts";
import type { ChangeKind, StoredChange } from "../store/change-store.ts";
import type { OrganizationUse } from "../store/organization-store.ts";
import type { ApiKey, OAuthClient, OAuthClientKey, Organization } from "../store/orm.ts";
import type { StoredSession } from "../store/session-store.ts";

const planMessages: Readonly<Record<Plan, PlanMessage>> = {
  gen_starter: PlanMessage.GEN_STARTER,
  gen_pro: PlanMessage.GEN_PRO,
  gen_hoa: PlanMessage.GEN_HOA,
  business: PlanMessage.BUSINESS,
  gen_payg: PlanMessage.GEN_PAYG,
};

/** Throws VALIDATION_FAILED for a plan that does not exist. */
export function toPlan(message: PlanMessage): Plan {
  for (const [plan, candidate] of Object.entries(planMessages)) {
    if (candidate === message) return plan as Plan;
  }
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

export const toOrganizationMessage = (organization: Organization): MessageInitShape<typeof OrganizationSchema> => ({
  id: organization.organizationId,
  name: organization.name,
  plan: planMessages[organization.plan],
  sandbox: organization.sandbox,
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
  maxCredentials: organization.maxCredentials ?? undefined,
  ...(organization.suspendedAt ? { suspendedAt: timestampFromDate(organization.suspendedAt) } : {}),
  suspensionReason: organization.suspensionReason ?? "",
  locale: organization.locale,
  timeZone: organization.timeZone,
  createdAt: timestampFromDate(organization.createdAt),
});

export const toSummaryMessage = (
  { lastUsedAt, lastLoginAt, ...organization }: OrganizationUse,
  use: Pick<MessageInitShape<typeof OrganizationSummarySchema>, "usedToday" | "usedIn30Days">,
): MessageInitShape<typeof OrganizationSummarySchema> => ({
  ...use,
  organization: toOrganizationMessage(organization),
  ...{ keys: organization.keys, clients: organization.clients, users: organization.users },
  closed: Boolean(organization.closedAt),
  ...(lastUsedAt ? { lastUsedAt: timestampFromDate(lastUsedAt) } : {}),
  ...(lastLoginAt === null ? {} : { lastLoginAt: timestampFromDate(lastLoginAt) }),
});

const apiKeys = recordsOf(ApiKeySchema, {});
const clients = recordsOf(OAuthClientSchema, {});
const clientKeys = recordsOf(OAuthClientKeySchema, {});

export const toApiKeyMessage = (key: ApiKey): MessageInitShape<typeof ApiKeySchema> => {
  const { keyId: id, organizationId, name, createdAt, revokedAt, lastUsedAt } = key;
  return apiKeys.write({ id, organizationId, name, createdAt, revokedAt, lastUsedAt });
};

export const toClientMessage = (client: OAuthClient): MessageInitShape<typeof OAuthClientSchema> => {
  const { clientId: id, organizationId, name, scopes, createdAt, revokedAt, lastUsedAt } = client;
  return clients.write({ id, organizationId, name, scopes, createdAt, revokedAt, lastUsedAt });
};

export const toClientKeyMessage = (key: OAuthClientKey): MessageInitShape<typeof OAuthClientKeySchema> => {
  const { keyId: id, clientId, algorithm, publicJwk, createdAt, revokedAt } = key;
  const publicJwkJson = JSON.stringify(publicJwk, Object.keys(publicJwk).sort());
  return clientKeys.write({ id, clientId, algorithm, publicJwkJson, createdAt, revokedAt });
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

const roleMessages: Readonly<Record<UserRole, RoleMessage>> = {
  owner: RoleMessage.OWNER,
  developer: RoleMessage.DEVELOPER,
  viewer: RoleMessage.VIEWER,
};

const statusMessages: Readonly<Record<UserStatus, StatusMessage>> = {
  invited: StatusMessage.INVITED,
  active: StatusMessage.ACTIVE,
  disabled: StatusMessage.DISABLED,
};

const roles = new Map(Object.entries(roleMessages).map(([role, message]) => [message, role as UserRole]));

/** Throws VALIDATION_FAILED for a role that does not exist. */
export function toRole(message: RoleMessage): UserRole {
  const role = roles.get(message);
  if (role !== undefined) return role;
  throw refusedField("role", "UNKNOWN_ROLE", "must be owner, developer or viewer");
}

export const userNotFound = (): DomainError =>
  new DomainError("NOT_FOUND", { message: "The organization has no user with this id." });

export const sessionNotFound = (): DomainError =>
  new DomainError("NOT_FOUND", { message: "You have no session with this id." });

export const toUserMessage = (user: User): MessageInitShape<typeof UserSchema> => ({
  id: user.id,
  organizationId: user.orgId,
  email: user.email,
  name: user.name,
  role: roleMessages[user.role],
  status: statusMessages[user.status],
  locale: user.locale,
  timeZone: user.timeZone,
  totpEnabled: user.totpEnabledAt !== null,
  recoveryCodesLeft: user.recoveryCodesLeft,
  hasPassword: user.hasPassword,
  createdAt: timestampFromDate(user.createdAt),
  ...(user.lastLoginAt ? { lastLoginAt: timestampFromDate(user.lastLoginAt) } : {}),
});

export const toSessionMessage = (session: StoredSession): MessageInitShape<typeof UserSessionSchema> => ({
  id: session.id,
  createdAt: timestampFromDate(session.createdAt),
  lastSeenAt: timestampFromDate(session.lastSeenAt),
  expiresAt: timestampFromDate(session.expiresAt),
  ip: session.ip,
  userAgent: session.userAgent,
});

export const toAuditMessage = ({ at, ...event }: StoredAuditEvent): MessageInitShape<typeof AuditEventSchema> => ({
  ...event,
  details: { ...event.details },
  at: timestampFromDate(at),
});
