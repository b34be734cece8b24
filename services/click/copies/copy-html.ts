import { type AgreementText, agreementTree } from "../evidence/pdf/about-agreement.ts";
import { exact, facts, Markup, markup, nothing, section } from "../evidence/pdf/markup.ts";
import { printedText } from "../evidence/pdf/shown-text.ts";
import type { CopyWords } from "./copy-words.ts";

/** A copy to be printed; of a thread's message, so it holds nothing but data. */
export interface CopyHtmlJob {
  readonly kind: "copy";
  readonly words: CopyWords;
  readonly title: string;
  readonly text: AgreementText;
  readonly acceptedAt: string;
  readonly party: string | null;
  readonly version: string;
  readonly person: string | null;
  /** Those that were granted. */
  readonly purposes: readonly string[];
  readonly receiptId: string;
  readonly contentHash: string;
}

/**
 * The text that a person accepted, in a frame, and what was recorded of it, as HTML for rendering. Throws when the text
 * cannot be printed.
 */
export function copyHtml({ words, title, text, ...about }: CopyHtmlJob): string {
  const tree = agreementTree(text);
  if (tree === undefined) throw new Error("the text cannot be printed");
  const recorded = facts([
    [words.acceptedAt, about.acceptedAt],
    [words.version, about.version],
    [words.party, about.party],
    [words.person, about.person],
    [words.purposes, about.purposes.length === 0 ? undefined : about.purposes.join(", ")],
    [words.receipt, exact(about.receiptId)],
    [words.contentHash, exact(about.contentHash)],
  ]);
  // Within the frame the text says what it says; outside of it this document speaks.
  const parts = [
    markup`<h1>${title}</h1>`,
    section(words.decision, recorded),
    section(words.text, markup`<div class="box">${new Markup(printedText(tree))}</div>`),
  ];
  return parts.map(({ html }) => (html === nothing.html ? "" : html)).join("\n");
}
