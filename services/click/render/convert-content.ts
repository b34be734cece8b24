import type { LocatedFinding } from "#platform/restricted-html/findings.ts";
import { type MergeHtml, prepareMerge } from "#platform/restricted-html/merge-html.ts";
import { contentToHtml, UnsafeContentError } from "#platform/restricted-html/to-html.ts";
import type { ContentFormat } from "../store/content-store.ts";

export interface ConversionJob {
  readonly format: ContentFormat;
  readonly content: string;
  /** Whether the text has fields to be filled in. */
  readonly isGenerated: boolean;
}

export type Conversion =
  /** `merge` is null for a text that stays as it is. */
  | { readonly kind: "html"; readonly html: string; readonly merge: MergeHtml | null }
  /** Must not be shown. */
  | { readonly kind: "unsafe"; readonly findings: readonly UnsafePlace[] };

export type UnsafePlace = Pick<LocatedFinding, "code" | "message" | "line" | "column">;

/** Takes about 0.4 s for 1 MiB of HTML, and longer for Markdown; what is large belongs into a thread. */
export function convertContent({ format, content, isGenerated }: ConversionJob): Conversion {
  try {
    const html = contentToHtml(format, content);
    return { kind: "html", html, merge: isGenerated ? prepareMerge(html) : null };
  } catch (error) {
    if (error instanceof UnsafeContentError) {
      const findings = error.findings.map(({ code, message, line, column }) => ({ code, message, line, column }));
      return { kind: "unsafe", findings };
    }
    if (error instanceof RangeError) {
      return { kind: "unsafe", findings: [{ code: "MERGE_FIELD", message: error.message, line: 1, column: 1 }] };
    }
    throw error;
  }
}
