import { inflateSync } from "node:zlib";
import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFObject, PDFRawStream, PDFStream } from "pdf-lib";
import { PdfProblem } from "../pdf-limits.ts";

const differentlyShown = (what: string) =>
  new PdfProblem(
    `The PDF has ${what} that takes back (Q) what it has not set aside (q), which readers show differently. Print it to a new PDF and retry.`,
  );

/** From this size on, try whether the page can be read in time by the check that precedes the seal. */
const maxOperators = 100_000;
const maxOperatorsInAll = 1_000_000;
const maxUnpacked = 16 * 1024 * 1024;

/** Reads page contents: what they leave open at their end, and how costly they are to draw. */
export interface ContentsReader {
  /**
   * Reads and weighs the content of one page, numbered from 1; undefined when it is not well-formed. `looksOf`
   * is the page whose fields and annotations are drawn with it: the original page when the file is rewritten,
   * the page itself otherwise.
   */
  read(
    number: number,
    page: PDFDict,
    more: { readonly resources: PDFDict | undefined; readonly looksOf: PDFDict },
  ): ContentFacts | undefined;
  /** Pages that are not well-formed or slow; whether they can be drawn on and compared has to be tried. */
  unusual(): readonly number[];
}

export function createContentsReader(context: PDFContext): ContentsReader {
  const weights = new Map<PDFObject, number>();
  const unusual = new Set<number>();
  let pages = 0;
  let inAll = 0;

  const weightOf = (facts: ContentFacts, resources: PDFDict | undefined): number => {
    let sum = facts.operators;
    const shared = new Map<string, number>();
    for (const name of facts.used) {
      const weight = shared.get(name) ?? weightOfForm(formIn(resources, name), resources);
      shared.set(name, weight);
      sum += weight;
      if (sum > maxOperators) return Number.POSITIVE_INFINITY;
    }
    return sum;
  };
  /** A form without resources of its own uses those of the page. */
  const weightOfForm = (form: PDFStream | undefined, inherited: PDFDict | undefined): number => {
    if (form === undefined) return 1;
    const known = weights.get(form);
    if (known !== undefined) return known;
    // Guards against a form that draws itself.
    weights.set(form, Number.POSITIVE_INFINITY);
    const own = form.dict.lookup(PDFName.of("Resources"));
    const facts = readStreams([form]);
    if (facts !== undefined && facts.unmatched > 0) throw differentlyShown("a form");
    const weight =
      facts === undefined ? Number.POSITIVE_INFINITY : weightOf(facts, own instanceof PDFDict ? own : inherited);
    weights.set(form, weight);
    return weight;
  };
  return {
    read: (number, page, { resources, looksOf: source }) => {
      pages = Math.max(pages, number);
      const facts = readStreams(streamsOf(page));
      const looks = looksOf(source).map((look) => weightOfForm(look, undefined));
      const weight = looks.reduce((sum, one) => sum + one, facts === undefined ? 0 : weightOf(facts, resources));
      if (facts === undefined || weight > maxOperators) unusual.add(number);
      if (Number.isFinite(weight)) inAll += weight;
      return facts;
    },
    unusual: () => (inAll > maxOperatorsInAll ? Array.from({ length: pages }, (_, index) => index + 1) : [...unusual]),
  };

  function formIn(resources: PDFDict | undefined, name: string): PDFStream | undefined {
    for (const kind of ["XObject", "Pattern"]) {
      const all = resources?.lookup(PDFName.of(kind));
      const found = all instanceof PDFDict ? context.lookup(all.get(PDFName.of(name.slice(1)))) : undefined;
      if (!(found instanceof PDFStream)) continue;
      if (found.dict.lookup(PDFName.of("Subtype")) !== PDFName.of("Image")) return found;
    }
    return undefined;
  }
}

/**
 * Keeps a page's leftover graphics state from affecting our marks: closes what it leaves open, and adds the
 * missing `q` at its start for each unmatched `Q`.
 */
export function isolateContents(context: PDFContext, page: PDFDict, facts: ContentFacts | undefined): void {
  if (facts === undefined || (facts.ending.length === 0 && facts.unmatched === 0)) return;
  if (facts.drawsOn) {
    throw differentlyShown("a page");
  }
  const contents = page.lookup(PDFName.Contents);
  const old = contents instanceof PDFArray ? contents.asArray() : [page.get(PDFName.Contents) ?? []].flat();
  const added = (operators: readonly string[]): PDFObject[] =>
    operators.length === 0 ? [] : [context.register(context.stream(`\n${operators.join("\n")}\n`))];
  const parts = [...added(repeated("q", facts.unmatched)), ...old, ...added(facts.ending)];
  page.set(PDFName.Contents, context.obj(parts));
}

