import { pretty } from "./html.ts";
import type { Json } from "./schema-html.ts";

interface Asked {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

/** The request of the examples as a line for a shell; $ASSENT is where the API is. */
export function curlLine(
  { path, method, operation }: Asked,
  parameters: readonly Json[],
  content: Readonly<Record<string, { readonly example?: unknown }>> | undefined,
): string {
  const body = content?.["application/json"];
  const parts = [
    ...(method === "get" ? [] : [`-X ${method.toUpperCase()}`]),
    `"$ASSENT${addressOf(path, parameters)}"`,
    ...(needsCredential(operation) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...required(parameters, "header").map(({ name, example }) => `-H ${quoted(`${name}: ${example}`)}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(pretty(body.example))}`]),
  ];
  return `curl ${parts.join(" \\\n  ")}`;
}

function addressOf(path: string, parameters: readonly Json[]): string {
  const filled = parameters
    .filter((parameter) => parameter.in === "path")
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = required(parameters, "query").map(({ name, example }): [string, string] => [
    String(name),
    String(example),
  ]);
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`;
}

const required = (parameters: readonly Json[], place: string): Json[] =>
  parameters.filter((parameter) => parameter.in === place && parameter.required === true);

const needsCredential = ({ security }: Json): boolean =>
  (security as readonly Json[]).some((scheme) => Object.hasOwn(scheme, "bearer"));

/** In single quotes nothing means anything to a shell but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
