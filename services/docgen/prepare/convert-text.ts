import { filledLength, fillMerge, prepareMerge } from "#platform/restricted-html/merge-html.ts";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { type ContentFormat, contentToHtml, UnsafeContentError } from "#platform/restricted-html/to-html.ts";
import { printableHtml } from "./printable.ts";

/** A text of the templates service that a document is to be made of. */
export interface TextJob {
  readonly format: ContentFormat;
  readonly content: string;
  /** The values of its fields; null for a text that stays as it is. */
  readonly values: readonly (readonly [key: string, value: string])[] | null;
}

export type ConvertedText =
  | { readonly kind: "html"; readonly html: string }
  /** The values make it longer than a document may be. */
  | { readonly kind: "too_long" }
  /** Must not be shown. */
  | { readonly kind: "unsafe"; readonly message: string };

/** Twice the longest text, as where such texts are shown. */
const maxCharacters = 2_097_152;

/** Takes up to a second for 1 MiB of HTML, and longer for Markdown; what is large belongs into a thread. */
export function convertText({ format, content, values }: TextJob): ConvertedText {
  try {
    const html = contentToHtml(format, content);
    const filled = values === null ? html : fill(html, new Map(values));
    if (filled === undefined) return { kind: "too_long" };
    const { tree, findings } = parseRestrictedHtml(filled);
    if (tree === undefined) return { kind: "unsafe", message: findings[0]?.message ?? "The text has errors." };
    return { kind: "html", html: printableHtml(tree) };
  } catch (error) {
    // A RangeError is a field that stands where no value may.
    if (!(error instanceof UnsafeContentError || error instanceof RangeError)) throw error;
    return { kind: "unsafe", message: error.message };
  }
}

function fill(html: string, values: ReadonlyMap<string, string>): string | undefined {
  const merge = prepareMerge(html);
  return filledLength(merge, values) > maxCharacters ? undefined : fillMerge(merge, values);
}
