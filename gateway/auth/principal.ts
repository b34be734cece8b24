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

/** Every scope that a client may have, and what it allows. */
export const scopeMeanings = {
  "sign:read": "Read documents, signatures, agreements and templates.",
  "sign:write": "Create and send documents; create and update agreements.",
  "sign:send": "Send agreements for signing.",
  "sign:admin": "Administrative sign operations (void, delete).",
  "click:read": "Read agreements, acceptances and click resources.",
  "click:write": "Create and manage; also records acceptances.",
  "click:admin":
    "Administrative click operations (delete template, archive version, bulk operations); also records acceptances.",
  "click:accept": "Records acceptances only; cannot read or change templates, deployments or evidence.",
  "gen:read": "Read templates and documents of document generation.",
  "gen:write": "Manage templates of document generation; generate, cancel and delete documents.",
  "webhooks:read": "Read webhook endpoints and deliveries.",
  "webhooks:write": "Create and manage webhook endpoints.",
} as const;

/** What only people have who are logged in to the dashboard: no API key and no OAuth client is ever granted one. */
export const dashboardScopeMeanings = {
  "dashboard:read": "See the organization, and manage one's own account.",
  "dashboard:write": "Manage API keys and OAuth clients.",
  "dashboard:admin": "Manage users and the settings of the organization, and read its audit events.",
} as const;

type ClientScope = keyof typeof scopeMeanings;
type DashboardScope = keyof typeof dashboardScopeMeanings;
export type Scope = ClientScope | DashboardScope;

/** What an API key may do: everything that a program may. */
export const allScopes: ReadonlySet<string> = new Set(Object.keys(scopeMeanings));

export const isClientScope = (scope: string): scope is ClientScope => Object.hasOwn(scopeMeanings, scope);

export const isDashboardScope = (scope: string): scope is DashboardScope =>
  Object.hasOwn(dashboardScopeMeanings, scope);
