import { createHash } from "node:crypto";
import type { Client } from "@connectrpc/connect";
import type { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { Clock } from "#platform/clock.ts";
import { maxDocumentBytes } from "#platform/document-bounds.ts";
import { DomainError, type ErrorCode, fromConnectError } from "#platform/errors.ts";
import type { CheckedFile, DocumentSource } from "../agreement/definition.ts";
import type { TextMatch } from "../agreement/tab.ts";
import type { PreparedFile } from "../seal/byte-range.ts";
import {
  adviceFor,
  convertHtml,
  type DocumentFormat,
  extensionsOf,
  formatOf,
  isPdf,
  notConvertible,
  type OfficeConverter,
} from "./convert-document.ts";
import { createIntakeQueue, type IntakeAnswer, type IntakeQueueOptions } from "./intake-queue.ts";
import type { FileWords, SealPreparation, TabProposal, WantedText } from "./messages.ts";
import { maxMatches } from "./pdf-limits.ts";
import { type CheckResult, createResultCache } from "./result-cache.ts";

export type { WantedText } from "./messages.ts";

/** Everything done to untrusted files, in separate processes with time and memory limits. */
export interface Intake {
  /**
   * Checks files, converts what is no PDF, and rewrites every PDF without signatures. Looks for one kind
   * of problem at a time in all files (empty content, bad base64, format, size, content) and throws for the
   * first file that has it. A file that passes does not fail later, when it is filled in and sealed.
   */
  check(orgId: string, documents: readonly DocumentFile[]): Promise<readonly CheckedFile[]>;
  /** Checks a PDF, or a PNG or JPEG that it makes a page of; needs no converter. Throws CORRUPTED_DOCUMENT. */
  checkAttached(orgId: string, bytes: Uint8Array): Promise<CheckedFile>;
  /** The occurrences of each wanted text, ordered by document and page; at most 1,000. */
  findTexts(
    orgId: string,
    files: readonly { readonly documentId: string; readonly bytes: Uint8Array }[],
    wanted: readonly WantedText[],
  ): Promise<readonly (readonly TextMatch[])[]>;
  /** What each page of a checked PDF says, as paragraphs. Throws CORRUPTED_DOCUMENT when it is too much. */
  readTexts(orgId: string, bytes: Uint8Array): Promise<readonly (readonly string[])[]>;
  /** The words of a checked PDF. Rejects when reading them ends the process, but for the last try: then there are none. */
  readWords(orgId: string, bytes: Uint8Array, options: { readonly isLast: boolean }): Promise<FileWords>;
  /** The tabs that the text of a checked PDF asks for, by page and from top to bottom; at most 1,000. */
  proposeTabs(orgId: string, bytes: Uint8Array): Promise<readonly TabProposal[]>;
  /** Merges all pages into one PDF. */
  merge(orgId: string, files: readonly Uint8Array[]): Promise<Uint8Array>;
  /** Adds the marks and a signature placeholder; the signature itself is inserted later. */
  prepareSeal(file: SealPreparation): Promise<PreparedFile>;
  /** The extensions of files that are taken here, in alphabetical order. */
  extensions(): Promise<readonly string[]>;
  /** How many files could be processed right now. */
  freeSlots(): number;
  close(): Promise<void>;
}

export interface IntakeOptions extends IntakeQueueOptions {
  readonly renderer: Client<typeof RendererService>;
  /** Without it Office files and pictures are refused. */
  readonly office?: OfficeConverter | undefined;
  readonly clock: Clock;
  /** Overrides the default deadlines, in milliseconds. */
  readonly deadlines?: Partial<typeof usualDeadlines>;
}

/** Checks must be fast; the other deadlines grow with the number of pages. */
const usualDeadlines = { check: 5_000, findTexts: 10_000, readWords: 20_000, merge: 20_000, prepareSeal: 30_000 };

export function createIntake({ renderer, office, clock, ...options }: IntakeOptions): Intake {
  const deadlines = { ...usualDeadlines, ...options.deadlines };
  const queue = createIntakeQueue(options);
  // Sealing has a queue of its own: agreements people have signed do not wait for uploads.
  const sealing = createIntakeQueue({ ...options, kept: 0 });
  const cache = createResultCache();

  /** Looks into a PDF, once for each of the same. */
  const resultFor = async (
    orgId: string,
    key: string,
    bytes: Uint8Array,
    pdfFields: Readable["pdfFields"] = "keep",
  ): Promise<CheckResult> => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const answer = await queue.run(orgId, { kind: "check", bytes, pdfFields }, bytes.length, deadlines.check);
    const result = resultOf(answer);
    // A crash or timeout may be due to load, so it is not cached.
    if (answer.kind !== "ended") cache.put(key, result);
    return result;
  };
  const checkPdf = async (orgId: string, file: Readable): Promise<CheckedFile> => {
    const { documentId, name, bytes: sent, field, pdfFields = "keep", pdfFieldsRecipientId: recipientId = "" } = file;
    const sentSha256 = await hashOf(sent);
    const key = `${orgId} ${pdfFields} ${sentSha256.toString("base64")}`;
    const result = await resultFor(orgId, key, sent, pdfFields);
    if ("problem" in result) throw corrupted(field, result.problem);
    const { rewritten: bytes = sent, pages, isSigned, warnings, tabs = [] } = result;
    const sha256 = bytes === sent ? sentSha256 : await hashOf(bytes);
    const checked = { documentId, name, bytes, sha256, sentSha256, pages, isSigned, warnings };
    return tabs.length === 0 ? checked : { ...checked, form: { tabs, recipientId } };
  };
  /** The same file is converted once, also for those that send it at the same time. */
  const converting = new Map<string, Promise<CheckResult>>();
  const convertOnce = (orgId: string, key: string, convert: () => Promise<Uint8Array>): Promise<CheckResult> => {
    const known = cache.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const begun = converting.get(key);
    if (begun !== undefined) return begun;
    const converted = convert()
      .then((pdf) => resultFor(orgId, key, pdf))
      .finally(() => converting.delete(key));
    converting.set(key, converted);
    return converted;
  };
  const pictureToPdf = async (orgId: string, { bytes, field }: Readable): Promise<Uint8Array> => {
    const answer = await queue.run(orgId, { kind: "picture-to-pdf", bytes }, bytes.length, deadlines.check);
    if (answer.kind === "printed") return answer.pdf;
    throw corrupted(field, answer.kind === "ended" ? pictureEnding : problemOf(answer));
  };
  const convertFile = async (orgId: string, file: Readable): Promise<CheckedFile> => {
    const { documentId, name, bytes: sent, field, format } = file;
    const sentSha256 = await hashOf(sent);
    const isPicture = format === "png" || format === "jpeg";
    const result = await convertOnce(orgId, `${orgId} ${format} ${sentSha256.toString("base64")}`, () =>
      isPicture ? pictureToPdf(orgId, file) : printed(office, orgId, file),
    );
    if ("problem" in result) throw notConvertible(field, "its PDF cannot be used.");
    const { rewritten: bytes, pages, isSigned, warnings } = result;
    if (bytes === undefined) throw new Error("a file was converted to a PDF with signatures");
    const original = { format, bytes: sent };
    return { documentId, name, bytes, sha256: await hashOf(bytes), sentSha256, pages, isSigned, warnings, original };
  };
  const convert = async (orgId: string, file: Readable, type: "html" | "text"): Promise<CheckedFile> => {
    const { bytes, field, name } = file;
    const answer = await queue.run(orgId, { kind: "to-html", bytes, type }, bytes.length, deadlines.check);
    if (answer.kind !== "html") throw notConvertible(field, "it takes too much time and memory.");
    const { html } = answer;
    if (html === "") throw notConvertible(field, "there is no text in it.");
    if (html.length > maxHtmlLength) throw notConvertible(field, "it is too long.");
    const pdf = await convertHtml({ renderer, now: () => clock.now() }, orgId, { html, name, field });
    const original = { format: type === "text" ? "txt" : type, bytes };
    return { ...(await checkPdf(orgId, { ...file, bytes: pdf })), sentSha256: await hashOf(bytes), original };
  };
  return {
    check: async (orgId, documents) => {
      const checks = (await readFiles(documents, office)).map((file) => {
        if (file.format === "pdf") return checkPdf(orgId, file);
        return file.format === "html" || file.format === "text"
          ? convert(orgId, file, file.format)
          : convertFile(orgId, file);
      });
      // Waits for all, so that the reported problem is the first in order and not the fastest to fail.
      for (const outcome of await Promise.allSettled(checks)) if (outcome.status === "rejected") throw outcome.reason;
      return Promise.all(checks);
    },
    checkAttached: (orgId, bytes) => {
      const file = { documentId: "", name: "", bytes, field: "contentBase64" };
      if (isPdf(bytes)) return checkPdf(orgId, { ...file, format: "pdf" });
      return convertFile(orgId, { ...file, format: bytes[0] === 0x89 ? "png" : "jpeg" });
    },
    findTexts: async (orgId, files, wanted) => {
      if (wanted.length === 0) return [];
      const searches = files.map(async ({ documentId, bytes }) => {
        const answer = await queue.run(orgId, { kind: "find-texts", bytes, wanted }, bytes.length, deadlines.findTexts);
        if (answer.kind !== "found") throw corrupted(`documents[${documentId}]`, problemOf(answer));
        return answer.places.map((places) => places.map((place): TextMatch => ({ documentId, ...place })));
      });
      const found = await Promise.all(searches);
      return wanted.map((_, index) => found.flatMap((matches) => matches[index] ?? []).slice(0, maxMatches));
    },
    readTexts: async (orgId, bytes) => {
      const answer = await queue.run(orgId, { kind: "read-texts", bytes }, bytes.length, deadlines.findTexts);
      if (answer.kind === "texts") return answer.pages;
      throw corrupted("content", problemOf(answer));
    },
    readWords: async (orgId, bytes, { isLast }) => {
      const answer = await queue.run(orgId, { kind: "read-words", bytes }, bytes.length, deadlines.readWords);
      if (answer.kind === "words") return answer;
      if (answer.kind === "ended" && !isLast) throw new Error(`the words of a file were not read: ${answer.end}`);
      return { words: [], isWhole: false };
    },
    proposeTabs: async (orgId, bytes) => {
      const answer = await queue.run(orgId, { kind: "propose-tabs", bytes }, bytes.length, deadlines.findTexts);
      if (answer.kind === "proposed") return answer.proposals;
      throw corrupted("content", problemOf(answer));
    },
    merge: async (orgId, files) => {
      const size = files.reduce((sum, { length }) => sum + length, 0);
      const answer = await queue.run(orgId, { kind: "merge", files }, size, deadlines.merge);
      if (answer.kind === "merged") return answer.bytes;
      throw new DomainError("CORRUPTED_DOCUMENT", {
        message: "The documents cannot be combined into one PDF. Download them one by one.",
      });
    },
    prepareSeal: async (file) => {
      const deadline = deadlines.prepareSeal + drawingTime(file);
      const answer = await sealing.run("", { kind: "prepare-seal", ...file }, file.bytes.length, deadline);
      if (answer.kind === "prepared") return { bytes: answer.bytes, start: answer.start, end: answer.end };
      // The file passed the check, so a failure now is a bug, or the machine is overloaded.
      throw new Error(`a document could not be prepared for its seal: ${problemOf(answer)}`);
    },
    extensions: async () => extensionsOf(new Set([...alwaysTaken, ...((await office?.formats()) ?? [])])),
    freeSlots: queue.freeSlots,
    close: async () => {
      await Promise.all([queue.close(), sealing.close()]);
    },
  };
}

