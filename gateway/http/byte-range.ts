/** A part of so many bytes, both ends included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const single = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

/**
 * The part that a Range header asks for (RFC 9110 §14.1.2): "whole" when it asks for several, or in a way that we do not
 * know, which is answered as if nothing had been asked; "unsatisfiable" when there is nothing at that place.
 */
export function readRange(header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" {
  const [, from = "", to = ""] = single.exec((header ?? "").slice(0, 100)) ?? [];
  if (from === "") return to === "" ? "whole" : suffix(Number(to), size);
  const first = Number(from);
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < first) return "whole";
  return first >= size ? "unsatisfiable" : { first, last };
}

const suffix = (length: number, size: number): ByteRange | "unsatisfiable" =>
  length === 0 || size === 0 ? "unsatisfiable" : { first: Math.max(0, size - length), last: size - 1 };
