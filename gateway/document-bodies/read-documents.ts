import { DomainError, type ErrorCode, type FieldProblem } from "#platform/errors.ts";
import { parseJson } from "../http/body.ts";
import { MultipartError, type Part, splitMultipart } from "../http/multipart.ts";
import { parseHeaderParams } from "../http/params.ts";
import { type DocumentFile, fileOf } from "./document-file.ts";

/** A body with documents in it, as it has arrived. */
export interface DocumentBodyJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly codes: BodyCodes;
  /** The boundary of a multipart body; empty for JSON. */
  readonly boundary: string;
  /** Whether Base64 may have line breaks. */
  readonly lineBreaks: boolean;
}

/** The parsed body, in which `documentBase64` is the index of a file. */
export interface ReadDocuments {
  readonly value: unknown;
  readonly files: readonly DocumentFile[];
}

/** The same for transfer between threads: copying a text is fast, cloning objects is not. */
export interface SentDocuments {
  readonly json: string;
  readonly files: readonly DocumentFile[];
}

/** A serializable refusal: a custom error class does not survive the transfer between threads. */
export interface DocumentRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly FieldProblem[];
}

/** Throws DomainErrors. */
export function readDocuments({ bytes, codes, boundary, lineBreaks }: DocumentBodyJob): ReadDocuments {
  const files: DocumentFile[] = [];
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value =
    boundary === "" ? readJson(body, files, { codes, lineBreaks }) : readParts(body, files, { codes, boundary });
  return { value, files };
}

/** The work of a thread. */
export function readForSending(job: DocumentBodyJob): SentDocuments | DocumentRefusal {
  try {
    const { value, files } = readDocuments(job);
    const json = JSON.stringify(value);
    if (json.length > maxOtherBytes) throw tooMuchElse(job.codes);
    return { json, files };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code, message: error.message, details: error.details };
  }
}

/** The buffers that are transferred to the other thread instead of copied. */
export const buffersOf = (sent: SentDocuments | DocumentRefusal): ArrayBuffer[] =>
  "files" in sent ? sent.files.flatMap(({ content }) => (typeof content === "string" ? [] : [content.buffer])) : [];

/**
 * Reads a body whose first part is JSON and whose other parts are documents. Each has the `documentid` used in the JSON
 * (`Content-Disposition: file; filename="NDA.pdf"; documentid=3`). The documents of the JSON get the index of their
 * file as documentBase64. Parts that the JSON does not name are added to its list.
 */
function readParts(
  bytes: Buffer,
  files: DocumentFile[],
  { codes, boundary }: { readonly codes: BodyCodes; readonly boundary: string },
): unknown {
  const [first, ...others] = split(bytes, boundary, codes);
  const { value: type } = parseHeaderParams(first?.headers.get("content-type") ?? "") ?? { value: "" };
  if (first === undefined || type !== "application/json") {
    throw malformed(codes, "The first part of the body has to be of the type application/json.");
  }
  const value = readJson(Buffer.from(first.content), files, { codes, lineBreaks: true });
  const added = new Map<string, number>();
  for (const part of others) {
    const file = documentOf(part, codes);
    if (added.has(file.documentId)) {
      throw malformed(codes, `Two parts have the documentid ${file.documentId.slice(0, 50)}.`);
    }
    added.set(file.documentId, files.push(file) - 1);
  }
  assignFiles(value, files, added);
  return value;
}

function split(bytes: Buffer, boundary: string, codes: BodyCodes): Part[] {
  try {
    return splitMultipart(bytes, boundary);
  } catch (error) {
    throw error instanceof MultipartError ? malformed(codes, error.message) : error;
  }
}

function documentOf({ headers, content }: Part, codes: BodyCodes): DocumentFile {
  const disposition = parseHeaderParams(headers.get("content-disposition") ?? "");
  const documentId = disposition?.params.get("documentid") ?? "";
  if (disposition === undefined || documentId === "") {
    throw malformed(codes, 'A part does not say its document: Content-Disposition: file; filename="…"; documentid=1.');
  }
  return fileOf(decode(content, headers.get("content-transfer-encoding") ?? "", codes), {
    documentId,
    name: disposition.params.get("filename") ?? "",
    contentType: parseHeaderParams(headers.get("content-type") ?? "")?.value ?? "",
  });
}

function decode(content: Buffer, encoding: string, codes: BodyCodes): DocumentFile["content"] {
  if (content.length === 0) return "missing";
  switch (encoding.toLowerCase()) {
    case "base64":
      return decodeBase64(content.toString("latin1"), true) ?? "invalid-base64";
    case "":
    case "7bit":
    case "8bit":
    case "binary":
      return new Uint8Array(content);
    default:
      throw malformed(codes, "A part has a Content-Transfer-Encoding that is not known.");
  }
}

type Json = Record<string, unknown>;

