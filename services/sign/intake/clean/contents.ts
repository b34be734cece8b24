import { inflateSync } from "node:zlib";
import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFObject, PDFRawStream, PDFStream } from "pdf-lib";
import { PdfProblem } from "../pdf-limits.ts";
import { type ContentFacts, readContent, repeated } from "./read-content.ts";

const differentlyShown = (what: string) =>
  new PdfProblem(
    `The PDF has ${what} that takes back (Q) what it has not set aside (q), which readers show differently. Print it to a new PDF and retry.`,
  );

/** From here on it is tried whether a page can be read in time, by what reads it before it is sealed. */
const maxOperators = 100_000;
const maxOperatorsInAll = 1_000_000;
const maxUnpacked = 16 * 1024 * 1024;

/** How the contents of pages end, and what they cost who draws them. */
export interface ContentsReader {
  /**
   * Reads and weighs the content of one page, numbered from 1; undefined when it is not written as usual. `looksOf` has the
   * fields and remarks that are drawn with it: the page as it was sent where it is written anew, else the page itself.
   */
  read(
    number: number,
    page: PDFDict,
    more: { readonly resources: PDFDict | undefined; readonly looksOf: PDFDict },
  ): ContentFacts | undefined;
  /** Pages that are not written as usual, or take long: that they can be drawn on and compared has to be tried. */
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
  /** Without resources of its own it is drawn with those of the page. */
  const weightOfForm = (form: PDFStream | undefined, inherited: PDFDict | undefined): number => {
    if (form === undefined) return 1;
    const known = weights.get(form);
    if (known !== undefined) return known;
    // Should it draw itself.
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
 * Whatever a page leaves in force must not move what is drawn after it: what it leaves open is ended, and what it takes back
 * without having set it aside is set aside at its beginning.
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

/** What its fields and remarks look like, in each of their states. */
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

/** One after the other they are one content. Undefined when they are packed in another way, too. */
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
