import { DomainError } from "#platform/errors.ts";
import type { Scope } from "../auth/scopes.ts";
import type { RouteRequest } from "./route.ts";

/**
 * For operations of which the body decides what scope they need, in addition to those of their rows. Throws
 * INSUFFICIENT_SCOPE.
 */
export function requireScope({ scopes }: Pick<RouteRequest, "scopes">, scope: Scope): void {
  if (!scopes.has(scope)) throw insufficientScope([scope]);
}

/** The refusal of a request whose credential has none of these scopes. */
export const insufficientScope = (scopes: readonly Scope[]): DomainError =>
  new DomainError("INSUFFICIENT_SCOPE", {
    message: `The token lacks the scope ${scopes.join(" or ")} that this operation needs. Ask for it at the token endpoint.`,
  });
