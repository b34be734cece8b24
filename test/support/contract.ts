import { createHash } from "node:crypto";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { isGenerationPath } from "../../gateway/http/express-app.ts";
import { createTextFormats } from "../../gateway/http/validate.ts";
import { closed, type Json, mediaType, type Operation, operationFinder, type Response, resolver } from "./openapi.ts";

export type OpenApiDocument = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly method: string;
  /** With or without its query. */
  readonly path: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What an OpenAPI document promises about every answer. */
export interface Contract {
  /** Where an answer is not what the document says; empty when it is. */
  problems(request: Asked, answer: Answered): string[];
}

const known = new Map<string, Contract>();

/** Copies of the product tell the same document but for their address, and its schemas are compiled for seconds. */
export function createContract(document: OpenApiDocument): Contract {
  const text = JSON.stringify({ ...document, servers: [] });
  const digest = createHash("sha256").update(text).digest("base64");
  const contract = known.get(digest) ?? readContract(document);
  known.set(digest, contract);
  return contract;
}

function readContract(document: OpenApiDocument): Contract {
  const find = operationFinder(document);
  const resolve = resolver(document);
  const validate = createBodyValidator(document);
  return {
    problems: (sent, answer) => {
      const request = { ...sent, path: documentedPath(sent.path) };
      const found = find(request);
      if (isGeneralAnswer(request, answer, found)) return generalProblems(request, answer, validate);
      if (found === undefined) return [`an unknown address answers ${answer.status}`];
      const declared = found.operation?.responses[answer.status];
      if (declared === undefined) return [`${found.name} does not declare the status ${answer.status}`];
      const response = resolve(declared) as Response;
      const isHead = request.method === "HEAD";
      return [
        ...headerProblems(response, answer, resolve),
        ...(isHead ? [] : bodyProblems(response, answer, validate)),
      ].map((problem) => `${found.name} ${answer.status}: ${problem}`);
    },
  };
}

