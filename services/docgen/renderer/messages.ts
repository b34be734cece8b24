import type { RenderErrorCode, Rendered } from "./render-job.ts";

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
