import type { UserRole } from "../auth/principal.ts";
import { dashboardScopeMeanings, type Scope, scopeMeanings } from "../auth/scopes.ts";

const clientScopes = Object.keys(scopeMeanings) as Scope[];
const viewer: readonly Scope[] = [...clientScopes.filter((scope) => scope.endsWith(":read")), "dashboard:read"];
/** Whatever an API key may do, which developers can make themselves. */
const developer: readonly Scope[] = [...clientScopes, "dashboard:read", "dashboard:write"];
const owner: readonly Scope[] = [...clientScopes, ...(Object.keys(dashboardScopeMeanings) as Scope[])];

const scopes: Readonly<Record<UserRole, ReadonlySet<Scope>>> = {
  viewer: new Set(viewer),
  developer: new Set(developer),
  owner: new Set(owner),
};

/** What somebody with this role may do. */
export const scopesOfRole = (role: UserRole): ReadonlySet<Scope> => scopes[role];