/** The compatible interface takes slashes at the end and the version before 2.1, which the document does not repeat. */
function documentedPath(path: string): string {
  if (!path.startsWith("/restapi/")) return path;
  const [plain = "", ...query] = path.split("?");
  const named = plain.replace(/\/{1,50}$/, "").replace(/^\/restapi\/v2\//, "/restapi/v2.1/");
  return [named, ...query].join("?");
}

const contracts = new Map<string, Promise<Contract>>();

/** The contract that the API at this address publishes; asked for once. */
export function contractOf(baseUrl: string): Promise<Contract> {
  const known = contracts.get(baseUrl) ?? openApiOf(baseUrl).then(createContract);
  contracts.set(baseUrl, known);
  known.catch(() => contracts.delete(baseUrl));
  return known;
}

const documents = new Map<string, Promise<OpenApiDocument>>();

/** The document that the API at this address publishes; fetched once. */
export function openApiOf(baseUrl: string): Promise<OpenApiDocument> {
  const known = documents.get(baseUrl) ?? fetchDocument(baseUrl);
  documents.set(baseUrl, known);
  known.catch(() => documents.delete(baseUrl));
  return known;
}

async function fetchDocument(baseUrl: string): Promise<OpenApiDocument> {
  const response = await fetch(`${baseUrl}/openapi.json`);
  if (response.status !== 200) throw new Error(`${baseUrl}/openapi.json answers ${response.status}`);
  return (await response.json()) as OpenApiDocument;
}

/** Throws what is wrong with an answer. */
export function requireConformance(contract: Contract, request: Asked, answer: Answered): void {
  const problems = contract.problems(request, answer);
  if (problems.length === 0) return;
  const seen = `${request.method} ${request.path} was answered ${answer.status} ${answer.text.slice(0, 500)}`;
  throw new Error(`not what the OpenAPI document says:\n- ${problems.join("\n- ")}\n${seen}`);
}

/** The codes that every address can answer with, before or instead of an operation. */
const generalCodes: Readonly<Record<number, readonly string[]>> = {
  400: ["VALIDATION_FAILED"],
  404: ["NOT_FOUND"],
  405: ["METHOD_NOT_ALLOWED"],
  408: ["VALIDATION_FAILED"],
  429: ["RATE_LIMIT_EXCEEDED", "CLICK_RATE_LIMITED"],
  431: ["PAYLOAD_TOO_LARGE"],
};

/** The same of document generation, in its own body; what is no proper request has the standard one there too. */
const generalGenCodes: Readonly<Record<number, string>> = {
  404: "not_found",
  405: "method_not_allowed",
  429: "rate_limited",
};

const rateLimitHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"];
const headersOfAll = ["X-Request-Id", "traceparent"];

/** Codes tell apart what comes from the operation and what comes before it, unless it shares them. */
function isGeneralAnswer(request: Asked, { status, text }: Answered, found: Found): boolean {
  // Answers to HEAD say no code.
  if (text === "") return found?.operation === undefined && Object.hasOwn(generalCodes, status);
  const code = codeOf(text);
  if (code === undefined || !generalCodesOf(request, status).includes(code)) return false;
  if (status === 404) return found === undefined;
  if (status === 405) return found?.operation === undefined;
  return found?.operation?.responses[status] === undefined || status === 429 || code === "VALIDATION_FAILED";
}

function generalCodesOf({ path }: Asked, status: number): readonly string[] {
  const ownCode = isGeneration(path) ? generalGenCodes[status] : undefined;
  return ownCode === undefined ? (generalCodes[status] ?? []) : [ownCode];
}

const isGeneration = (path: string): boolean => isGenerationPath(path.split(/[?#]/)[0] ?? "");

type Found = { readonly name: string; readonly operation: Operation | undefined } | undefined;

function codeOf(text: string): string | undefined {
  try {
    const { errorCode, code = errorCode } = (JSON.parse(text) ?? {}) as Json;
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

function generalProblems({ path }: Asked, answer: Answered, validate: BodyValidator): string[] {
  const expected = [
    ...headersOfAll,
    ...(answer.status === 429 ? rateLimitHeaders : []),
    ...(answer.status === 405 ? ["Allow"] : []),
  ];
  const missing = expected.filter((name) => !answer.headers.has(name)).map((name) => `the header ${name} is missing`);
  if (answer.text === "") return missing;
  const isOwn = isGeneration(path) && Object.hasOwn(generalGenCodes, answer.status);
  const name = isOwn ? "GenerationError" : "Error";
  return [...missing, ...validate({ $ref: `#/components/schemas/${name}` }, JSON.parse(answer.text))];
}

function headerProblems({ headers = {} }: Response, answer: Answered, resolve: (value: unknown) => Json): string[] {
  return Object.entries(headers).flatMap(([name, header]) => {
    const { required, schema = {} } = resolve(header) as { required?: boolean; schema?: Json };
    const value = answer.headers.get(name);
    if (value === null) return required === true ? [`the header ${name} is missing`] : [];
    const isBad = schema.type === "integer" && !/^\d+$/.test(value);
    return isBad ? [`the header ${name} should be a number and is ${value}`] : [];
  });
}

const anything: Json = {};

function bodyProblems({ content }: Response, answer: Answered, validate: BodyValidator): string[] {
  const { text, headers } = answer;
  if (content === undefined) return text === "" ? [] : ["there should be no body"];
  const type = mediaType(headers.get("content-type"));
  const media = Object.entries(content).find(([declared]) => mediaType(declared) === type)?.[1];
  if (media === undefined) return [`the content type ${type} is not declared`];
  if (type !== "application/json") return [];
  try {
    return validate(media.schema ?? anything, JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return ["the body is not JSON"];
    throw error;
  }
}

type BodyValidator = (schema: Json, value: unknown) => string[];

/** Validates against schemas that are taken at their word: what an object does not name must not be there. */
function createBodyValidator(document: OpenApiDocument): BodyValidator {
  const formats = { ...createTextFormats(), uri: (value: string) => URL.canParse(value) };
  // To make the code of a validator small takes as long as to write it, and most of them validate a few answers.
  const code = { optimize: false };
  // Whether the schemas are valid is asked by a test of the gateway.
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats, code, validateSchema: false });
  ajv.addSchema({ $id: "document", components: closed(document.components) as Json });
  const compiled = new WeakMap<Json, ValidateFunction>();
  // Most errors of all operations have the same few schemas.
  const byText = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = compiled.has(schema) ? "" : JSON.stringify(schema);
    const validate = compiled.get(schema) ?? byText.get(text) ?? ajv.compile({ ...(closed(schema) as Json) });
    compiled.set(schema, validate);
    if (text !== "") byText.set(text, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).slice(0, 20).map(({ instancePath, message, params }) => {
      const { additionalProperty, allowedValues } = params as Json;
      return `body${instancePath} ${message} ${String(additionalProperty ?? allowedValues ?? "")}`.trim();
    });
  };
}
