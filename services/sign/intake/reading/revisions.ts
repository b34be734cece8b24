import { PDFContext } from "pdf-lib";
import type { Entry, Section } from "./cross-reference.ts";
import { ObjectParser } from "./object-parser.ts";

/** What was written at once: objects, and behind them the section that names them. */
export interface Revision {
  readonly from: number;
  /** Behind its `%%EOF`. */
  readonly to: number;
  readonly newest: Section;
  /** What its sections name. */
  readonly named: ReadonlyMap<number, Entry>;
  /** From each section to its `%%EOF`, if it has one. */
  readonly trailers: readonly { readonly from: number; readonly to: number }[];
}

/** The revisions of a file, the oldest first. Throws when they do not follow each other. `sections` begin with the newest. */
export function revisionsOf(bytes: Buffer, sections: readonly Section[]): Revision[] {
  const groups = sections.map((section) => [section]);
  const [oldest, second] = [sections.at(-1), sections.at(-2)];
  // A file that is made for the web has two: that of its first page, and behind all of it that of the others.
  if (oldest !== undefined && second !== undefined && oldest.offset > second.offset) {
    groups.splice(-2, 2, [second, oldest]);
  }
  let from = 0;
  return groups.toReversed().map((group) => {
    const [newest = undefined] = group;
    if (newest === undefined) throw new Error("there is no section");
    const named = new Map<number, Entry>();
    for (const section of group) nameAll(named, section);
    const trailers = group.map((section) => ({ from: section.offset, to: endOf(bytes, section, group) }));
    const to = Math.max(...trailers.map((trailer) => trailer.to));
    if (newest.offset < from) throw new Error("its last cross-reference is not the newest");
    const revision = { from, to, newest, named, trailers };
    from = to;
    return revision;
  });
}

/** What the sections of one revision name; nothing twice. */
function nameAll(named: Map<number, Entry>, { entries, hybrid }: Section): void {
  for (const one of [entries, ...(hybrid === undefined ? [] : [hybrid.entries])]) {
    for (const [number, entry] of one) {
      const known = named.get(number);
      if (known !== undefined && (known.kind !== "free" || entry.kind !== "free")) {
        throw new Error("a revision names an object twice");
      }
      named.set(number, entry);
    }
  }
}

/** Behind the `%%EOF` that comes after a section and says where readers have to begin. */
function endOf(bytes: Buffer, section: Section, group: readonly Section[]): number {
  const parser = new ObjectParser(bytes, PDFContext.create(), { isStrict: true }, section.end);
  parser.skipBlanks();
  if (!parser.word("startxref")) {
    // Of a file for the web the first one needs to say nothing; some programs write nothing there when it is a stream.
    if (group.length > 1 && section === group[0] && section.kind === "stream") return section.end;
    throw new Error("nothing says where a revision begins");
  }
  parser.skipBlanks();
  const begin = parser.integer();
  // The first section of a file for the web is followed by 0, and the second one by the place of the first.
  const expected =
    group.length === 1 ? [section.offset] : section === group[0] ? [0, section.offset] : [group[0]?.offset];
  if (!expected.includes(begin)) throw new Error("a revision says that it begins elsewhere");
  while (/\s/.test(bytes.toString("latin1", parser.at, parser.at + 1))) parser.at += 1;
  if (bytes.toString("latin1", parser.at, parser.at + 5) !== "%%EOF") throw new Error("a revision does not end");
  return parser.at + 5;
}
