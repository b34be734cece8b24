interface GenPage {
  readonly size: "a4" | "a5" | "letter" | "legal";
  readonly orientation: "portrait" | "landscape";
  readonly margins: Readonly<Record<"top" | "right" | "bottom" | "left", number>>;
  readonly header: string;
  readonly footer: string;
  readonly font: "sans" | "serif";
}

export type Format = "html" | "markdown";
export type Data = Readonly<Record<string, unknown>>;

/** As lists have it. */
export interface ListedTemplate {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly format: Format;
  readonly page: GenPage;
  readonly locale: string;
  readonly publishedVersion: number | null;
  readonly publishedAt: string | null;
  /** Whether the draft differs from the published version. */
  readonly hasChanges: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Template extends ListedTemplate {
  readonly content: string;
  readonly sampleData: Data | null;
}

/** Places begin with 1. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly path?: string;
  readonly expected?: string;
}

export interface Validation {
  readonly valid: boolean;
  readonly errors: readonly Finding[];
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

export const documentStatuses = ["queued", "rendering", "completed", "failed", "expired", "cancelled"] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

export interface GenDocument {
  readonly id: string;
  readonly status: DocumentStatus;
  readonly templateId: string | null;
  readonly version: number | null;
  readonly output: { readonly profile: string; readonly fileName: string };
  readonly pages: number;
  readonly bytes: number;
  readonly contentUrl: string | null;
  readonly warnings: readonly Failure[];
  readonly error: Failure | null;
  readonly batchId: string | null;
  readonly createdAt: string;
  readonly renderMs: number;
}

export const batchStatuses = ["queued", "running", "completed", "completed_with_errors", "cancelled"] as const;
export type BatchStatus = (typeof batchStatuses)[number];

export interface Batch {
  readonly id: string;
  readonly status: BatchStatus;
  readonly counts: Readonly<Record<"total" | "queued" | "completed" | "failed" | "cancelled", number>>;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

export interface BatchItem {
  readonly index: number;
  readonly ref: string | null;
  readonly status: DocumentStatus;
  readonly documentId: string | null;
  readonly pages: number;
  readonly bytes: number;
  readonly contentUrl: string | null;
  readonly error: Failure | null;
}

export interface UsageWindow {
  readonly limit: number;
  readonly used: number;
  readonly resetAt: string;
}

export interface Usage {
  readonly plan: string;
  readonly hour: UsageWindow;
  readonly minute: UsageWindow;
}

export const hasEnded = ({ status }: Pick<Batch, "status">): boolean => status !== "queued" && status !== "running";
