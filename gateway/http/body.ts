import { isUtf8 } from "node:buffer";
import type { Request } from "express";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { type BodyRoom, hasBody } from "./body-budget.ts";
import type { ErrorDialect } from "./error-dialect.ts";
import { freeBytes } from "./upload-turns.ts";

/** A route's declaration of its body. */
export interface BodyRules {
  readonly maxBytes: number;
  /** Whether application/x-www-form-urlencoded is accepted too. */
  readonly form: boolean;
  /** Whether the route takes the raw bytes. */
  readonly unparsed?: boolean;
  /** Types whose raw bytes it takes beside JSON, with any parameters. */
  readonly messageTypes?: readonly string[];
}

/**
 * Reads the body, parsed unless raw bytes are wanted; undefined when the request has none. The caller releases
 * the given room when the body is no longer needed.
 */
export async function readBody(
  req: Request,
  rules: BodyRules,
  dialect: ErrorDialect,
  room?: BodyRoom,
): Promise<unknown> {
  if (!hasBody(req)) return undefined;
  requirePlain(req);
  const { "content-type": contentType } = req.headers;
  const isJson = isJsonType(contentType);
  const isForm = !isJson && rules.form && isType(contentType, "application/x-www-form-urlencoded");
  const isMessage = !isJson && isOneOf(contentType, rules.messageTypes);
  if (!isJson && !isForm && !isMessage) throw new DomainError("UNSUPPORTED_MEDIA_TYPE");
  const limits = { maxBytes: rules.maxBytes, tooLarge: () => tooLarge(rules.maxBytes, dialect) };
  const bytes = await readBytes(req, limits, dialect, room);
  if (rules.unparsed === true || isMessage) return bytes;
  return isForm ? parseForm(bytes) : parseJson(bytes, dialect.validationFailed);
}

/** Compression is refused, because a few bytes could expand into gigabytes. */
export function requirePlain({ headers }: Pick<Request, "headers">): void {
  const { "content-encoding": encoding } = headers;
  if (encoding !== undefined && encoding !== "identity") throw new DomainError("UNSUPPORTED_MEDIA_TYPE");
}

export const isJsonType = (contentType: string | undefined): boolean =>
  contentType === "application/json" || isType(contentType, "application/json");

/** The media type with no parameter but `charset=utf-8`. */
function isType(contentType: string | undefined, expected: string): boolean {
  if (contentType === undefined) return false;
  const [type, ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  return type === expected && parameters.every((p) => p === "" || /^charset="?utf-?8"?$/.test(p));
}

const isOneOf = (contentType = "", types: readonly string[] = []): boolean =>
  types.includes((contentType.split(";")[0] ?? "").trim().toLowerCase());

interface SizeLimit {
  readonly maxBytes: number;
  /** The answer to more; made only then, since an error costs more than reading a small body. */
  tooLarge(): DomainError;
}

/** Reads all bytes of a body, within its limit and the available room. */
export async function readBytes(
  req: Request,
  { maxBytes, tooLarge }: SizeLimit,
  dialect: ErrorDialect,
  room?: BodyRoom,
): Promise<Buffer> {
  const { "content-length": declared } = req.headers;
  if (Number(declared ?? 0) > maxBytes) throw tooLarge();
  // A chunked body may reach the limit.
  const size = Number(declared ?? maxBytes);
  const isTurn = await room?.turn?.begin(size, req);
  // The sender disconnected during authentication; no further event would ever arrive.
  if (req.destroyed) throw cutOff(dialect);
  if (isTurn === false || room?.take(size) === false) throw noRoom(dialect);
  const bytes = await gatherBytes(req, { maxBytes, tooLarge }, dialect, room?.stallMs);
  room?.shrinkTo(bytes.length);
  if ((await room?.turn?.arrived()) === false) throw noRoom(dialect);
  return bytes;
}

function gatherBytes(
  req: Request,
  { maxBytes, tooLarge }: SizeLimit,
  dialect: ErrorDialect,
  stallMs?: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    let isOver = false;
    const refuse = (error: DomainError): void => {
      clearTimeout(stalled);
      isOver = true;
      // The request lives on for a while, and what nobody will read must not.
      chunks = [];
      reject(error);
    };
    const stalled =
      stallMs === undefined ? undefined : setTimeout(() => refuse(cutOff(dialect, stalledMessage)), stallMs);
    req.on("data", (chunk: Buffer) => {
      // Data after the refusal is drained for a while, so that the sender can read the response.
      if (isOver) return;
      stalled?.refresh();
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else refuse(tooLarge());
    });
    req.on("end", () => {
      clearTimeout(stalled);
      isOver = true;
      resolve(joined(chunks));
      chunks = [];
    });
    // A client that goes away is no failure of ours.
    req.on("error", () => {
      if (!isOver) refuse(cutOff(dialect));
    });
    req.on("close", () => {
      if (!isOver) refuse(cutOff(dialect));
    });
  });
}

