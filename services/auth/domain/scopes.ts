import { DomainError } from "#platform/errors.ts";

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

/** The scopes of a new client without repetitions. Throws VALIDATION_FAILED that names each unknown one. */
export function parseScopes(values: readonly string[]): string[] {
  const known: ReadonlySet<string> = new Set(allScopes);
  const details = values.flatMap((value, index) =>
    known.has(value)
      ? []
      : [{ field: `scopes[${index}]`, code: "UNKNOWN_SCOPE", message: `must be one of ${allScopes.join(", ")}` }],
  );
  if (details.length > 0) throw new DomainError("VALIDATION_FAILED", { details });
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
