import { dashboardScopeMeanings, scopeMeanings } from "#api/scopes.ts";
import type { OrgId } from "#platform/ids.ts";

/** The owner of a verified credential. */
export interface Principal {
  readonly orgId: OrgId;
  /** The OAuth client, the id of the API key, or `user:` with the id of the user. */
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The jti of an access token; undefined for everything else. */
  readonly tokenId: string | undefined;
  /** Present when the request comes from a signed-in dashboard user. */
  readonly user?: SessionUser;
}

/** A signed-in user and their session. */
export interface SessionUser {
  readonly id: string;
  readonly role: UserRole;
  readonly sessionId: string;
  /** The token that state-changing requests must send. */
  readonly csrfToken: string;
  /** The absolute end of the session. */
  readonly expiresAt: Date;
}

export type UserRole = "owner" | "developer" | "viewer";

type ClientScope = keyof typeof scopeMeanings;
type DashboardScope = keyof typeof dashboardScopeMeanings;
export type Scope = ClientScope | DashboardScope;

/** The scopes of an API key: everything a program may do. */
export const allScopes: ReadonlySet<string> = new Set(Object.keys(scopeMeanings));

export const isClientScope = (scope: string): scope is ClientScope => Object.hasOwn(scopeMeanings, scope);

export const isDashboardScope = (scope: string): scope is DashboardScope =>
  Object.hasOwn(dashboardScopeMeanings, scope);
