import { isCompatPath } from "../http/express-app.ts";
import { allRoutes } from "../routes/index.ts";
import { type Operation, operations } from "../routes/operations.ts";
import { paramsOf, type Route } from "../routes/route.ts";

/**
 * The first operation of the compatible interface of each kind. Its operations are many, and the same few functions
 * read their addresses, queries and bodies: what holds for one of a kind holds for the others.
 */
export const compatSample: readonly string[] = allRoutes
  .filter(({ path }) => isCompatPath(path))
  .filter((route, index, all) =>
    kindsOf(route).some((kind) => !all.slice(0, index).some((earlier) => kindsOf(earlier).includes(kind))),
  )
  .map(({ operationId }) => operationId);

const sampled = new Set(compatSample);

/** For tests that send very much to each operation: all of them, but a sample of those of the compatible interface. */
export const coveredOperations: readonly Operation[] = operations.filter(
  ({ path, operationId }) => !isCompatPath(path) || sampled.has(operationId),
);

/** How it is asked, what its path names, and how its body comes. */
function kindsOf({ method, path, query, body }: Route): string[] {
  const parameters = `${paramsOf(path).join(" ")}${query === undefined ? "" : " and a query"}`;
  if (body === undefined) return [method, parameters];
  const { documents, required, maxBytes, unparsed = false } = body;
  return [method, parameters, JSON.stringify({ documents, required, maxBytes, unparsed })];
}
