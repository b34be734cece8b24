import { DomainError } from "#platform/errors.ts";

/** A mail that came back for good. */
export interface FailedMail {
  /** The value of X-Assent-Report in the mail. */
  readonly token: string;
  /** A status code of RFC 3463; empty when the report has none. */
  readonly status: string;
}

const maxParts = 100;
const maxDepth = 8;
const maxHeadBytes = 65_536;
const maxGroups = 100;

/**
 * What a delivery status notification (RFC 3464, RFC 6533) says of the mail that it returns, with its headers at least.
 * Undefined for a message that is no report, and for a report on a mail that is late, has arrived, or is not one of ours.
 * Throws VALIDATION_FAILED for a message of too many parts.
 */
export function readDeliveryReport(message: Buffer): FailedMail | undefined {
  const count = { parts: 0 };
  const report = findReport(partOf(message.toString("latin1"), count), count, maxDepth);
  const statusPart = report?.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type));
  const returned = report?.find(({ type }) => returnedTypes.has(type));
  if (statusPart === undefined || returned === undefined) return undefined;
  const status = failureOf(contentOf(statusPart));
  const token = headersOf(contentOf(returned)).get("x-assent-report");
  return status === undefined || token === undefined ? undefined : { token, status };
}

/** The mail itself, or its headers. */
const returnedTypes: ReadonlySet<string> = new Set([
  ...["message/rfc822", "text/rfc822-headers", "message/rfc822-headers"],
  ...["message/global", "message/global-headers"],
]);

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  /** In lower case, without parameters. */
  readonly type: string;
  readonly body: string;
}

interface Count {
  parts: number;
}

/** The parts of the first multipart/report; never that of a message within the message. */
function findReport(part: Part, count: Count, levelsLeft: number): readonly Part[] | undefined {
  if (!part.type.startsWith("multipart/")) return undefined;
  if (levelsLeft === 0) throw tooComplex();
  const parts = partsOf(part, count);
  if (part.type === "multipart/report") return parts;
  for (const inner of parts) {
    const report = findReport(inner, count, levelsLeft - 1);
    if (report !== undefined) return report;
  }
  return undefined;
}

function partOf(text: string, count: Count): Part {
  count.parts += 1;
  if (count.parts > maxParts) throw tooComplex();
  const [head, body] = splitHead(text);
  const headers = headersIn(head);
  const type = (headers.get("content-type") ?? "text/plain").split(";")[0] ?? "";
  return { headers, type: type.trim().toLowerCase(), body };
}

function partsOf({ headers, body }: Part, count: Count): Part[] {
  const found = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s";]{1,200}))/i.exec(headers.get("content-type") ?? "");
  const boundary = found?.[1] ?? found?.[2];
  return boundary === undefined ? [] : bodiesBetween(body, `--${boundary}`).map((text) => partOf(text, count));
}

/** What stands between the lines of a delimiter (RFC 2046 §5.1.1). */
function bodiesBetween(body: string, delimiter: string): string[] {
  const bodies: string[] = [];
  let begin = -1;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    if (at > 0 && body[at - 1] !== "\n") continue;
    const lineEnd = body.indexOf("\n", at);
    const rest = body.slice(at + delimiter.length, lineEnd === -1 ? undefined : lineEnd).trimEnd();
    // Another delimiter may begin like this one.
    if (rest !== "" && rest !== "--") continue;
    if (begin !== -1) bodies.push(body.slice(begin, Math.max(begin, at - 1)));
    if (bodies.length > maxParts) throw tooComplex();
    begin = rest === "" && lineEnd !== -1 ? lineEnd + 1 : -1;
    if (rest === "--") break;
  }
  return bodies;
}

/** The content of a part as it was before it was encoded for transport. */
function contentOf({ headers, body }: Part): string {
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding === "base64") return Buffer.from(body, "base64").toString("latin1");
  if (encoding !== "quoted-printable") return body;
  return body
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * The status of the first recipient when none of them has got the mail, and no server tries any more (RFC 3464 §2.3.3):
 * our mails have one, but an address may stand for several people.
 */
function failureOf(text: string): string | undefined {
  const groups = text.split(/\r?\n[ \t]*\r?\n/, maxGroups).map(headersIn);
  const recipients = groups.filter((group) => group.has("action"));
  const hasFailed = recipients.every((group) => group.get("action")?.toLowerCase() === "failed");
  if (recipients.length === 0 || !hasFailed) return undefined;
  return /^[45]\.\d{1,3}\.\d{1,3}(?![.\d])/.exec(recipients[0]?.get("status") ?? "")?.[0] ?? "";
}

const headersOf = (message: string): ReadonlyMap<string, string> => headersIn(splitHead(message)[0]);

function splitHead(text: string): [head: string, body: string] {
  // A part may begin with the empty line: it has no headers.
  const start = /^\r?\n/.exec(text);
  if (start !== null) return ["", text.slice(start[0].length)];
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text : text.slice(0, end.index);
  if (head.length > maxHeadBytes) throw tooComplex();
  return [head, end === null ? "" : text.slice(end.index + end[0].length)];
}

/** By their names in lower case; of several with one name the first. */
function headersIn(head: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of head.replaceAll(/\r?\n(?=[ \t])/g, "").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name !== "" && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

const tooComplex = (): DomainError =>
  new DomainError("VALIDATION_FAILED", {
    message: `The message has more than ${maxParts} parts, is nested deeper than ${maxDepth} levels or has a header block of more than ${maxHeadBytes} bytes.`,
  });
