import { DomainError } from "#platform/errors.ts";
import { problem, refusals } from "#platform/problems.ts";

/** Every scope, in the order in which lists of scopes are shown. */
export const allScopes = [
  "sign:read",
  "sign:write",
  "sign:send",
  "sign:admin",
  "click:read",
  "click:write",
  "click:admin",
  "click:accept",
  "gen:read",
  "gen:write",
  "webhooks:read",
  "webhooks:write",
  "privacy:admin",
] as const;

const { refuse } = refusals("VALIDATION_FAILED");

/** The scopes of a new client without repetitions. Throws VALIDATION_FAILED that names each unknown one. */
export function parseScopes(values: readonly string[]): string[] {
  const known: ReadonlySet<string> = new Set(allScopes);
  const unknown = values.flatMap((value, index) => (known.has(value) ? [] : [`scopes[${index}]`]));
  refuse(unknown.map((field) => problem(field, "UNKNOWN_SCOPE", `must be one of ${allScopes.join(", ")}`)));
  return allScopes.filter((scope) => values.includes(scope));
}

/** Integrations of other signing platforms ask for this one; it stands for every scope of signing. */
const allSigning = "signature";

/** They ask for these as well, which mean nothing here: there are no users to act for, and no refresh tokens. */
const meaningless: ReadonlySet<string> = new Set(["impersonation", "extended"]);

/**
 * What a token is granted: the requested scopes that the client may have, all of them when it names none.
 * Throws OAUTH_INVALID_SCOPE when nothing is left.
 */
export function grantScopes(requested: readonly string[], allowed: readonly string[]): string[] {
  const named = new Set(requested.filter((scope) => !meaningless.has(scope)));
  if (named.size === 0) return [...allowed];
  const granted = allowed.filter((scope) => named.has(scope) || (named.has(allSigning) && scope.startsWith("sign:")));
  if (granted.length === 0) throw new DomainError("OAUTH_INVALID_SCOPE");
  return granted;
}
