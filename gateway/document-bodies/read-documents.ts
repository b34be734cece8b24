import { DomainError, type ErrorCode, type FieldProblem } from "#platform/errors.ts";
import type { DocumentFile } from "./document-file.ts";
import { type BodyCodes, maxOtherBytes, readJson, tooMuchElse } from "./read-json.ts";
import { readParts } from "./read-parts.ts";

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