/** One millisecond for each character is far more than the slowest script takes. */
const drawingTime = ({ marks }: SealPreparation): number =>
  Math.min(
    maxDrawingMs,
    marks.reduce((sum, mark) => sum + (mark.kind === "text" ? mark.text.length : 0), 0),
  );

/** Completions are retried after five minutes. */
const maxDrawingMs = 3 * 60_000;

/** The renderer accepts 8 million characters, but a message holds fewer. */
const maxHtmlLength = 2 * 1024 * 1024;

/** A file that can be converted or checked. */
interface Readable extends FieldRules {
  readonly documentId: string;
  readonly name: string;
  readonly format: DocumentFormat;
  readonly bytes: Uint8Array;
  /** Its path in the request. */
  readonly field: string;
}

/** Prints an Office file. */
async function printed(office: OfficeConverter | undefined, orgId: string, file: Readable): Promise<Uint8Array> {
  if (file.bytes.length === 0) throw corrupted(file.field, "The file is empty.");
  try {
    return (await office?.convert(orgId, file.format, file.bytes)) ?? new Uint8Array();
  } catch (error) {
    const known = fromConnectError(error);
    throw known?.code === "CORRUPTED_DOCUMENT" ? corrupted(file.field, known.message) : error;
  }
}

/** Each kind of problem is looked for in all files before the next kind. */
async function readFiles(documents: readonly DocumentFile[], office: OfficeConverter | undefined): Promise<Readable[]> {
  const fieldOf = (index: number) => `documents[${index}]`;
  const contents = documents.map(({ content }, index) => {
    if (content === "invalid-base64") throw refusal("INVALID_BASE64", fieldOf(index));
    if (content === "missing") throw refusal("VALIDATION_FAILED", fieldOf(index), "has no content");
    return content;
  });
  const asked = documents.map(formatOf);
  const taken = asked.some((format) => !alwaysTaken.has(format ?? "")) ? await office?.formats() : undefined;
  const formats = asked.map((format, index) => {
    if (format !== undefined && (alwaysTaken.has(format) || taken?.has(format))) return format;
    const advice = documents[index] && adviceFor(documents[index]);
    throw notTaken(fieldOf(index), format, { hasOffice: office !== undefined, advice });
  });
  contents.forEach((bytes, index) => {
    if (bytes.length > maxDocumentBytes) throw refusal("DOCUMENT_TOO_LARGE", fieldOf(index));
  });
  return documents.map(({ fileExtension, content, ...document }, index) => {
    const [bytes = new Uint8Array(), format = "pdf", field] = [contents[index], formats[index], fieldOf(index)];
    if (format === "pdf" && !isPdf(bytes)) throw corrupted(field, "The file is not a PDF.");
    return { ...document, format, bytes, field };
  });
}

