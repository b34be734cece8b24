import { DomainError, type ErrorCode, type FieldProblem } from "#platform/errors.ts";
import { decodeBase64 } from "../http/base64.ts";
import { parseJson } from "../http/body.ts";
import { MultipartError, type Part, splitMultipart } from "../http/multipart.ts";
import { parseHeaderParams } from "../http/params.ts";
import { type DocumentFile, fileOf } from "./document-file.ts";

/** A body with documents in it, as it has arrived. */
export interface DocumentBodyJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly codes: BodyCodes;
  /** Of a body of several parts; empty for JSON. */
  readonly boundary: string;
  /** Whether Base64 may have line breaks. */
  readonly lineBreaks: boolean;
}

/** What it says: `documentBase64` is the index of a file. */
export interface ReadDocuments {
  readonly value: unknown;
  readonly files: readonly DocumentFile[];
}

/** The same between threads: a text is handed on as fast as it can be copied, objects are not. */
export interface SentDocuments {
  readonly json: string;
  readonly files: readonly DocumentFile[];
}

/** A refusal that can be sent from thread to thread, which an error with a class of its own cannot. */
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

/** What a thread does. */
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

/** What is handed over to another thread instead of copied. */
export const buffersOf = (sent: SentDocuments | DocumentRefusal): ArrayBuffer[] =>
  "files" in sent ? sent.files.flatMap(({ content }) => (typeof content === "string" ? [] : [content.buffer])) : [];

/**
 * Reads a body whose first part is JSON and whose others are documents, each with the `documentid` that the JSON calls
 * it by: `Content-Disposition: file; filename="NDA.pdf"; documentid=3`. The documents of the JSON get the index of their
 * file as documentBase64, and those that it does not name are added to its list.
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

/** The name of a property as the body has it: some programs begin their names with a capital. */
const spelled = (object: Json, name: string): string =>
  Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;

/** Objects in a list called documents, or called document, wherever they stand. */
function documentsIn(value: Json): Json[] {
  return Object.entries(value).flatMap(([name, child]) => {
    const key = name.toLowerCase();
    const objects = [child].flat().filter((one): one is Json => typeof one === "object" && one !== null);
    return key === "document" || key === "documents" ? objects : objects.flatMap(documentsIn);
  });
}

const malformed = (codes: BodyCodes, message: string): DomainError => new DomainError(codes.malformed, { message });

/** How the errors are named that bodies with documents have. */
interface BodyCodes {
  readonly malformed: ErrorCode;
  readonly tooLarge: ErrorCode;
}

/** What may stand around the documents: parsing, checking and copying that holds the event loop up. */
const maxOtherBytes = 2 * 1024 * 1024;

/** Texts beyond this may be documents; what stands in shorter ones and between them is what has to be bounded. */
const longTextBytes = 4_096;

/**
 * Parses JSON and takes the documents out of it: in place of each `documentBase64` stands the index of its file. Throws
 * for what parseJson throws, and for more than 2 MiB besides the documents.
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

/** Integrations of other languages write names with a capital letter. */
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

/** Looks at the quotes only, so it takes time that grows with the length of the body. */
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
