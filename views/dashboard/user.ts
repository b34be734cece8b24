import { type User, UserRole, type UserSession, UserStatus } from "#gen/assent/auth/v1/users_pb.ts";
import { enumName, isoTime } from "../scalars.ts";

/** A user as answers show it. */
export const userView = (user: User): object => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: lowerName(UserRole, user.role),
  status: lowerName(UserStatus, user.status),
  locale: orNull(user.locale),
  timeZone: orNull(user.timeZone),
  hasPassword: user.hasPassword,
  totpEnabled: user.totpEnabled,
  recoveryCodesLeft: user.recoveryCodesLeft,
  createdAt: isoTime(user.createdAt),
  lastLoginAt: isoTime(user.lastLoginAt),
});

export const userSessionView = (session: UserSession, currentId: string): object => ({
  id: session.id,
  current: session.id === currentId,
  createdAt: isoTime(session.createdAt),
  lastSeenAt: isoTime(session.lastSeenAt),
  expiresAt: isoTime(session.expiresAt),
  ip: orNull(session.ip),
  userAgent: orNull(session.userAgent),
});

/** The names of enums as this interface writes them. */
export const lowerName = (values: Readonly<Record<string, number>>, value: number): string | null =>
  enumName(values, value)?.toLowerCase() ?? null;

/** Empty is absent. */
export const orNull = (text: string): string | null => (text === "" ? null : text);
