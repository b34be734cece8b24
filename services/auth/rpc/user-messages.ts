import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AuditEventSchema } from "#gen/assent/auth/v1/organization_pb.ts";
import {
  UserRole as RoleMessage,
  UserStatus as StatusMessage,
  type UserSchema,
  type UserSessionSchema,
} from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import type { User, UserRole, UserStatus } from "../domain/user.ts";
import type { StoredAuditEvent } from "../store/audit-store.ts";
import type { StoredSession } from "../store/session-store.ts";

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