const alwaysTaken: ReadonlySet<string> = new Set(["pdf", "html", "text"]);

/** Says what is missing when another installation would take the file. */
function notTaken(
  field: string,
  format: DocumentFormat | undefined,
  { hasOffice, advice }: { readonly hasOffice: boolean; readonly advice: string | undefined },
): DomainError {
  if (advice === undefined && (format === undefined || (hasOffice && format !== "doc")))
    return refusal("INVALID_DOCUMENT_FORMAT", field);
  const older =
    "Files of the type .doc are not converted here, because LibreOffice cannot be kept from other files. Save it as .docx, or send a PDF.";
  const missing = `Files of the type .${format} are not converted here, because LibreOffice is not set up. Send a PDF, or HTML or plain text to be converted to PDF.`;
  const message = advice ?? (hasOffice ? older : missing);
  return new DomainError("INVALID_DOCUMENT_FORMAT", {
    message,
    details: [{ field, code: "INVALID_DOCUMENT_FORMAT", message: "see the message" }],
  });
}

/** Includes the path of the file, so that the caller knows which one it was. */
function refusal(code: ErrorCode, field: string, reason = "see the message"): DomainError {
  return new DomainError(code, {
    details: [{ field, code: code === "VALIDATION_FAILED" ? "REQUIRED" : code, message: reason }],
  });
}

