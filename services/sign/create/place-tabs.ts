import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { firstCharacters, invalid, problem } from "../agreement/problems.ts";
import { type Anchor, maxTabs, type RadioButton, type Tab, type TextMatch } from "../agreement/tab.ts";
import { isShownTo } from "../agreement/visibility.ts";

/**
 * Places a tab at every occurrence of its anchor text; the first one keeps its id. A tab whose text does not
 * occur is dropped if its anchor allows that; otherwise throws ANCHOR_TAB_STRING_NOT_FOUND with all such tabs.
 */
export function placeTabs(agreement: Agreement, matches: AnchorMatches, newId: () => string): Agreement {
  const missing: FieldProblem[] = [];
  const documents = agreement.documents.map(({ documentId }) => documentId);
  let count = 0;
  const take = (places: number): void => {
    count += places;
    if (count > maxTabs) throw invalid(problem("recipients", "TOO_MANY", `must have at most ${maxTabs} tabs each`));
  };
  const place = (tab: Tab, field: string, shownMatches: AnchorMatches): readonly Tab[] => {
    if (tab.isPlaced) return [tab];
    const report = (anchor: Anchor, at: string) => missing.push(notFound(`${field}${at}.anchor`, anchor));
    const placing = { matches: shownMatches, newId, documents, report, take };
    return tab.type === "radio-group" ? placeGroup(tab, placing) : placeTab(tab, placing);
  };
  const recipients = agreement.recipients.map((recipient, index): Recipient => {
    count = 0;
    // Nobody gets fields on what is not shown to them.
    const shownMatches: AnchorMatches = (wanted) =>
      matches(wanted).filter(({ documentId }) => isShownTo(recipient, { documentId }));
    const tabs = recipient.tabs.flatMap((tab, at) => place(tab, `recipients[${index}].tabs[${at}]`, shownMatches));
    return { ...recipient, tabs };
  });
  if (missing.length > 0) {
    throw new DomainError("ANCHOR_TAB_STRING_NOT_FOUND", { details: missing.slice(0, maxDetails) });
  }
  return { ...agreement, recipients };
}

/** Errors travel in HTTP/2 trailers, whose size is limited. */
const maxDetails = 20;
const maxShownText = 100;

const notFound = (field: string, { text }: Anchor): FieldProblem =>
  problem(
    field,
    "ANCHOR_TAB_STRING_NOT_FOUND",
    `The text '${firstCharacters(text, maxShownText)}' occurs in no document.`,
  );

interface Placing {
  readonly matches: AnchorMatches;
  /** The documentIds in document order. */
  readonly documents: readonly string[];
  newId(): string;
  report(anchor: Anchor, at: string): void;
  /**
   * Counts placed tabs. Throws when a recipient gets too many, since a common text could otherwise create
   * millions of tabs.
   */
  take(places: number): void;
}

function placeTab(tab: Tab, placing: Placing): readonly Tab[] {
  const { anchor } = tab;
  if (anchor === null) return [{ ...tab, isPlaced: true }];
  return find(anchor, "", placing).map((match, index) => ({
    ...tab,
    ...positionOf(match, anchor, tab.height),
    documentId: match.documentId,
    tabId: index === 0 ? tab.tabId : placing.newId(),
    isPlaced: true,
  }));
}

/** A radio button placed in a document. */
interface PlacedButton {
  readonly documentId: string | null;
  readonly button: RadioButton;
}

/** A group belongs to one document, so it is split into one group for each document that has its buttons. */
function placeGroup(group: Tab, placing: Placing): readonly Tab[] {
  if (group.buttons.every(({ anchor }) => anchor === null)) return [{ ...group, isPlaced: true }];
  const anchored = group.buttons.map((button, index) => placeButton(group, button, index, placing));
  // Buttons without an anchor go to the group's document, or to that of its first anchored button.
  const home = group.documentId ?? anchored.flat().find(({ documentId }) => documentId !== null)?.documentId ?? null;
  const byDocument = Map.groupBy(anchored.flat(), ({ documentId }) => documentId ?? home);
  const documents = placing.documents.filter((documentId) => byDocument.has(documentId));
  return documents.map((documentId, index) => ({
    ...group,
    documentId,
    tabId: index === 0 ? group.tabId : placing.newId(),
    buttons: (byDocument.get(documentId) ?? []).map(({ button }) => button),
    isPlaced: true,
  }));
}