function assignFiles(value: unknown, files: readonly DocumentFile[], added: Map<string, number>): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const document of documentsIn(value as Json)) {
    const documentId = String(document[spelled(document, "documentId")]);
    const index = added.get(documentId);
    if (index === undefined) continue;
    document[spelled(document, "documentBase64")] = String(index);
    added.delete(documentId);
  }
  if (added.size === 0) return;
  const body = value as Json;
  const name = spelled(body, "documents");
  const rest = [...added].map(([documentId, index]) => ({
    documentId,
    name: files[index]?.name ?? "",
    documentBase64: String(index),
  }));
  const named = body[name];
  body[name] = [...(Array.isArray(named) ? named : []), ...rest];
}

/** A property's name as the body spells it: some programs start names with a capital. */
const spelled = (object: Json, name: string): string =>
  Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;

/** Objects in a list called documents, or under the name document, anywhere in the body. */
function documentsIn(value: Json): Json[] {
  return Object.entries(value).flatMap(([name, child]) => {
    const key = name.toLowerCase();
    const objects = [child].flat().filter((one): one is Json => typeof one === "object" && one !== null);
    return key === "document" || key === "documents" ? objects : objects.flatMap(documentsIn);
  });
}

const malformed = (codes: BodyCodes, message: string): DomainError => new DomainError(codes.malformed, { message });

/** The error codes for bodies with documents. */
interface BodyCodes {
  readonly malformed: ErrorCode;
  readonly tooLarge: ErrorCode;
}

/** Limit on the JSON besides the documents, because parsing, checking and copying it blocks the event loop. */
const maxOtherBytes = 2 * 1024 * 1024;

/** Longer texts may be documents; shorter texts and everything between them count towards the limit. */
const longTextBytes = 4_096;

/**
 * Parses JSON and extracts its documents: each `documentBase64` is replaced by the index of its file. Throws
 * whatever parseJson throws, and an error for more than 2 MiB besides the documents.
 */
function readJson(
  bytes: Buffer,
  files: DocumentFile[],
  { codes, lineBreaks }: { readonly codes: BodyCodes; readonly lineBreaks: boolean },
): unknown {
  if (!isMostlyLongTexts(bytes)) throw tooMuchElse(codes);
  const value = parseJson(bytes, codes.malformed);
  takeFiles(value, (text) => {
    files.push(fileOf(text === "" ? "missing" : (decodeBase64(text, lineBreaks) ?? "invalid-base64")));
    return String(files.length - 1);
  });
  return value;
}

const tooMuchElse = ({ tooLarge }: BodyCodes): DomainError =>
  new DomainError(tooLarge, { message: `The body has more than ${maxOtherBytes} bytes besides its documents.` });

/** Integrations in some languages send names with a capital letter. */
const names = ["documentBase64", "DocumentBase64"] as const;

function takeFiles(value: unknown, take: (text: string) => string): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) {
    const record = value as Record<string, unknown>;
    for (const name of names) {
      const text = Object.hasOwn(record, name) ? record[name] : undefined;
      if (typeof text === "string") record[name] = take(text);
    }
  }
  for (const child of Object.values(value)) takeFiles(child, take);
}

const quote = 0x22;
const backslash = 0x5c;

/** Only looks for quotes, so its time is linear in the length of the body. */
function isMostlyLongTexts(bytes: Buffer): boolean {
  if (bytes.length <= maxOtherBytes) return true;
  let outside = 0;
  let at = 0;
  while (outside <= maxOtherBytes) {
    const open = bytes.indexOf(quote, at);
    const close = open < 0 ? -1 : closingQuote(bytes, open + 1);
    if (close < 0) return outside + bytes.length - at <= maxOtherBytes;
    const length = close - open + 1;
    outside += open - at + (length > longTextBytes ? 0 : length);
    at = close + 1;
  }
  return false;
}

function closingQuote(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0;
    while (at - escapes > from && bytes[at - escapes - 1] === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

/**
 * Decodes Base64 (RFC 4648 §4) into a buffer of its own; undefined when the text is invalid. With `lineBreaks`,
 * CR and LF are skipped, as in MIME.
 */
export function decodeBase64(text: string, lineBreaks = false): Uint8Array<ArrayBuffer> | undefined {
  const plain = lineBreaks ? text.replaceAll("\r", "").replaceAll("\n", "") : text;
  if (plain.length % 4 !== 0) return undefined;
  const bytes = new Uint8Array((plain.length / 4) * 3 - paddingOf(plain));
  const buffer = Buffer.from(bytes.buffer);
  // The decoder skips invalid characters, which yields fewer bytes, and also accepts the URL alphabet.
  const isComplete = buffer.write(plain, "base64") === bytes.length && Buffer.byteLength(plain) === plain.length;
  const isOther = plain.includes("-") || plain.includes("_");
  return isComplete && !isOther && endsAsEncoded(plain, buffer) ? bytes : undefined;
}

/** Whether the last four characters have no bits behind the end of the bytes. */
const endsAsEncoded = (text: string, bytes: Buffer): boolean =>
  bytes.toString("base64", Math.max(0, bytes.length - (3 - paddingOf(text)))) === text.slice(-4);

function paddingOf(text: string): number {
  if (text.endsWith("==")) return 2;
  return text.endsWith("=") ? 1 : 0;
}
