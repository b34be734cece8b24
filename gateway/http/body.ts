import type { Request } from "express";
import { DomainError } from "#platform/errors.ts";
import type { ErrorDialect } from "./error-dialect.ts";
import { parseForm, parseJson } from "./parse-body.ts";
import { hasBody } from "./unread-body.ts";

/** What a route says about its body. */
export interface BodyRules {
  readonly maxBytes: number;
  /** Whether application/x-www-form-urlencoded is understood too. */
  readonly form: boolean;
}

/** The parsed body; undefined when the request has none. */
export async function readBody(req: Request, rules: BodyRules, dialect: ErrorDialect): Promise<unknown> {
  if (!hasBody(req)) return undefined;
  const { "content-type": contentType, "content-encoding": encoding } = req.headers;
  // A few bytes could unfold into gigabytes.
  if (encoding !== undefined && encoding !== "identity") throw new DomainError("UNSUPPORTED_MEDIA_TYPE");
  const isJson = contentType === "application/json" || isType(contentType, "application/json");
  const isForm = !isJson && rules.form && isType(contentType, "application/x-www-form-urlencoded");
  if (!isJson && !isForm) throw new DomainError("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readBytes(req, rules.maxBytes, dialect);
  return isForm ? parseForm(bytes) : parseJson(bytes, dialect.validationFailed);
}

/** The media type with no parameter but `charset=utf-8`. */
function isType(contentType: string | undefined, expected: string): boolean {
  if (contentType === undefined) return false;
  const [type, ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  return type === expected && parameters.every((p) => p === "" || /^charset="?utf-?8"?$/.test(p));
}

function readBytes(req: Request, maxBytes: number, dialect: ErrorDialect): Promise<Buffer> {
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes, dialect));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    req.on("data", (chunk: Buffer) => {
      const isRefused = length > maxBytes;
      length += chunk.length;
      // Some of what comes after the refusal is read and dropped, so that the sender gets to see it.
      if (length <= maxBytes) chunks.push(chunk);
      else if (!isRefused) reject(tooLarge(maxBytes, dialect));
    });
    req.on("end", () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    req.on("error", reject);
    req.on("close", () => {
      if (!req.complete) reject(new DomainError(dialect.validationFailed, { message: "The body was cut off." }));
    });
  });
}

const tooLarge = (maxBytes: number, dialect: ErrorDialect): DomainError =>
  new DomainError(dialect.payloadTooLarge, {
    message: `The body is larger than the ${maxBytes} bytes that this operation allows.`,
  });
