import type { RenderErrorCode, Rendered } from "./render-job.ts";

/** What a renderer process sends: first that it is ready, then one answer for each job it gets. */
export interface RendererAnswer {
  readonly outcome: { readonly kind: "ready" } | RenderOutcome;
  /** Physical memory of the process after that. */
  readonly residentBytes: number;
}

export type RenderOutcome = { readonly kind: "rendered"; readonly rendered: Rendered } | Refused | Defect;

/** A RenderError. */
export interface Refused {
  readonly kind: "refused";
  readonly code: RenderErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
  /** For the log; without anything of the document. */
  readonly notes: readonly string[];
}

/** Something else was thrown. Its message may have parts of the document in it, so it stays where it was thrown. */
export interface Defect {
  readonly kind: "defect";
  readonly name: string;
  /** Where it was thrown. */
  readonly frames: readonly string[];
}
