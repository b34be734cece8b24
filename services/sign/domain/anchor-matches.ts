import type { Agreement } from "./agreement.ts";
import type { Anchor, Tab, TextMatch } from "./tab.ts";

/** A text to be looked for in the documents. */
export type WantedText = Pick<Anchor, "text" | "caseSensitive" | "wholeWord">;

/** Where the texts of anchors are; documents and pages in their order. */
export type AnchorMatches = (wanted: WantedText) => readonly TextMatch[];

/** The texts that have to be found before the agreement can be sent, each once. */
export function wantedTexts({ recipients }: Pick<Agreement, "recipients">): readonly WantedText[] {
  const anchors = recipients.flatMap(({ tabs }) => tabs.flatMap(openAnchors));
  return [...new Map(anchors.map((anchor) => [keyOf(anchor), wantedOf(anchor)])).values()];
}

/** What was found, in the order of what was wanted. */
export function anchorMatches(wanted: readonly WantedText[], found: readonly (readonly TextMatch[])[]): AnchorMatches {
  const byKey = new Map(wanted.map((one, index) => [keyOf(one), found[index] ?? []]));
  return (one) => byKey.get(keyOf(one)) ?? [];
}

/** Of agreements without anchors. */
export const noMatches: AnchorMatches = () => [];

/** Radio buttons have anchors of their own. */
function openAnchors(tab: Tab): readonly Anchor[] {
  if (tab.isPlaced) return [];
  const anchors = tab.type === "radio-group" ? tab.buttons.map(({ anchor }) => anchor) : [tab.anchor];
  return anchors.filter((anchor) => anchor !== null);
}

const wantedOf = ({ text, caseSensitive, wholeWord }: WantedText): WantedText => ({ text, caseSensitive, wholeWord });

const keyOf = ({ text, caseSensitive, wholeWord }: WantedText): string =>
  JSON.stringify([text, caseSensitive, wholeWord]);
