import type { TabType } from "../agreement/tab.ts";
import { tabDefaults } from "../create/tab-formats.ts";
import { readAllLines } from "./find-texts.ts";
import type { TabProposal } from "./messages.ts";
import { maxMatches } from "./pdf-limits.ts";
import type { TextLine } from "./text-lines.ts";

/** The tabs that the text of a PDF asks for: by tags, blanks to write on, and words such as "Signature:". */
export async function proposeTabs(bytes: Uint8Array): Promise<TabProposal[]> {
  const found: TabProposal[] = [];
  await readAllLines(bytes, (lines, page) => {
    for (const proposal of proposalsOn(lines, page)) if (found.length < maxMatches) found.push(proposal);
  });
  return found;
}

/** Of one page, whose lines come from top to bottom. */
function proposalsOn(lines: readonly TextLine[], page: number): TabProposal[] {
  return lines.flatMap((line, index) => {
    const tags = tagsIn(line, page);
    const isTagged = within(tags);
    const below = lines
      .slice(index + 1, index + 1 + linesBelow)
      .filter(({ baseline }) => baseline - line.baseline < captionGap);
    const blanks = blanksIn(line, page, below).filter(({ start }) => !isTagged(start));
    const words = wordIn(line, page).filter(({ start }) => !isTagged(start) && blanks.length === 0);
    return [...tags, ...blanks, ...words, ...boxesIn(line, page).filter(({ start }) => !isTagged(start))]
      .sort((a, b) => a.start - b.start)
      .map(({ start: _start, end: _end, ...proposal }) => ({
        ...(proposal.source === "tag" || proposal.type === "checkbox" ? proposal : clearOf(lines, index, proposal)),
        around: aroundOf(lines, index, proposal),
      }));
  });
}

type Placed = Omit<TabProposal, "around">;

/**
 * Without covering the lines above and below: what is taller than its line shrinks as far as it can still be written in,
 * and hangs below it as far as there is room.
 */
function clearOf(lines: readonly TextLine[], index: number, tab: Placed): Placed {
  const { baseline = 0 } = lines[index] ?? {};
  // Beside its own word each of them has a field in the same column.
  const isInWay = (line: TextLine): boolean =>
    (line.lefts[0] ?? 0) < tab.x + tab.width && (line.rights.at(-1) ?? 0) > tab.x - columnReach;
  const above = lines
    .slice(Math.max(0, index - linesAround), index)
    .reverse()
    .find((line) => line.baseline < baseline && isInWay(line));
  const below = lines
    .slice(index + 1, index + 1 + linesAround)
    .find((line) => line.baseline > baseline + descent && isInWay(line));
  const top = above === undefined ? 0 : above.baseline + descent;
  const room = below === undefined ? margin : Math.min(margin, below.baseline - baseline - tallest);
  const bottom = baseline + Math.max(descent, room);
  const least = Math.min(tab.height, leastHeight);
  const y = Math.max(tab.y, Math.min(top, baseline + descent - least));
  const height = Math.max(least, Math.min(tab.height, bottom - y));
  return { ...tab, y, height };
}

/** Points that a field of the next line may have above its baseline. */
const tallest = 36;
/** Points that there are below the last line of a page. */
const margin = 24;
/** Points that something can be written in. */
const leastHeight = 14;
const linesAround = 6;

/** What stands close above, beside and below, from the nearest line on. */
function aroundOf(lines: readonly TextLine[], index: number, { x, width }: Placed): string {
  const { baseline = 0 } = lines[index] ?? {};
  const [left, right] = [x - columnReach, x + width];
  return lines
    .slice(Math.max(0, index - linesAround), index + 1 + linesAround)
    .filter((line) => Math.abs(line.baseline - baseline) <= aroundReach)
    .sort((a, b) => Math.abs(a.baseline - baseline) - Math.abs(b.baseline - baseline))
    .flatMap(({ lefts, rights, text }) => ((lefts[0] ?? 0) < right && (rights.at(-1) ?? 0) > left ? [text] : []))
    .join("\n")
    .slice(0, maxAround)
    .toWellFormed();
}

/** Points to the left within which a caption stands, and up and down within which a block of one signer reaches. */
const columnReach = 120;
const aroundReach = 80;
const maxAround = 400;

/** Whether a place is in one of these ranges, which stand in their order and do not overlap. */
function within(ranges: readonly Pick<Found, "start" | "end">[]): (at: number) => boolean {
  return (at) => {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.end ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return (ranges[low]?.start ?? at + 1) <= at;
  };
}

/** A proposal, and the characters of the line that it stands for. */
interface Found extends Placed {
  readonly start: number;
  readonly end: number;
}

/** Captions such as "(Signature)" stand close below a blank. */
const captionGap = 20;
const linesBelow = 4;

interface Finding {
  readonly line: TextLine;
  readonly page: number;
  readonly start: number;
  readonly end: number;
}

interface Wanted extends Pick<TabProposal, "type" | "source"> {
  readonly label?: string;
  readonly signer?: number;
  readonly required?: boolean;
}

/** A tab that stands on the baseline, from the left end of the text and at least as wide as it. */
function proposal({ line, page, start, end }: Finding, wanted: Wanted): Found {
  const { type, source, label = "", signer = 0, required = tabDefaults[type].required } = wanted;
  const [left, right] = [line.lefts[start] ?? 0, line.rights[end - 1] ?? 0];
  const { width, height } = tabDefaults[type];
  const isBox = type === "checkbox";
  const box = isBox ? { width, height } : { width: Math.max(right - left, source === "blank" ? 20 : width), height };
  const [x, y] = [Math.max(left, 0), Math.max(line.baseline - height + (isBox ? 2 : descent), 0)];
  const text = line.text.slice(start, end).trim().slice(0, maxText).toWellFormed();
  return { ...{ type, source, label, signer, required, page, x, y, text }, ...box, start, end };
}