function placeButton(group: Tab, button: RadioButton, index: number, placing: Placing): readonly PlacedButton[] {
  const { anchor } = button;
  if (anchor === null) return [{ documentId: null, button }];
  return find(anchor, `.buttons[${index}]`, placing).map((match, occurrence) => ({
    documentId: match.documentId,
    button: {
      ...button,
      ...positionOf(match, anchor, group.height),
      tabId: occurrence === 0 ? button.tabId : placing.newId(),
    },
  }));
}

function find(anchor: Anchor, at: string, { matches, report, take }: Placing): readonly TextMatch[] {
  const found = matches(anchor);
  take(found.length);
  if (found.length === 0 && !anchor.ignoreIfAbsent) report(anchor, at);
  return found;
}

const pointsOf: { readonly [Unit in Anchor["unit"]]: number } = {
  pixels: 1,
  inches: 72,
  millimeters: 72 / 25.4,
  centimeters: 72 / 2.54,
};

/** The bottom of a tab is aligned with the text's baseline. */
function positionOf(match: TextMatch, { alignment, unit, xOffset, yOffset }: Anchor, height: number) {
  const points = pointsOf[unit];
  const start = alignment === "right" ? match.right : match.left;
  return { page: match.page, x: start + xOffset * points, y: match.baseline + yOffset * points - height };
}

/** A text to search for in the documents. */
type WantedText = Pick<Anchor, "text" | "caseSensitive" | "wholeWord">;

/** Where anchor texts occur, ordered by document and page. */
export type AnchorMatches = (wanted: WantedText) => readonly TextMatch[];

/** The distinct texts to find before the agreement can be sent. */
export function wantedTexts({ recipients }: Pick<Agreement, "recipients">): readonly WantedText[] {
  const anchors = recipients.flatMap(({ tabs }) => tabs.flatMap(openAnchors));
  return [...new Map(anchors.map((anchor) => [keyOf(anchor), wantedOf(anchor)])).values()];
}

/** The matches, in the order of the wanted texts. */
export function anchorMatches(wanted: readonly WantedText[], found: readonly (readonly TextMatch[])[]): AnchorMatches {
  const byKey = new Map(wanted.map((one, index) => [keyOf(one), found[index] ?? []]));
  return (one) => byKey.get(keyOf(one)) ?? [];
}

/** For agreements without anchors. */
export const noMatches: AnchorMatches = () => [];

/** Anchors of the tab itself or of its radio buttons. */
function openAnchors(tab: Tab): readonly Anchor[] {
  if (tab.isPlaced) return [];
  const anchors = tab.type === "radio-group" ? tab.buttons.map(({ anchor }) => anchor) : [tab.anchor];
  return anchors.filter((anchor) => anchor !== null);
}

const wantedOf = ({ text, caseSensitive, wholeWord }: WantedText): WantedText => ({ text, caseSensitive, wholeWord });

const keyOf = ({ text, caseSensitive, wholeWord }: WantedText): string =>
  JSON.stringify([text, caseSensitive, wholeWord]);

/**
 * The recipients without the tabs on these documents (integration's ids). Tabs placed only by an anchor stay:
 * they belong to no document.
 */
export const withoutTabsOf = (
  recipients: readonly Recipient[],
  documentIds: ReadonlySet<string>,
): readonly Recipient[] =>
  recipients.map((recipient) => {
    const tabs = recipient.tabs.filter(({ documentId }) => documentId === null || !documentIds.has(documentId));
    const excludedDocuments = (recipient.excludedDocuments ?? []).filter((id) => !documentIds.has(id));
    const isSame =
      tabs.length === recipient.tabs.length && excludedDocuments.length === (recipient.excludedDocuments ?? []).length;
    return isSame ? recipient : { ...recipient, tabs, excludedDocuments };
  });
