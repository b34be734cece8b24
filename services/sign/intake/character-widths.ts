/**
 * About how wide the characters of a text are in relation to each other, for each UTF-16 code unit: pdf.js tells the
 * width of a run as a whole. The proportions are those of common fonts.
 */
export const characterWidths = (text: string, isFixed: boolean): number[] =>
  Array.from({ length: text.length }, (_, index) => (isFixed ? 1 : widthOf(text.charCodeAt(index))));

function widthOf(code: number): number {
  if (code < helvetica.length) return helvetica[code] ?? usual;
  // The second half of a pair takes no place of its own.
  if (code >= 0xdc00 && code <= 0xdfff) return 0;
  return code >= firstIdeographic ? 1_000 : usual;
}

const usual = 556;
const firstIdeographic = 0x2e80;

/** Thousandths of the font size, from U+0000 (Adobe Font Metrics of Helvetica). */
const helvetica: readonly number[] = [
  ...Array.from({ length: 32 }, () => 278),
  ...[278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278],
  ...[556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556],
  ...[1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778],
  ...[667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556],
  ...[333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556],
  ...[556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584],
];
