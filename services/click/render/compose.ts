import type { JsonObject } from "@bufbuild/protobuf";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { chooseWords, type Words } from "#platform/words.ts";
import { type AskedPurpose, askedPurposes } from "../domain/asked-purposes.ts";
import type { Terms } from "../domain/terms.ts";
import type { HtmlText } from "./html-source.ts";
import { mergeText } from "./merge-text.ts";

/** Exactly what a person is shown: the text and the words around it. */
export interface Composition {
  readonly html: string;
  readonly renderHash: string;
  readonly words: ShownWords;
  /** Canonical JSON of the words. */
  readonly wordsJson: string;
  readonly wordsHash: string;
  /** The values of a GENERATED text. */
  readonly data: JsonObject | null;
}

export interface ShownWords extends Words {
  readonly purposes: readonly AskedPurpose[];
}

/** A GENERATED text is merged with the values; throws CLICK_DATA_INVALID when they do not fit. */
export function compose(text: HtmlText, terms: Terms, data: JsonObject | undefined): Composition {
  const { html, htmlHash, merge } = text;
  const merged = merge === null ? { html, renderHash: htmlHash, data: null } : mergeText(merge, terms, data ?? {});
  return { ...merged, ...composeWords(text, terms) };
}

export function composeWords(text: Pick<HtmlText, "title" | "texts" | "locale">, terms: Terms) {
  const words: ShownWords = {
    ...chooseWords(text.texts, text.title ?? terms.name, text.locale),
    purposes: askedPurposes(terms, text.texts.purposeTexts),
  };
  const wordsJson = canonicalJson(words);
  return { words, wordsJson, wordsHash: sha256Label(wordsJson) };
}