function streamsOf(page: PDFDict): PDFStream[] {
  const contents = page.lookup(PDFName.Contents);
  if (contents instanceof PDFStream) return [contents];
  if (!(contents instanceof PDFArray)) return [];
  return contents.asArray().flatMap((one) => {
    const found = page.context.lookup(one);
    return found instanceof PDFStream ? [found] : [];
  });
}

/** The appearances of the page's fields and annotations, in all their states. */
function looksOf(page: PDFDict): PDFStream[] {
  const all = page.lookup(PDFName.Annots);
  return (all instanceof PDFArray ? all.asArray() : []).flatMap((one) => {
    const annotation = page.context.lookup(one);
    const looks = annotation instanceof PDFDict ? annotation.lookup(PDFName.of("AP")) : undefined;
    const usual = looks instanceof PDFDict ? looks.lookup(PDFName.of("N")) : undefined;
    const states = usual instanceof PDFDict ? usual.values().map((state) => page.context.lookup(state)) : [usual];
    return states.filter((state) => state instanceof PDFStream);
  });
}

/** Joins the content streams. Undefined when one uses another compression. */
function readStreams(streams: readonly PDFStream[]): ContentFacts | undefined {
  const parts: Buffer[] = [];
  let size = 0;
  for (const stream of streams) {
    const part = unpack(stream);
    if (part === undefined) return undefined;
    size += part.length;
    if (size > maxUnpacked) return undefined;
    parts.push(part, Buffer.from("\n"));
  }
  return readContent(Buffer.concat(parts));
}

function unpack(stream: PDFStream): Buffer | undefined {
  const bytes = Buffer.from(stream.getContents());
  const given = stream.dict.lookup(PDFName.of("Filter"));
  const filter = given instanceof PDFArray && given.size() === 1 ? given.lookup(0) : given;
  const isEmpty = filter === undefined || (filter instanceof PDFArray && filter.size() === 0);
  if (isEmpty || !(stream instanceof PDFRawStream)) return isEmpty ? bytes : undefined;
  if (filter !== PDFName.FlateDecode || stream.dict.has(PDFName.of("DecodeParms"))) return undefined;
  try {
    return inflateSync(bytes, { maxOutputLength: maxUnpacked });
  } catch {
    return undefined;
  }
}

/** What a content stream does to the drawing that follows it. */
interface ContentFacts {
  /** Operators that close what the stream leaves open: text, marked content, saved graphics states (`q`). */
  readonly ending: readonly string[];
  /** The number of `Q` operators without a matching `q`. */
  readonly unmatched: number;
  /** Whether it draws after an unmatched `Q`; such drawing would change once there is a state to restore. */
  readonly drawsOn: boolean;
  readonly operators: number;
  /** Names of the objects it draws or paints with, once for each use. */
  readonly used: readonly string[];
}

/**
 * Operators (ISO 32000-2 annex A) with their number of operands; colour operators take as many as the colour
 * has components.
 */
const operands: ReadonlyMap<string, number> = new Map(
  [
    [
      "q",
      "Q",
      "h",
      "S",
      "s",
      "f",
      "F",
      "f*",
      "B",
      "B*",
      "b",
      "b*",
      "n",
      "W",
      "W*",
      "BT",
      "ET",
      "T*",
      "EMC",
      "BX",
      "EX",
    ],
    ["w", "J", "j", "M", "ri", "i", "gs", "Tc", "Tw", "Tz", "TL", "Tr", "Ts", "Tj", "TJ", "'", "CS", "cs", "G", "g"],
    ["d", "m", "l", "Tf", "Td", "TD", "DP", "BDC", "d0"],
    ["RG", "rg", '"'],
    ["re", "v", "y", "K", "k"],
    [],
    ["cm", "c", "Tm", "d1"],
  ].flatMap((names, count) => names.map((name): [string, number] => [name, count])),
);
for (const name of ["sh", "Do", "MP", "BMC"]) (operands as Map<string, number>).set(name, 1);
const colours = new Set(["SC", "SCN", "sc", "scn"]);
/** Operators that draw nothing and whose settings end with the graphics state. */
const quiet = new Set(
  "q Q cm w J j M d ri i gs Tc Tw Tz TL Tf Tr Ts CS cs SC SCN sc scn G g RG rg K k W W* n".split(" "),
);
const structural = new Set("q Q n BT ET MP DP BMC BDC EMC BX EX".split(" "));
/** pdf.js gives up a content stream with more operands before one operator. */
const maxOperands = 33;
const maxDepth = 20;

