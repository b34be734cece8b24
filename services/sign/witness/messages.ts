import type { Box, Mark } from "../completion/mark.ts";

/** What is to be seen of a mark. */
export interface WitnessedMark extends Box {
  readonly kind: "text" | "signature" | "image" | "check";
  /** In the order in which they are drawn. Of a picture the last one stands in place of one that cannot be shown. */
  readonly texts: readonly string[];
  /** How far a name in it may lean to the right, for its height; 0 where letters stand upright. */
  readonly slant: number;
}

export interface WitnessJob {
  /** The file that people have seen. */
  readonly shown: Uint8Array;
  /** The one that is about to be sealed. */
  readonly sealed: Uint8Array;
  readonly marks: readonly WitnessedMark[];
  /** Printed by ourselves a moment ago: no program of others has written it, and nobody has looked at it. */
  readonly isCertificate?: boolean;
}

export type WitnessOutcome =
  | { readonly kind: "same" }
  /** A sentence without anything of the files. */
  | { readonly kind: "different"; readonly difference: string };

export function witnessedMark(mark: Mark): WitnessedMark {
  const { page, x, y, width, height, kind } = mark;
  const texts = kind === "check" ? [] : kind === "text" ? [mark.text] : [mark.caption, mark.text];
  const slant = kind === "text" || kind === "check" ? 0 : slantOf(mark.font);
  return { page, x, y, width, height, kind, texts, slant };
}

/**
 * The styles of signatures that tell names apart by their slant where a handwriting has no letters for them. Said here once
 * more than where marks are drawn: whoever changes it there by mistake is stopped here.
 */
function slantOf(font: string): number {
  switch (font) {
    case "caveat":
      return 0;
    case "great-vibes":
      return 0.3;
    default:
      return 0.22;
  }
}

/** As PDF writes them: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** First `inner`, then `outer`. */
export function product(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [p, q, r, s, t, u] = inner;
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
}

/** Undefined when the values are no matrix. */
export function matrixOf(values: readonly unknown[]): Matrix | undefined {
  const [first] = values;
  const numbers = (
    values.length === 1 && typeof first === "object" && first !== null ? Array.from(first as ArrayLike<number>) : values
  ) as readonly unknown[];
  return numbers.length === 6 && numbers.every((one) => typeof one === "number" && Number.isFinite(one))
    ? (numbers as unknown as Matrix)
    : undefined;
}

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where a rectangle comes to lie; `top` is the greater y. */
export function areaOf(matrix: Matrix, [x1, y1, x2, y2]: readonly [number, number, number, number]): Area {
  const corners = [
    [x1, y1],
    [x2, y1],
    [x1, y2],
    [x2, y2],
  ].map(([x = 0, y = 0]) => product(matrix, [1, 0, 0, 1, x, y]));
  const [xs, ys] = [corners.map((one) => one[4]), corners.map((one) => one[5])];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.max(...ys), bottom: Math.min(...ys) };
}

/** Of the page as it is shown, with x to the right and y upwards from its upper left corner, seen from its own space. */
export function toShown(view: readonly number[], rotate: number): Matrix {
  const [left = 0, bottom = 0, right = 0, top = 0] = view;
  switch (((rotate % 360) + 360) % 360) {
    case 90:
      return [0, -1, 1, 0, -bottom, left];
    case 180:
      return [-1, 0, 0, -1, right, bottom];
    case 270:
      return [0, 1, -1, 0, top, -right];
    default:
      return [1, 0, 0, 1, -left, -top];
  }
}
