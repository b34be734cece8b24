import { createHash } from "node:crypto";
import { readTokens, type SourceAttribute, type StartTag } from "#platform/restricted-html/tokens.ts";
import type { SourceRange } from "#platform/restricted-html/tree.ts";

/**
 * What stands in the markup for the values of outputs: letters and digits, which are text wherever they stand, in HTML
 * as in Markdown and in addresses.
 */
export interface OutputMarks {
  readonly prefix: string;
  of(index: number): string;
  /** The marks of a text in their order. */
  find(text: string): FoundMark[];
  /** True when the text is a mark and nothing else. */
  isMark(text: string): boolean;
}

export interface FoundMark {
  /** Of the output. */
  readonly index: number;
  readonly offset: number;
  readonly length: number;
}

/** Marks that nobody can write into the template by chance: they depend on all of it. */
export function createOutputMarks(content: string): OutputMarks {
  const prefix = `xq${createHash("sha256").update(content).digest("hex").slice(0, 12)}k`;
  const pattern = new RegExp(`${prefix}(\\d{1,9})z`, "g");
  const whole = new RegExp(`^${prefix}\\d{1,9}z$`);
  return {
    prefix,
    of: (index) => `${prefix}${index}z`,
    find: (text) =>
      Array.from(text.matchAll(pattern), ({ 0: mark, 1: index, index: offset }) => ({
        index: Number(index),
        offset,
        length: mark.length,
      })),
    isMark: (text) => whole.test(text),
  };
}

/** An output at a place where its value would not be plain text, such as in a tag. */
interface MisplacedOutput {
  /** Of the output. */
  readonly index: number;
  readonly message: string;
}

/**
 * Finds the outputs that stand neither in text nor in the value of an attribute that may have them. What remains is safe:
 * escaped, a value ends neither the text nor the attribute. Linear.
 */
export function findMisplacedOutputs(html: string, marks: OutputMarks): MisplacedOutput[] {
  const found = marks.find(html);
  const misplaced: MisplacedOutput[] = [];
  let next = 0;
  /** Takes the marks before the end of this part of the markup; those before its begin are in text. */
  const take = (range: SourceRange, check: (mark: FoundMark) => string | undefined): void => {
    const end = range.offset + range.length;
    for (let mark = found[next]; mark !== undefined && mark.offset < end; mark = found[next]) {
      const message = mark.offset < range.offset ? textProblem(html, mark) : check(mark);
      if (message !== undefined) misplaced.push({ index: mark.index, message });
      next += 1;
    }
  };
  const never = () => "An output cannot stand in a tag, apart from the values of some attributes, or in a comment.";
  readTokens(html, {
    startTag: (tag) => take(tag.source, (mark) => attributeProblem(html, tag, mark, marks)),
    endTag: (_name, range) => take(range, never),
    comment: (range) => take(range, never),
    doctype: (range) => take(range, never),
    text: () => {},
    syntaxError: (name) => {
      // The rest of the text is a tag that browsers drop.
      if (name === "eof-in-tag") take({ offset: html.lastIndexOf("<"), length: html.length }, never);
    },
  });
  take({ offset: html.length, length: 1 }, never);
  return misplaced;
}

/** The longest name of a character reference has 31 letters. */
const longestReference = 64;
const opensSomething = /(?:<\/?|&#?[0-9a-zA-Z]*)$/;

const textProblem = (html: string, { offset }: FoundMark): string | undefined =>
  opensSomething.test(html.slice(Math.max(0, offset - longestReference), offset))
    ? "An output cannot stand right after < or &. Write &lt; or &amp;."
    : undefined;

const attributesWithOutputs: ReadonlySet<string> = new Set(["href", "src", "alt", "title"]);

function attributeProblem(html: string, tag: StartTag, mark: FoundMark, marks: OutputMarks): string | undefined {
  const attribute = tag.attributes.find(({ source }) => isWithin(mark, source));
  if (attribute === undefined || attribute.name.includes(marks.prefix)) {
    return "An output cannot be the name of an element or of an attribute.";
  }
  if (!attributesWithOutputs.has(attribute.name)) {
    return `The attribute ${attribute.name} cannot have outputs; ${[...attributesWithOutputs].join(", ")} can.`;
  }
  if (!isQuoted(html, attribute)) return "Put quotation marks around the value of the attribute.";
  if (attribute.name === "src" && !marks.isMark(attribute.value)) {
    return "The address of an image is either written out or one output as a whole, of a data: address.";
  }
  return textProblem(html, mark) && "An output cannot stand right after < or &. Write &lt; or &amp;.";
}

const isWithin = ({ offset }: FoundMark, range: SourceRange): boolean =>
  offset >= range.offset && offset < range.offset + range.length;

function isQuoted(html: string, { source }: SourceAttribute): boolean {
  const text = html.slice(source.offset, source.offset + source.length);
  return /^[^=]*=\s*["']/.test(text);
}
