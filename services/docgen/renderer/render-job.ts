import type { ErrorCode } from "#platform/errors.ts";
import type { Page, RenderProfile } from "../domain/page.ts";
import type { TemplateSource } from "../templating/template-source.ts";

/** The input of a rendering. It contains everything that the bytes of the PDF depend on. */
export interface RenderJob {
  readonly content: TemplateContent | HtmlContent | WordContent;
  readonly title: string;
  readonly page: Page;
  /** BCP 47. */
  readonly locale: string;
  readonly profile: RenderProfile;
  /** Stands in the PDF, and is what templates see as now. */
  readonly createdAt: Date;
  /** By the id that `asset:` addresses name. */
  readonly images: ReadonlyMap<string, RenderImage>;
  readonly attachments: readonly RenderAttachment[];
  /** The recorded trace that it belongs to; that of the caller when absent. */
  readonly traceparent?: string;
}

export interface TemplateContent {
  readonly kind: "template";
  readonly template: TemplateSource;
  readonly data: Readonly<Record<string, unknown>>;
  /** An IANA name. */
  readonly timeZone: string;
}

export interface HtmlContent {
  readonly kind: "html";
  readonly html: string;
}

/** What is rendered is a Word file again, with the data in it: others print it. */
export interface WordContent {
  readonly kind: "word";
  readonly file: Uint8Array;
  readonly data: Readonly<Record<string, unknown>>;
  /** An IANA name. */
  readonly timeZone: string;
}

export interface RenderImage {
  readonly contentType: "image/png" | "image/jpeg";
  readonly bytes: Uint8Array;
}

export interface RenderAttachment {
  readonly fileName: string;
  readonly mediaType: string;
  readonly description: string;
  readonly bytes: Uint8Array;
}

export interface Rendered {
  /** Of a Word file the filled file, which has no pages yet. */
  readonly pdf: Uint8Array;
  readonly pages: number;
  readonly warnings: readonly RenderWarning[];
  /** From the start of the rendering, waiting not counted. */
  readonly renderMs: number;
}

export interface RenderWarning {
  /** missing_glyph, … */
  readonly code: string;
  /** Where in the data, as `data.name`, when that is known. */
  readonly path?: string;
  /** `U+6C49` */
  readonly char?: string;
  readonly message: string;
}

type RenderErrorCode = Extract<
  ErrorCode,
  "GEN_TEMPLATE_ERROR" | "GEN_INVALID_DATA" | "GEN_ASSET_NOT_FOUND" | "GEN_RENDER_FAILED"
>;

/** Why a job has no PDF. Any other error that a renderer throws is a defect of the product. */
export class RenderError extends Error {
  readonly code: RenderErrorCode;
  /** Facts for the caller: path, expected, line, column, reason. */
  readonly details: Readonly<Record<string, string>>;

  constructor(code: RenderErrorCode, message: string, details: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "RenderError";
    this.code = code;
    this.details = details;
  }
}

/** The origin of a job: the queue of documents, or another service, which waits for the answer. */
export type Asker = "documents" | "services";

/**
 * Renders in separate processes. Jobs of other services take precedence, and if there are several processes, one is
 * reserved for them.
 */
export interface Renderer {
  /** How many jobs of documents could start now. */
  freeSlots(): number;
  /** How many jobs of documents could run at the same time. */
  places(): number;
  /**
   * Rejects with a RenderError, whose details.reason is timeout, out_of_memory, crashed, aborted, too_many_pages or
   * too_large when the code is GEN_RENDER_FAILED; with GEN_BUSY when too many jobs wait. A job beyond the deadline or the memory limit costs its process and no other job. An
   * aborted signal ends the job with a RenderError too. It is a job of documents when nothing else is said.
   */
  render(job: RenderJob, signal?: AbortSignal, asker?: Asker): Promise<Rendered>;
  close(): Promise<void>;
}

/** What a renderer process answers to a job. */
export type RenderOutcome = { readonly kind: "rendered"; readonly rendered: Rendered } | Refused;

/** A RenderError. */
export interface Refused {
  readonly kind: "refused";
  readonly code: RenderErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
  /** For the log; without anything of the document. */
  readonly notes: readonly string[];
}
