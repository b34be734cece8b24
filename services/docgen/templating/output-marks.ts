import { createHash } from "node:crypto";

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
