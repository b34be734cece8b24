import { PDFArray, PDFDict, PDFHexString, PDFName, type PDFObject, PDFStream, PDFString } from "pdf-lib";
import { forbidden } from "../forbidden-content.ts";
import { linksIn } from "../reading/read-graph.ts";

/**
 * What else acts, once what is forbidden has been refused: it goes away silently, since it is common and nobody misses it.
 * Links to https and mailto that a reader clicks stay, and so does what shows a place of the same file.
 */
export function removeActions(objects: Iterable<PDFObject>): void {
  for (const dictionary of dictionariesIn(objects)) {
    for (const key of silentKeys) dictionary.delete(key);
    if (isLive(dictionary)) for (const key of dictionary.keys()) dictionary.delete(key);
  }
}

/** The same of a file that stays as it is. */
export function refuseActions(objects: Iterable<PDFObject>): void {
  for (const dictionary of dictionariesIn(objects)) {
    const actions = dictionary.lookup(PDFName.of("AA"));
    if (actions instanceof PDFDict && actions.keys().length > 0) refuseOwn();
    if (isLive(dictionary)) refuseOwn();
    if (dictionary.has(PDFName.of("Alternates"))) forbidden("pictures that are others on paper")();
    const addresses = dictionary.lookup(PDFName.of("URI"));
    const base = addresses instanceof PDFDict ? addresses.lookup(PDFName.of("Base")) : undefined;
    if (base !== undefined && !isAllowed(base)) refuseOwn();
    const opening = dictionary.lookup(PDFName.of("OpenAction"));
    if (opening instanceof PDFDict && !isPlace(opening)) refuseOwn();
  }
}

const refuseOwn = forbidden("actions of its own, or links other than https and mailto");

/** Whether an action does nothing but show a place of the same file. */
export const isPlace = (action: PDFDict): boolean => action.lookup(PDFName.of("S")) === PDFName.of("GoTo");

/** Actions upon events, what programs keep for themselves, and pictures for printing only. */
const silentKeys = ["AA", "PieceInfo", "Alternates"].map((name) => PDFName.of(name));

function isLive(dictionary: PDFDict): boolean {
  const type = dictionary.lookup(PDFName.of("S"));
  if (type === PDFName.of("URI")) return !isAllowed(dictionary.lookup(PDFName.of("URI")));
  if (type === PDFName.of("Named")) return !steps.has(dictionary.lookup(PDFName.of("N")));
  // Elements of a structure, which have a parent, have names that anybody may give.
  const isElement = dictionary.lookup(PDFName.Type) === PDFName.of("StructElem") && dictionary.has(PDFName.of("P"));
  return type !== undefined && others.has(type) && (!isElement || pointsOut.some((key) => dictionary.has(key)));
}

const others: ReadonlySet<PDFObject> = new Set(
  ["ResetForm", "Trans", "Thread", "GoToDp"].map((name) => PDFName.of(name)),
);

/** What actions have and elements do not: a file, a destination, fields. */
const pointsOut = ["F", "D", "Fields", "Next"].map((name) => PDFName.of(name));

const steps: ReadonlySet<PDFObject | undefined> = new Set(
  ["NextPage", "PrevPage", "FirstPage", "LastPage"].map((name) => PDFName.of(name)),
);

const isAllowed = (address: PDFObject | undefined): boolean =>
  (address instanceof PDFString || address instanceof PDFHexString) &&
  /^(?:https:\/\/|mailto:)/i.test(address.decodeText());

function* dictionariesIn(objects: Iterable<PDFObject>): Generator<PDFDict> {
  const waiting = [...objects];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFDict) yield value;
    if (value instanceof PDFDict || value instanceof PDFArray || value instanceof PDFStream)
      waiting.push(...linksIn(value));
  }
}
