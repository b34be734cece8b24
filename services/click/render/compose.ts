import type { JsonObject } from "@bufbuild/protobuf";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";
import { type EsignDisclosure, esignDisclosure } from "#platform/esign-disclosure.ts";
import { filledLength, fillMerge, type MergeHtml } from "#platform/restricted-html/merge-html.ts";
import { chooseWords, type Words } from "#platform/words.ts";
import { type AskedPurpose, askedPurposes } from "../consent/consent-plan.ts";
import type { BoundText } from "../terms/agreement.ts";
import { fitData } from "../terms/merge-data.ts";
import type { Placement } from "../terms/placement.ts";
import type { Terms } from "../terms/terms.ts";
import type { HtmlText, ShownPdf } from "./html-source.ts";
import type { RenderClaims } from "./render-tokens.ts";

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
  /** Where the policy asks for it. */
  readonly disclosure?: EsignDisclosure;
  /** The file that is shown, of a text that is one. */
  readonly pdf?: ShownPdf;
  /** Absent when the person is not told of an earlier text. */
  readonly changes?: ToldChanges;
}

/**
 * What a person who accepted an earlier text is told of what has changed. It names texts and nothing of the person, since
 * words are kept for everybody who is shown the same ones.
 */
export interface ToldChanges {
  readonly from: ChangedText;
  readonly to: Pick<ChangedText, "htmlHash">;
  readonly changeSummary: string | null;
  /** Of the HTML that is shown, which is in click.shown. */
  readonly shownHash: string;
}

interface ChangedText {
  readonly versionId: string;
  readonly revision: number;
  readonly label: string;
  readonly contentHash: string;
  /** Of the HTML that was compared, which is in click.shown. A GENERATED text is compared with its fields unfilled. */
  readonly htmlHash: string;
}

/** A GENERATED text is merged with the values; throws CLICK_DATA_INVALID when they do not fit. */
export function compose(
  text: HtmlText,
  terms: Terms,
  data: JsonObject | undefined,
  changes?: ToldChanges,
): Composition {
  const { html, htmlHash, merge } = text;
  const merged = merge === null ? { html, renderHash: htmlHash, data: null } : mergeText(merge, terms, data ?? {});
  return { ...merged, ...composeWords(text, terms, changes) };
}

export function composeWords(
  text: Pick<HtmlText, "title" | "texts" | "locale" | "pdf">,
  terms: Terms,
  changes?: ToldChanges,
) {
  const words: ShownWords = {
    ...chooseWords(text.texts, text.title ?? terms.name, text.locale),
    purposes: askedPurposes(terms, text.texts.purposeTexts),
    ...(terms.policy.esignDisclosure ? { disclosure: disclosureOf(terms, text.locale) } : {}),
    ...(text.pdf === null ? {} : { pdf: text.pdf }),
    ...(changes === undefined ? {} : { changes }),
  };
  const wordsJson = canonicalJson(words);
  return { words, wordsJson, wordsHash: sha256Label(wordsJson) };
}

const disclosureOf = ({ typeConfig, counterparty }: Terms, locale: string): EsignDisclosure =>
  esignDisclosure(locale, { typeConfig, party: counterparty?.legalName ?? null });

/** The text of a GENERATED template with a person's values. */
export interface MergedText {
  readonly html: string;
  readonly renderHash: string;
  readonly data: JsonObject;
}

/**
 * Twice the longest text. Without a limit, a value of ten thousand characters could be repeated a hundred thousand
 * times.
 */
const maxMergedCharacters = 2_097_152;

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

/** A text as it is shown to a person. */
export interface Rendered {
  readonly renderId: string;
  /** Revision 0 for a draft. */
  readonly text: BoundText;
  readonly terms: Terms;
  readonly html: string;
  readonly renderHash: string;
  readonly words: ShownWords;
  /** The HTML that words.changes names; absent when there is nothing to be told. */
  readonly changesHtml?: string;
  readonly placement: Placement | undefined;
  readonly sessionId: string | null;
  readonly alreadyAccepted: boolean;
  /** The claims of its token; null when nothing can be accepted with it. */
  readonly claims: RenderClaims | null;
  readonly renderedAt: Date;
  readonly expiresAt: Date;
  readonly isDraft: boolean;
}

/** How long a rendering without a session can be accepted. */
export const renderingLifetimeMs = 24 * 60 * 60 * 1000;
