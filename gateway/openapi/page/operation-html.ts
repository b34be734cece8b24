import {
  code,
  codeBlock,
  escaped,
  inline,
  type Json,
  markdown,
  pretty,
  propertiesHtml,
  table,
  typeHtml,
} from "./schema-html.ts";

export interface ShownOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

/** Follows a reference within the document, if there is one. */
export type Resolve = (value: unknown) => Json;

/** One operation with everything that a caller needs to know. */
export function operationHtml(shown: ShownOperation, resolve: Resolve): string {
  const { path, method, operation } = shown;
  const parameters = (operation.parameters as unknown[]).map(resolve);
  const body = operation.requestBody as Body | undefined;
  return `<section class="operation" id="${escaped(operation.operationId)}">
<h3><span class="method ${escaped(method)}">${escaped(method)}</span> <code class="path">${escaped(path)}</code></h3>
<h4>${escaped(operation.summary)}</h4>
${markdown(operation.description)}
${parametersHtml(parameters)}
${bodyHtml(body)}
<h5>Request</h5>
${codeBlock(curlLine(shown, parameters, body?.content), `Request of ${operation.operationId}`)}
<h5>Answers</h5>
${successesHtml(operation.responses as Record<string, unknown>, resolve)}
${errorsHtml(operation.responses as Record<string, unknown>, resolve)}
</section>`;
}

interface Media {
  readonly schema?: Json;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

interface Body {
  readonly description: string;
  readonly required: boolean;
  readonly content: Readonly<Record<string, Media>>;
}

/** Those of every operation are described once, for all. */
const everywhere: readonly unknown[] = ["X-Request-Id", "traceparent"];

function parametersHtml(parameters: readonly Json[]): string {
  const rows = parameters
    .filter(({ name }) => !everywhere.includes(name))
    .map(({ name, in: place, required, description, schema, example }) => [
      `${code(name)}${required === true ? "" : ' <small class="optional">optional</small>'}`,
      escaped(place),
      typeHtml(schema as Json),
      `${inline(description)} Example: ${code(example)}`,
    ]);
  return rows.length === 0 ? "" : `<h5>Parameters</h5>${table(["Name", "In", "Type", "Meaning"], rows)}`;
}

function bodyHtml(body: Body | undefined): string {
  if (body === undefined) return "";
  const types = Object.keys(body.content);
  const { schema = {} } = body.content[types[0] ?? ""] ?? {};
  const sentAs = `${types.map(code).join(" or ")}${body.required ? "" : ", or none at all"}. ${escaped(body.description)}`;
  const shape = typeof schema.$ref === "string" ? `<p>${typeHtml(schema)}</p>` : propertiesHtml(schema);
  return `<h5>Body</h5><p>${sentAs}</p>${shape}`;
}

function successesHtml(responses: Readonly<Record<string, unknown>>, resolve: Resolve): string {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, response]) => {
      const { description, content = {}, headers = {} } = resolve(response);
      return `<div class="answer"><p><span class="status">${escaped(status)}</span> ${inline(description)}</p>
${ownHeadersHtml(headers as Json)}
${Object.entries(content as Record<string, Media>)
  .map(mediaHtml)
  .join("\n")}</div>`;
    })
    .join("\n");
}

function ownHeadersHtml(headers: Json): string {
  const own = Object.entries(headers).filter(([, header]) => !Object.hasOwn(header as Json, "$ref"));
  const rows = own.map(([name, header]) => [code(name), inline((header as Json).description)]);
  return table(["Header", "Meaning"], rows);
}

function mediaHtml([type, { schema, example }]: [string, Media]): string {
  const isText = schema?.type === "string" || schema === undefined;
  const shape = isText ? "" : `: ${typeHtml(schema)}`;
  const shown = example === undefined ? "" : exampleHtml(typeof example === "string" ? example : pretty(example));
  return `<p class="media">${code(type)}${shape}</p>${shown}`;
}

const exampleHtml = (text: string): string =>
  `<details><summary>Example</summary>${codeBlock(text, "Example of an answer")}</details>`;

function errorsHtml(responses: Readonly<Record<string, unknown>>, resolve: Resolve): string {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => errorRows(status, resolve(response), resolve));
  const codes = rows.length === 1 ? "1 error" : `${rows.length} errors`;
  return `<details class="errors"><summary>${codes}</summary>${table(["Status", "Code", "Meaning"], rows)}</details>`;
}

function errorRows(status: string, { content }: Json, resolve: Resolve): string[][] {
  const { examples = {} } = (content as Record<string, Media>)["application/json"] ?? {};
  return Object.values(examples).map((example) => {
    const value = resolve(example).value as Readonly<Record<string, string>>;
    return [
      code(status),
      code(value.errorCode ?? value.code ?? value.error),
      escaped(value.message ?? value.error_description),
    ];
  });
}

interface Asked {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

/** The request of the examples as a line for a shell; $ASSENT is where the API is. */
function curlLine(
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
