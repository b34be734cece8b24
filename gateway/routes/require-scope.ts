import { DomainError } from "#platform/errors.ts";
import type { Scope } from "../auth/principal.ts";
import type { RouteRequest } from "./route.ts";

/**
 * For operations of which the body decides what scopes they need, in addition to those of their rows; any one of them is
 * enough. Throws INSUFFICIENT_SCOPE.
 */
export function requireScope({ scopes }: Pick<RouteRequest, "scopes">, wanted: readonly Scope[]): void {
  if (!wanted.some((scope) => scopes.has(scope))) throw insufficientScope(wanted);
}

/** The refusal of a request whose credential has none of these scopes. */
export const insufficientScope = (scopes: readonly Scope[]): DomainError =>
  new DomainError("INSUFFICIENT_SCOPE", {
    message: `The token lacks the scope ${scopes.join(" or ")} that this operation needs. Ask for it at the token endpoint.`,
  });

/** A read is what a scope to read is enough for, whatever its method. */
export const isOpenWhileSuspended = ({
  scopes,
  whileSuspended = false,
}: {
  readonly scopes: readonly string[];
  readonly whileSuspended?: boolean | undefined;
}): boolean => whileSuspended || scopes.some((scope) => scope.endsWith(":read"));
