/** A text that has been set into a box. */
export interface SetText {
  readonly lines: readonly string[];
  readonly size: number;
}

const smallestSize = 5;
/** Between baselines, in sizes. */
export const lineHeight = 1.2;

/**
 * Breaks a text into lines that fit the box, as large as it fits but not beyond the wanted size. What does not fit at the
 * smallest size runs over the lower edge: nothing of what somebody has written is left out. Each word is measured once,
 * since that takes long for scripts whose letters join.
 */
export function setText(
  text: string,
  box: { readonly width: number; readonly height: number },
  wanted: number,
  widthOf: (text: string, size: number) => number,
): SetText {
  const widths = new Map<string, number>();
  const widthAtOne = (word: string): number => {
    const width = widths.get(word) ?? widthOf(word, 1);
    widths.set(word, width);
    return width;
  };
  const paragraphs = text
    .split(/\r\n|\r|\n/)
    .map((paragraph) => paragraph.split(" ").map((word): Piece => ({ text: word, width: widthAtOne(word) })));
  const breakAt = (size: number) => breakLines(paragraphs, box.width / size, widthAtOne(" "));
  for (let size = wanted; size > smallestSize; size -= 0.5) {
    const lines = breakAt(size);
    const fitsHeight = lines.length === 1 || lines.length * size * lineHeight <= box.height;
    if (fitsHeight && lines.every(({ width }) => width * size <= box.width)) return { lines: textsOf(lines), size };
  }
  return { lines: textsOf(breakAt(smallestSize)), size: smallestSize };
}

/** A word or a line, and its width at size 1. */
interface Piece {
  readonly text: string;
  readonly width: number;
}

const textsOf = (lines: readonly Piece[]): readonly string[] => lines.map(({ text }) => text);

function breakLines(paragraphs: readonly (readonly Piece[])[], width: number, space: number): Piece[] {
  return paragraphs.flatMap((words) => {
    const lines: Piece[] = [];
    let line: Piece = { text: "", width: 0 };
    for (const word of words) {
      const longer = line.width + space + word.width;
      if (line.text === "") line = word;
      else if (longer > width) {
        lines.push(line);
        line = word;
      } else line = { text: `${line.text} ${word.text}`, width: longer };
    }
    return [...lines, line];
  });
}
