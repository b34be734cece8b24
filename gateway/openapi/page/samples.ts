import { type Json, pretty } from "./schema-html.ts";

export interface ShownOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

/** Follows a reference within the document, if there is one. */
export type Resolve = (value: unknown) => Json;

/** The request of the examples of an operation. */
export interface SampleRequest {
  readonly method: string;
  /** With the query. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly needsCredential: boolean;
  readonly body?: unknown;
  /** In place of a JSON body: the media type of a file. */
  readonly fileType?: string;
  /** The media type of the answer; undefined when it has no body. */
  readonly answerType: string | undefined;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>;
}

export function sampleOf({ path, method, operation }: ShownOperation, resolve: Resolve): SampleRequest {
  const parameters = (operation.parameters as unknown[]).map(resolve);
  const { content = {} } = (operation.requestBody ?? {}) as Content;
  const [fileType] = Object.keys(content);
  const json = content["application/json"];
  const headers = required(parameters, "header").map(({ name, example }) => [String(name), String(example)]);
  return {
    method: method.toUpperCase(),
    address: addressOf(path, parameters),
    headers: Object.fromEntries(headers),
    needsCredential: (operation.security as readonly Json[]).some((scheme) => Object.hasOwn(scheme, "bearer")),
    ...(json === undefined ? (fileType === undefined ? {} : { fileType }) : { body: json.example }),
    answerType: answerType(operation.responses as Json, resolve),
  };
}

function answerType(responses: Json, resolve: Resolve): string | undefined {
  const success = Object.entries(responses).find(([status]) => Number(status) < 300);
  const { content = {} } = (success === undefined ? {} : resolve(success[1])) as Content;
  return Object.keys(content)[0];
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

interface Language {
  readonly id: string;
  readonly name: string;
  write(request: SampleRequest): string;
}

/** The origin of the API is in $ASSENT, the credential in $TOKEN. */
export const languages: readonly Language[] = [
  { id: "curl", name: "curl", write: curl },
  { id: "typescript", name: "TypeScript", write: typescript },
  { id: "python", name: "Python", write: python },
];

function curl({ method, address, headers, needsCredential, body, fileType }: SampleRequest): string {
  const parts = [
    ...(method === "GET" ? [] : [`-X ${method}`]),
    `"$ASSENT${address}"`,
    ...(needsCredential ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${inShell(pretty(body))}`]),
    ...(fileType === undefined ? [] : [`-H 'Content-Type: ${fileType}'`, `--data-binary @${fileName}`]),
  ];
  return `curl ${parts.join(" \\\n  ")}`;
}

/** In single quotes nothing means anything to a shell but the quote itself. */
const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** What samples send that send a file. */
const fileName = "file";

function typescript({ method, address, body, fileType, answerType: type, ...sample }: SampleRequest): string {
  const headers = headersOf({ ...sample, body, fileType }, '"Bearer " + env.TOKEN');
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(headers.length === 0 ? [] : ["  headers: {", ...headers.map((line) => `    ${line},`), "  },"]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(pretty(body), "  ")}),`]),
    ...(fileType === undefined ? [] : [`  body: await readFile("${fileName}"),`]),
  ];
  const call = `await fetch(env.ASSENT + ${JSON.stringify(address)}`;
  const request = options.length === 0 ? `${call})` : [`${call}, {`, ...options, "})"].join("\n");
  const shown = type === undefined ? "" : `, ${reading.get(kindOf(type))}`;
  return [
    ...(fileType === undefined ? [] : ['import { readFile } from "node:fs/promises";']),
    'import { env } from "node:process";',
    "",
    `const response = ${request};`,
    `console.log(response.status${shown});`,
  ].join("\n");
}

type Kind = "json" | "text" | "bytes";

const kindOf = (type: string): Kind => {
  if (type.includes("json")) return type.includes("lines") || type.includes("ndjson") ? "text" : "json";
  return type.startsWith("text/") ? "text" : "bytes";
};

const reading: ReadonlyMap<Kind, string> = new Map([
  ["json", "await response.json()"],
  ["text", "await response.text()"],
  ["bytes", "new Uint8Array(await response.arrayBuffer())"],
]);

interface Headed extends Pick<SampleRequest, "headers" | "needsCredential"> {
  readonly body: unknown;
  readonly fileType: string | undefined;
}

function headersOf({ headers, needsCredential, body, fileType }: Headed, credential: string): string[] {
  const type = body === undefined ? fileType : "application/json";
  return [
    ...(needsCredential ? [`"Authorization": ${credential}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...(type === undefined ? [] : [`"Content-Type": ${JSON.stringify(type)}`]),
  ];
}

function python({ method, address, body, fileType, answerType: type, ...sample }: SampleRequest): string {
  const headers = headersOf({ ...sample, body, fileType }, '"Bearer " + os.environ["TOKEN"]');
  const parts = [
    `    os.environ["ASSENT"] + ${JSON.stringify(address)},`,
    ...(method === "GET" ? [] : [`    method="${method}",`]),
    ...(headers.length === 0 ? [] : ["    headers={", ...headers.map((line) => `        ${line},`), "    },"]),
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(inPython(body), "    ")}).encode(),`]),
    ...(fileType === undefined ? [] : [`    data=open("${fileName}", "rb").read(),`]),
  ];
  const kind = type === undefined ? undefined : kindOf(type);
  const read = { json: ", json.load(response)", text: ", response.read().decode()", bytes: ", response.read()" };
  return [
    `import ${body !== undefined || kind === "json" ? "json, " : ""}os, urllib.request`,
    "",
    "request = urllib.request.Request(",
    ...parts,
    ")",
    "with urllib.request.urlopen(request) as response:",
    `    print(response.status${kind === undefined ? "" : read[kind]})`,
  ].join("\n");
}

/** A JSON value as Python writes it, a member in each line. */
function inPython(value: unknown, indent = ""): string {
  const inner = `${indent}    `;
  const block = (open: string, lines: readonly string[], close: string): string =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map((line) => `${inner}${line},`).join("\n")}\n${indent}${close}`;
  if (Array.isArray(value))
    return block(
      "[",
      value.map((item) => inPython(item, inner)),
      "]",
    );
  if (typeof value === "object" && value !== null) {
    const lines = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${inPython(item, inner)}`);
    return block("{", lines, "}");
  }
  if (value === null) return "None";
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}

const indented = (text: string, indent: string): string => text.replaceAll("\n", `\n${indent}`);
