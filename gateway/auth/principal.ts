import { dashboardScopeMeanings, scopeMeanings } from "#api/scopes.ts";
import type { OrgId } from "#platform/ids.ts";

/** Whom a verified credential belongs to. */
export interface Principal {
  readonly orgId: OrgId;
  /** The OAuth client, the id of the API key, or `user:` with the id of the user. */
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The jti of an access token; undefined for everything else. */
  readonly tokenId: string | undefined;
  /** Present when a person who is logged in to the dashboard sends the request. */
  readonly user?: SessionUser;
}

/** A person who is logged in, and their session. */
export interface SessionUser {
  readonly id: string;
  readonly role: UserRole;
  readonly sessionId: string;
  /** What requests that change something have to bring along. */
  readonly csrfToken: string;
  /** When the session ends at the latest. */
  readonly expiresAt: Date;
}

export type UserRole = "owner" | "developer" | "viewer";

type ClientScope = keyof typeof scopeMeanings;
type DashboardScope = keyof typeof dashboardScopeMeanings;
export type Scope = ClientScope | DashboardScope;

/** What an API key may do: everything that a program may. */
export const allScopes: ReadonlySet<string> = new Set(Object.keys(scopeMeanings));

export const isClientScope = (scope: string): scope is ClientScope => Object.hasOwn(scopeMeanings, scope);

export const isDashboardScope = (scope: string): scope is DashboardScope =>
  Object.hasOwn(dashboardScopeMeanings, scope);
