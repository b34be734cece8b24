import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { isEmailAddress } from "#platform/mail/mail.ts";
import { refusedField } from "#platform/problems.ts";
import { knownTimeZone } from "#platform/zone-time.ts";

export type UserRole = "owner" | "developer" | "viewer";
const ranks: Readonly<Record<UserRole, number>> = { viewer: 0, developer: 1, owner: 2 };

export const hasRole = (role: UserRole, least: UserRole): boolean => ranks[role] >= ranks[least];

export type UserStatus = "invited" | "active" | "disabled";

/** A person who may log in to the dashboard of one organization. */
export interface User {
  readonly orgId: OrgId;
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  readonly status: UserStatus;
  /** BCP 47; empty when none was chosen. */
  readonly locale: string;
  /** IANA; empty when none was chosen. */
  readonly timeZone: string;
  readonly totpEnabledAt: Date | null;
  /** How many there are; each is a second factor. */
  readonly passkeys: number;
  readonly recoveryCodesLeft: number;
  readonly createdAt: Date;
  readonly lastLoginAt: Date | null;
  /** Those who came by an identity provider may have none. */
  readonly hasPassword: boolean;
  /** What the user is told of by mail (notices.ts). */
  readonly notices: string;
}

/** The changeable members of a user; absent ones stay as they are. */
export interface UserChange {
  readonly name?: string | undefined;
  readonly role?: UserRole | undefined;
  readonly status?: "active" | "disabled" | undefined;
  readonly locale?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly notices?: string | undefined;
}

/** Users of an organization at most. */
export const maxUsers = 1_000;

/** The normalized form of an address for comparison. Undefined for an invalid address. */
export function emailKey(email: string): string | undefined {
  const trimmed = email.trim();
  return isEmailAddress(trimmed) ? trimmed.normalize("NFC").toLowerCase() : undefined;
}

/** An address to write to, and as it is compared. Throws VALIDATION_FAILED. */
export function parseEmail(email: string): { readonly email: string; readonly emailKey: string } {
  const key = emailKey(email);
  if (key === undefined) throw refusedField("email", "INVALID_EMAIL", "must be an email address");
  return { email: email.trim(), emailKey: key };
}

const maxLocaleLength = 35;

/** A language tag in its usual form; empty stays empty. Throws VALIDATION_FAILED. */
export function parseLocale(locale: string): string {
  if (locale === "") return "";
  try {
    if (locale.length <= maxLocaleLength) return new Intl.Locale(locale).toString();
  } catch {
    // Said below.
  }
  throw refusedField("locale", "INVALID_LOCALE", "must be a language tag such as en or pt-BR");
}

/** The name of a time zone; empty stays empty. Throws VALIDATION_FAILED. */
export function parseTimeZone(timeZone: string): string {
  if (timeZone === "") return "";
  const known = knownTimeZone(timeZone);
  if (known !== undefined) return known;
  throw refusedField("timeZone", "INVALID_TIME_ZONE", "must be a time zone such as Europe/Berlin");
}

/** Whether the change takes an active owner away, so that another one has to be there. */
export const losesOwner = (user: Pick<User, "role" | "status">, change: UserChange): boolean =>
  isActiveOwner(user) && !isActiveOwner({ role: change.role ?? user.role, status: change.status ?? user.status });

export const isActiveOwner = ({ role, status }: Pick<User, "role" | "status">): boolean =>
  role === "owner" && status === "active";

/** What the change would really change, for the trail and for what follows. Throws USER_NOT_ACTIVE. */
export function realChange(user: User, change: UserChange): UserChange {
  if (change.status !== undefined && user.status === "invited") throw new DomainError("USER_NOT_ACTIVE");
  const current: UserChange = { ...user, status: user.status === "invited" ? undefined : user.status };
  const changed = Object.entries(change).filter(
    ([name, value]) => value !== undefined && value !== current[name as keyof UserChange],
  );
  return Object.fromEntries(changed);
}

/** Whether the change ends what the user may do now, so that sessions must not go on with it. */
export const endsSessions = (change: UserChange): boolean => change.role !== undefined || change.status === "disabled";

/** Whether somebody may change this of themselves without being an owner. */
export const isPersonal = (change: UserChange): boolean => change.role === undefined && change.status === undefined;

/** Whom an identity provider has named. */
export interface NamedPerson {
  readonly issuer: string;
  readonly subject: string;
  /** As addresses are compared; undefined unless the provider has verified it. */
  readonly emailKey: string | undefined;
}

/** What is known of a user. */
interface UserIdentity {
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly emailKey: string;
}

/**
 * Whether the person is the user. Once somebody has come as a person of the provider the user stays that person: an
 * address may be given to somebody else there, a subject never is. Another provider is one that took the place of the
 * first, whose subjects mean nothing any more.
 */
export function identityOf(user: UserIdentity, person: NamedPerson): "same" | "new" | "other" {
  if (user.issuer === person.issuer) return user.subject === person.subject ? "same" : "other";
  return person.emailKey !== undefined && person.emailKey === user.emailKey ? "new" : "other";
}