const corrupted = (field: string, problem: string): DomainError =>
  new DomainError("CORRUPTED_DOCUMENT", {
    message: problem,
    details: [{ field, code: "CORRUPTED_DOCUMENT", message: problem }],
  });

const resultOf = (answer: IntakeAnswer): CheckResult =>
  answer.kind === "checked" ? answer : { problem: problemOf(answer) };

function problemOf(answer: IntakeAnswer): string {
  if (answer.kind === "refused") return answer.problem;
  return answer.kind === "ended" ? endings[answer.end] : endings.crashed;
}

const pictureEnding = "The picture takes too much time or memory to be read. Make it smaller and retry.";
const endings = {
  timeout: "The PDF takes too long to be read. Save it again and retry.",
  out_of_memory: "The PDF takes too much memory to be read. Save it again and retry.",
  crashed: "The PDF cannot be read. Save it again and retry.",
};

/** Hashing more than this at once would block the event loop for over half a millisecond. */
const maxBytesAtOnce = 512 * 1024;

async function hashOf(bytes: Uint8Array): Promise<Buffer> {
  if (bytes.length <= maxBytesAtOnce) return createHash("sha256").update(bytes).digest();
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
}

type FieldRules = Pick<Extract<DocumentSource, { kind: "file" }>, "pdfFields" | "pdfFieldsRecipientId">;

/** A file as it was sent. */
export interface DocumentFile extends FieldRules {
  /** The integration's id. */
  readonly documentId: string;
  readonly name: string;
  /** Empty to use the extension of the name. */
  readonly fileExtension: string;
  readonly content: Uint8Array | "invalid-base64" | "missing";
}
