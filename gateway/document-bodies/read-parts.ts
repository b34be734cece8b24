import { DomainError } from "#platform/errors.ts";
import { decodeBase64 } from "../http/base64.ts";
import { parseHeaderParams } from "../http/header-params.ts";
import { MultipartError, type Part, splitMultipart } from "../http/multipart.ts";
import { type DocumentFile, fileOf } from "./document-file.ts";
import { type BodyCodes, readJson } from "./read-json.ts";

/**
 * Reads a body whose first part is JSON and whose others are documents, each with the `documentid` that the JSON calls
 * it by: `Content-Disposition: file; filename="NDA.pdf"; documentid=3`. The documents of the JSON get the index of their
 * file as documentBase64, and those that it does not name are added to its list.
 */
export function readParts(
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
