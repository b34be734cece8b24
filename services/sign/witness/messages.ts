import type { Box, Mark } from "../completion/mark.ts";

/** What is to be seen of a mark. */
export interface WitnessedMark extends Box {
  readonly kind: "text" | "signature" | "image" | "check";
  /** In the order in which they are drawn. Of a picture the last one stands in place of one that cannot be shown. */
  readonly texts: readonly string[];
}

export interface WitnessJob {
  /** The file that people have seen. */
  readonly shown: Uint8Array;
  /** The one that is about to be sealed. */
  readonly sealed: Uint8Array;
  readonly marks: readonly WitnessedMark[];
}

export type WitnessOutcome =
  | { readonly kind: "same" }
  /** A sentence without anything of the files. */
  | { readonly kind: "different"; readonly difference: string };

export function witnessedMark(mark: Mark): WitnessedMark {
  const { page, x, y, width, height, kind } = mark;
  const texts = kind === "check" ? [] : kind === "text" ? [mark.text] : [mark.caption, mark.text];
  return { page, x, y, width, height, kind, texts };
}