/** Undefined when the stream is malformed or has inline images, since readers may then parse it differently. */
function readContent(bytes: Buffer): ContentFacts | undefined {
  const tokens = createTokens(bytes);
  const used: string[] = [];
  let [depth, unmatched, marked, operators, given] = [0, 0, 0, 0, 0];
  let [isChanged, isLost, drawsOn, isText] = [false, false, false, false];
  let last = "";
  for (;;) {
    const token = tokens.next();
    if (token === undefined) return undefined;
    if (token === "") break;
    if (!isOperator(token)) {
      given += 1;
      last = token;
      if (given > maxOperands) return undefined;
      continue;
    }
    if (!colours.has(token) && operands.get(token) !== given) return undefined;
    given = 0;
    operators += 1;
    if (token === "Do" || token === "scn" || token === "SCN") used.push(last);
    last = "";
    if (token === "BMC" || token === "BDC") marked += 1;
    if (token === "EMC") marked -= 1;
    if (token === "BT" || token === "ET") {
      if (isText === (token === "BT")) return undefined;
      isText = !isText;
    }
    if (marked < 0) return undefined;
    if (token === "q") depth += 1;
    else if (token === "Q") {
      if (depth > 0) depth -= 1;
      else {
        unmatched += 1;
        isLost ||= isChanged;
      }
    } else if (quiet.has(token) && !structural.has(token)) isChanged ||= depth === 0;
    else if (!structural.has(token)) drawsOn ||= isLost;
  }
  if (given > 0) return undefined;
  const ending = [...(isText ? ["ET"] : []), ...repeated("EMC", marked), ...repeated("Q", depth)];
  return { ending, unmatched, drawsOn, operators, used };
}

const repeated = (operator: string, count: number): string[] => Array.from({ length: count }, () => operator);

const isOperator = (token: string): boolean => /^[A-Za-z'"]/.test(token);

const blanks = new Set([0, 9, 10, 12, 13, 32]);
const delimiters = new Set(Array.from("()<>[]{}/%", (character) => character.charCodeAt(0)));

/**
 * Returns operators as they are, names with their slash, and everything else as a single character; empty at
 * the end, undefined on a syntax error.
 */
function createTokens(bytes: Buffer): { next(): string | undefined } {
  let at = 0;
  const isRegular = (byte: number | undefined): boolean =>
    byte !== undefined && !blanks.has(byte) && !delimiters.has(byte);
  const skipBlanks = (): void => {
    for (;;) {
      while (blanks.has(bytes[at] ?? -1)) at += 1;
      if (bytes[at] !== 0x25) return;
      while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at += 1;
    }
  };
  const word = (): string => {
    const from = at;
    while (isRegular(bytes[at])) at += 1;
    return bytes.toString("latin1", from, at);
  };
  const text = (): string | undefined => {
    let depth = 0;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === 0x5c) at += 1;
      else if (byte === 0x28) depth += 1;
      else if (byte === 0x29) {
        depth -= 1;
        if (depth === 0) {
          at += 1;
          return "0";
        }
      }
    }
    return undefined;
  };
  const hexText = (): string | undefined => {
    const end = bytes.indexOf(">", at);
    const isPlain = end > 0 && /^<[0-9A-Fa-f\s\0]*$/.test(bytes.toString("latin1", at, end));
    at = end + 1;
    return isPlain ? "0" : undefined;
  };
  const list = (end: string, depth: number): string | undefined => {
    for (;;) {
      skipBlanks();
      if (bytes.toString("latin1", at, at + end.length) === end) {
        at += end.length;
        return "0";
      }
      const one = next(depth + 1);
      if (one === undefined || one === "") return undefined;
      if (isOperator(one) && one !== "true" && one !== "false" && one !== "null") return undefined;
    }
  };
  const next = (depth = 0): string | undefined => {
    skipBlanks();
    const byte = bytes[at];
    if (byte === undefined) return "";
    if (depth > maxDepth) return undefined;
    if (byte === 0x28) return text();
    if (byte === 0x2f) {
      at += 1;
      return `/${word()}`;
    }
    if (byte === 0x5b) {
      at += 1;
      return list("]", depth);
    }
    if (byte === 0x3c) {
      if (bytes[at + 1] !== 0x3c) return hexText();
      at += 2;
      return list(">>", depth);
    }
    const found = word();
    if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(found)) return "0";
    const isKnown = operands.has(found) || colours.has(found) || /^(?:true|false|null)$/.test(found);
    return isKnown ? found : undefined;
  };
  return { next };
}
