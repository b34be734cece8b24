import type { JsonObject } from "@bufbuild/protobuf";
import { sha256Label } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";
import { filledLength, fillMerge, type MergeHtml } from "#platform/restricted-html/merge-html.ts";
import { fitData } from "../domain/merge-data.ts";
import type { Terms } from "../domain/terms.ts";

/** The text of a GENERATED template with somebody's values. */
export interface MergedText {
  readonly html: string;
  readonly renderHash: string;
  readonly data: JsonObject;
}

/** Twice the longest text; a value of ten thousand characters could be asked for a hundred thousand times. */
export const maxMergedCharacters = 2_097_152;

/** Throws CLICK_DATA_INVALID. Values become text and never markup. */
export function mergeText(merge: MergeHtml, { typeConfig }: Terms, given: JsonObject): MergedText {
  const { values, data } = fitData(typeConfig, merge.keys, given);
  if (filledLength(merge, values) > maxMergedCharacters) {
    const message = `must not make the text longer than ${maxMergedCharacters} characters`;
    throw new DomainError("CLICK_DATA_INVALID", { details: [{ field: "data", code: "TOO_LARGE", message }] });
  }
  const html = fillMerge(merge, values);
  return { html, renderHash: sha256Label(html), data };
}
