import type { JsonObject } from "@bufbuild/protobuf";
import type { ErrorCode } from "#platform/errors.ts";
import type { RenderWarning } from "../renderer/render-job.ts";
import type { TemplateSource } from "../templating/template-source.ts";
import type { Page, Profile } from "./page.ts";

const documentStatuses = ["queued", "rendering", "completed", "failed", "expired", "cancelled"] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

/** A document without its template and data. */
export interface Document {
  readonly id: string;
  readonly status: DocumentStatus;
  readonly batchId: string | null;
  readonly itemIndex: number | null;
  readonly ref: string | null;
  /** Null when it is made from a text of the templates service. */
  readonly templateId: string | null;
  readonly templateVersion: number | null;
  readonly templateRef: TextRef | null;
  readonly profile: Profile;
  readonly fileName: string;
  readonly locale: string;
  readonly metadata: JsonObject | null;
  readonly pages: number | null;
  readonly bytes: number | null;
  /** Present while there are bytes. */
  readonly sha256: Uint8Array | null;
  readonly warnings: readonly RenderWarning[];
  readonly failure: Failure | null;
  readonly renderMs: number | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  readonly deletedAt: Date | null;
}

/** Why a document has no PDF. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
}

/** A text of the templates service, as it was requested and found. */
export interface TextRef {
  readonly templateId: string;
  readonly versionId: string;
  readonly locale: string;
}

/**
 * What a document is rendered from, apart from its columns. Published versions never change, so they are not copied; a
 * text of the templates service is copied, with its fields filled in.
 */
export interface DocumentSource {
  readonly title: string;
  readonly content: VersionContent | TextContent;
}

export interface VersionContent {
  readonly kind: "version";
  readonly data: JsonObject;
}

export interface TextContent {
  readonly kind: "html";
  readonly html: string;
  readonly page: Page;
}

/** A published version, as it is rendered. */
export interface RenderedVersion {
  readonly format: TemplateSource["format"];
  readonly content: string;
  readonly page: Page;
}

/** The document is final; only its bytes may still be removed. */
export const hasEnded = ({ status }: Pick<Document, "status">): boolean =>
  status !== "queued" && status !== "rendering";

/** The status at this time: a document expires at the promised moment, whenever its bytes are actually removed. */
export function statusAt(document: Pick<Document, "status" | "expiresAt">, now: Date): DocumentStatus {
  const { status, expiresAt } = document;
  return status === "completed" && expiresAt !== null && expiresAt <= now ? "expired" : status;
}
