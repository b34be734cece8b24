import type { Finding } from "./template-source.ts";

/** A finding about a template by its place in the source, in UTF-16 code units. */
export interface PlacedFinding {
  readonly code: string;
  readonly message: string;
  readonly offset: number;
}

/** Enough to work with; more would only make the answer large. */
const maxFindings = 50;

/** The findings in the order of the source, with lines and columns. Linear in the source. */
export function placeFindings(source: string, findings: readonly PlacedFinding[]): Finding[] {
  const inOrder = [...findings].sort((a, b) => a.offset - b.offset).slice(0, maxFindings);
  let line = 1;
  let lineStart = 0;
  let position = 0;
  return inOrder.map(({ code, message, offset }) => {
    for (; position < offset; position += 1) {
      if (!endsLine(source, position)) continue;
      line += 1;
      lineStart = position + 1;
    }
    return { code, message, line, column: offset - lineStart + 1 };
  });
}

/** Where an offset is, for people: 1-based. */
export function placeOf(source: string, offset: number): { readonly line: number; readonly column: number } {
  const [place] = placeFindings(source, [{ code: "", message: "", offset }]);
  return { line: place?.line ?? 1, column: place?.column ?? 1 };
}

function endsLine(source: string, position: number): boolean {
  const code = source.charCodeAt(position);
  return code === 0x0a || (code === 0x0d && source.charCodeAt(position + 1) !== 0x0a);
}

/** A part of a source as messages quote it. */
export const quoted = (text: string): string =>
  `“${text
    .slice(0, 40)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd")}”`;
