import { languages, type Resolve, type SampleRequest, type ShownOperation, sampleOf } from "./samples.ts";
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

/** One operation with everything that a caller needs to know. */
export function operationHtml(shown: ShownOperation, resolve: Resolve): string {
  const { path, method, operation } = shown;
  const parameters = (operation.parameters as unknown[]).map(resolve);
  const body = operation.requestBody as Body | undefined;
  return `<section class="operation" id="${escaped(operation.operationId)}">
<h2>${escaped(operation.summary)}</h2>
<p class="address"><span class="method ${escaped(method)}">${escaped(method)}</span> <code class="path">${escaped(path)}</code></p>
${markdown(operation.description)}
${parametersHtml(parameters)}
${bodyHtml(body)}
<h3>Request</h3>
${samplesHtml(sampleOf(shown, resolve), String(operation.operationId))}
<h3>Answers</h3>
${successesHtml(operation.responses as Record<string, unknown>, resolve)}
${errorsHtml(operation.responses as Record<string, unknown>, resolve)}
</section>`;
}

/** In each language, of which the page shows one, and for the page to send. */
function samplesHtml(sample: SampleRequest, name: string): string {
  const written = languages.map(
    ({ id, name: language, write }) =>
      `<div class="sample ${id}">${codeBlock(write(sample), `${name} in ${language}`)}</div>`,
  );
  const { method, address, headers, body, fileType, needsCredential } = sample;
  if (!needsCredential || fileType !== undefined) return written.join("");
  const request = JSON.stringify({ method, address, headers, body }).replaceAll("<", "\\u003c");
  return `${written.join("")}<script type="application/json" class="request">${request}</script>`;
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
  return rows.length === 0 ? "" : `<h3>Parameters</h3>${table(["Name", "In", "Type", "Meaning"], rows)}`;
}

function bodyHtml(body: Body | undefined): string {
  if (body === undefined) return "";
  const types = Object.keys(body.content);
  const { schema = {} } = body.content[types[0] ?? ""] ?? {};
  const sentAs = `${types.map(code).join(" or ")}${body.required ? "" : ", or none at all"}. ${escaped(body.description)}`;
  const shape = typeof schema.$ref === "string" ? `<p>${typeHtml(schema)}</p>` : propertiesHtml(schema);
  return `<h3>Body</h3><p>${sentAs}</p>${shape}`;
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
  const rows = errorsOf(responses, resolve).map(({ status, errorCode, message }) => [
    code(status),
    code(errorCode),
    escaped(message),
  ]);
  const codes = rows.length === 1 ? "1 error" : `${rows.length} errors`;
  return `<details class="errors"><summary>${codes}</summary>${table(["Status", "Code", "Meaning"], rows)}</details>`;
}

interface ShownError {
  readonly status: string;
  readonly errorCode: string;
  readonly message: string;
}

/** What an operation refuses, in each of the forms that error bodies have. */
export const errorsOf = (responses: Readonly<Record<string, unknown>>, resolve: Resolve): ShownError[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => {
      const content = resolve(response).content as Readonly<Record<string, Media>>;
      return Object.values(content["application/json"]?.examples ?? {}).map((example) => {
        const { errorCode, code: lower, error, ...value } = resolve(example).value as Readonly<Record<string, string>>;
        const message = value.message ?? value.error_description ?? "";
        return { status, errorCode: errorCode ?? lower ?? error ?? "", message };
      });
    });
