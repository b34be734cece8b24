/** Whether the Accept header prefers the first type over the second (RFC 9110 §12.5.1). */
export function prefers(accept: string | undefined, type: string, other: string): boolean {
  const ranges = (accept ?? "").slice(0, 1_000).split(",").map(readRange);
  return quality(ranges, type) > quality(ranges, other);
}

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

function readRange(range: string): MediaRange {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const parsed = weight === undefined ? 1 : Number.parseFloat(weight);
  return { type, quality: parsed >= 0 && parsed <= 1 ? parsed : 0 };
}

/** The most specific matching range counts. */
function quality(ranges: readonly MediaRange[], type: string): number {
  const matching = [type, `${type.split("/")[0]}/*`, "*/*"].map((name) => ranges.find((range) => range.type === name));
  return matching.find((range) => range !== undefined)?.quality ?? 0;
}
