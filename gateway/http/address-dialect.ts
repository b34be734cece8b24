import { compatDialect } from "../compat/dialect.ts";
import type { Route } from "../routes/route.ts";
import { clickDialect, type ErrorDialect, genDialect, oauthDialect, standardDialect } from "./error-dialect.ts";

/** Whether an address is one of document generation, whether there is something at it or not. */
export const isGenerationPath = (path: string): boolean => /^\/(v1\/gen|batches)(\/|$)/.test(path);

/** Whether an address is one of the interface that is compatible with DocuSign's. */
export const isCompatPath = (path: string): boolean => path === "/restapi" || path.startsWith("/restapi/");

/** The format of errors at an address, for requests that reach no route. */
export function createAddressDialect(routes: readonly Route[]): (path: string) => ErrorDialect {
  const tokenPaths = new Set(routes.filter(({ dialect }) => dialect === oauthDialect).map(({ path }) => path));
  return (path) => {
    if (path.startsWith("/v1/click/")) return clickDialect;
    if (isGenerationPath(path)) return genDialect;
    if (isCompatPath(path)) return compatDialect;
    return tokenPaths.has(path) ? oauthDialect : standardDialect;
  };
}