/**
 * Releases the chunks of a large body at once. V8 would do that too, but by collecting the whole heap whenever
 * about 64 MB of buffers have arrived, which costs more than the reading.
 */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const bytes = Buffer.concat(chunks);
  if (bytes.length <= freeBytes) return bytes;
  for (const { buffer, byteLength } of chunks) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  }
  return bytes;
}

const cutOff = (dialect: ErrorDialect, message = "The body was cut off."): DomainError =>
  new DomainError(dialect.validationFailed, { message });

const stalledMessage = "The body did not arrive in time. Send it again.";

const noRoom = (dialect: ErrorDialect): DomainError =>
  new DomainError(dialect.busy, {
    message:
      "Too many large bodies are being sent at once. Nothing was done; send the request again after Retry-After.",
  });

const tooLarge = (maxBytes: number, dialect: ErrorDialect): DomainError =>
  new DomainError(dialect.payloadTooLarge, {
    message: `The body is larger than the ${maxBytes} bytes that this operation allows.`,
  });

const maxDepth = 32;
const notJson = "The body is not valid JSON. Send a JSON object encoded in UTF-8.";

/**
 * Parses a JSON body. Throws the given code for invalid UTF-8 or JSON, and for values that databases or
 * canonical JSON cannot represent: nesting beyond 32 levels, lone surrogates, NUL, and numbers beyond the range
 * of a double.
 */
export function parseJson(bytes: Buffer, malformed: ErrorCode): unknown {
  if (!isUtf8(bytes)) throw new DomainError(malformed, { message: notJson });
  const text = bytes.toString("utf8");
  const value = parse(text, malformed);
  // In valid UTF-8 only an escape can produce a forbidden character.
  const hasEscapes = text.includes("\\u");
  const problem = findProblem(value, maxDepth, hasEscapes);
  if (problem !== undefined) throw new DomainError(malformed, { message: problem });
  return value;
}

/** Parses a form body. A parameter that comes twice keeps both values, which no schema accepts. */
function parseForm(bytes: Buffer): unknown {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(bytes.toString("utf8"))) {
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : [before, value].flat());
  }
  const value = Object.fromEntries(fields);
  const problem = findProblem(value, maxDepth, true);
  if (problem !== undefined) throw new DomainError("VALIDATION_FAILED", { message: problem });
  return value;
}

function parse(text: string, malformed: ErrorCode): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DomainError(malformed, { message: notJson });
  }
}

function findProblem(value: unknown, levelsLeft: number, hasEscapes: boolean): string | undefined {
  if (typeof value === "string") return hasEscapes ? findTextProblem(value) : undefined;
  // JSON.parse reads 1e400 as Infinity.
  if (typeof value === "number" && !Number.isFinite(value)) return "The body has a number that is too large.";
  if (typeof value !== "object" || value === null) return undefined;
  if (levelsLeft === 0) return `The body is nested deeper than ${maxDepth} levels.`;
  if (Array.isArray(value)) {
    for (const item of value) {
      const problem = findProblem(item, levelsLeft - 1, hasEscapes);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  // JSON.parse only creates own properties, even `__proto__`.
  for (const key in value) {
    const problem =
      (hasEscapes ? findTextProblem(key) : undefined) ??
      findProblem((value as Record<string, unknown>)[key], levelsLeft - 1, hasEscapes);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findTextProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return "The body has a text with half of a surrogate pair, which is not a character.";
  return text.includes("\0") ? "The body has a text with the character U+0000, which cannot be stored." : undefined;
}
