import { parseHeaderParams } from "./params.ts";

/** A part of a body of several parts (RFC 2046 §5.1). */
export interface Part {
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** A view of the body that was taken apart. */
  readonly content: Buffer;
}

/** A body that cannot be taken apart; the message says why. */
export class MultipartError extends Error {}

export interface MultipartLimits {
  readonly maxParts: number;
  /** Bytes of the head of a part. */
  readonly maxHeadBytes: number;
  readonly maxHeaders: number;
}

/** A hundred documents and what is said of them. */
const multipartLimits: MultipartLimits = { maxParts: 101, maxHeadBytes: 8_192, maxHeaders: 16 };

const boundaryPattern = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/** The boundary that a content type of several parts names; undefined when it names none that may be one. */
export function boundaryOf(contentType: string): string | undefined {
  const boundary = parseHeaderParams(contentType)?.params.get("boundary") ?? "";
  return boundary.length <= 70 && boundaryPattern.test(boundary) ? boundary : undefined;
}

const crlf = "\r\n";

/** Takes a body of several parts apart, without copying it. Throws a MultipartError. */
export function splitMultipart(body: Buffer, boundary: string, limits: MultipartLimits = multipartLimits): Part[] {
  const delimiter = Buffer.from(`${crlf}--${boundary}`, "latin1");
  const parts: Part[] = [];
  let at = startOf(body, delimiter);
  for (;;) {
    const line = readDelimiterEnd(body, at);
    if (line.isLast) return parts;
    if (parts.length >= limits.maxParts) throw new MultipartError(`The body has more than ${limits.maxParts} parts.`);
    // The line break of a head without headers belongs to the delimiter before it.
    const end = body.indexOf(delimiter, line.next - crlf.length);
    if (end < 0) throw new MultipartError("The body ends before its last boundary.");
    parts.push(readPart(body.subarray(line.next, Math.max(line.next, end)), limits));
    at = end + delimiter.length;
  }
}

/** Behind the first delimiter; what stands before it says nothing. */
function startOf(body: Buffer, delimiter: Buffer): number {
  const withoutBreak = delimiter.length - crlf.length;
  if (body.subarray(0, withoutBreak).equals(delimiter.subarray(crlf.length))) return withoutBreak;
  const found = body.indexOf(delimiter);
  if (found < 0) throw new MultipartError("The body does not have the boundary that its type names.");
  return found + delimiter.length;
}

const [space, tab, dash] = [0x20, 0x09, 0x2d];

function readDelimiterEnd(body: Buffer, from: number): { isLast: boolean; next: number } {
  if (body[from] === dash && body[from + 1] === dash) return { isLast: true, next: from + 2 };
  let at = from;
  while (body[at] === space || body[at] === tab) at += 1;
  if (body.toString("latin1", at, at + crlf.length) !== crlf) {
    throw new MultipartError("A boundary is followed by something other than the end of its line.");
  }
  return { isLast: false, next: at + crlf.length };
}

function readPart(bytes: Buffer, limits: MultipartLimits): Part {
  if (bytes.toString("latin1", 0, crlf.length) === crlf) return { headers: new Map(), content: bytes.subarray(2) };
  const window = bytes.subarray(0, limits.maxHeadBytes + 2 * crlf.length);
  const end = window.indexOf(crlf + crlf, 0, "latin1");
  if (end < 0) throw new MultipartError(`The head of a part does not end within ${limits.maxHeadBytes} bytes.`);
  return {
    headers: readHeaders(bytes.toString("utf8", 0, end), limits),
    content: bytes.subarray(end + 2 * crlf.length),
  };
}

function readHeaders(head: string, { maxHeaders }: MultipartLimits): Map<string, string> {
  const lines = head.split(crlf);
  if (lines.length > maxHeaders) throw new MultipartError(`A part has more than ${maxHeaders} headers.`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name === "") throw new MultipartError("A header of a part has no name.");
    if (headers.has(name)) throw new MultipartError(`A part has the header ${name.slice(0, 50)} twice.`);
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}
