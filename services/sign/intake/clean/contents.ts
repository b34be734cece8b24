import { inflateSync } from "node:zlib";
import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFObject, PDFRawStream, PDFStream } from "pdf-lib";
import { PdfProblem } from "../pdf-limits.ts";
import { type ContentFacts, readContent, repeated } from "./read-content.ts";

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