/** Points below the baseline, to which descenders reach. */
const descent = 3;
const maxText = 100;

/** `{{type}}`, `{{type:signer}}`, `{{type:signer:label}}`; `*` after the type: required, `?`: not. */
const tagPattern = /\{\{ ?([A-Za-z]{2,20})([*?]?) ?(?:: ?(\d{1,3}) ?)?(?:: ?([^{}:]{1,100}?) ?)?\}\}/g;

const tagTypes: ReadonlyMap<string, TabType> = new Map<string, TabType>([
  ...(["signature", "initials", "email", "company", "title", "text", "number", "date", "checkbox"] as const).map(
    (type) => [type, type] as const,
  ),
  ["datesigned", "date-signed"],
  ["fullname", "full-name"],
  ["name", "full-name"],
  ["firstname", "first-name"],
  ["lastname", "last-name"],
  ["attachment", "attachment"],
]);

const tagsIn = (line: TextLine, page: number): Found[] =>
  [...line.text.matchAll(tagPattern)].flatMap((match) => {
    const [whole, name = "", mark = "", signer = "0", label = ""] = match;
    const type = tagTypes.get(name.toLowerCase());
    if (type === undefined) return [];
    const required = mark === "" ? tabDefaults[type].required : mark === "*";
    const place = { line, page, start: match.index, end: match.index + whole.length };
    return [proposal(place, { type, source: "tag", label: label.trim(), signer: Number(signer), required })];
  });

/** What is drawn to be written on. */
const blankPattern = /_{4,}|\.{10,}|…{4,}/g;

/** The words before a blank say what it is for, or those below it. */
function blanksIn(line: TextLine, page: number, below: readonly TextLine[]): Found[] {
  let from = 0;
  return [...line.text.matchAll(blankPattern)].map((match) => {
    const place = { line, page, start: match.index, end: match.index + match[0].length };
    const before = captionOf(line.text.slice(from, place.start));
    from = place.end;
    const [left, right] = [line.lefts[place.start] ?? 0, line.rights[place.end - 1] ?? 0];
    const under = below.find(({ lefts, rights }) => (lefts[0] ?? 0) < right && (rights.at(-1) ?? 0) > left);
    const caption = before === "" ? captionOf(under?.text ?? "") : before;
    const type = typeOf(caption) ?? "text";
    return proposal(place, { type, source: "blank", ...(type === "text" ? { label: caption } : {}) });
  });
}

/** Its last words, without what stands around them. */
const captionOf = (text: string): string =>
  text
    .slice(-maxText)
    .replaceAll(/[_.…]{3,}/g, " ")
    .replace(/^[\s,;:.)\]-]+/, "")
    .replace(/[\s:([]+$/, "")
    .trim()
    .toWellFormed();

/** "Signature:" with nothing behind it on its line. */
function wordIn(line: TextLine, page: number): Found[] {
  const match = /([^:]{1,40}):\s*$/.exec(line.text);
  const type = match === null ? undefined : typeOf(match[1] ?? "");
  if (match === null || type === undefined) return [];
  const [start, end] = [match.index, match.index + match[0].trimEnd().length];
  const found = proposal({ line, page, start, end }, { type, source: "word" });
  return [{ ...found, x: (line.rights[end - 1] ?? 0) + wordSpace, width: tabDefaults[type].width }];
}

/** Points between a word and what is entered behind it. */
const wordSpace = 4;

/** `[ ]` and drawn boxes, with the words behind them. */
const boxesIn = (line: TextLine, page: number): Found[] =>
  [...line.text.matchAll(/\[ ?\]|[☐□❏❑]/g)].map((match) => {
    const place = { line, page, start: match.index, end: match.index + match[0].length };
    const behind = line.text.slice(place.end, place.end + 2 * maxText).split(/\[ ?\]|[☐□❏❑_]/)[0] ?? "";
    return proposal(place, {
      type: "checkbox",
      source: "blank",
      label: behind.trim().slice(0, maxText).toWellFormed(),
    });
  });

/** Words of a caption, in the languages that docs/sign.md names; the first that fits counts. */
const captions: readonly (readonly [pattern: RegExp, type: TabType])[] = [
  [/\b(?:initials|kürzel|paraphe|iniciales|rubrica)\b|イニシャル/iu, "initials"],
  [/\b(?:signature|signed|sign here|unterschrift|unterzeichnet|firma del|firmado|assinatura)\b|署名/iu, "signature"],
  [/birth|geburt|naissance|nacimiento|nascimento|生年月日/iu, "date"],
  [/\b(?:date|dated|datum|fecha|data)\b|日付/iu, "date-signed"],
  [/\b(?:first name|given name|vorname|prénom|nombre de pila)\b/iu, "first-name"],
  [/\b(?:last name|surname|family name|nachname|apellidos?|sobrenome)\b/iu, "last-name"],
  [/\b(?:e-?mail)\b/iu, "email"],
  [/\b(?:company|organi[sz]ation|unternehmen|entreprise|société|empresa)\b|会社/iu, "company"],
  [/\b(?:title|position|funktion|fonction|cargo)\b|役職/iu, "title"],
  [/\b(?:name|full name|printed name|nom|nombre|nome)\b|氏名/iu, "full-name"],
];

const typeOf = (caption: string): TabType | undefined => captions.find(([pattern]) => pattern.test(caption))?.[1];
