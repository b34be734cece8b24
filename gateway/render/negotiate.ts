/** What a rendering can be answered as. */
export type RenderFormat = "json" | "html" | "fragment";

/** As ?format= says; else HTML for whoever prefers it to JSON, as browsers do, and JSON for everybody else. */
export function chooseFormat(asked: RenderFormat | undefined, accept: string | undefined): RenderFormat {
  if (asked !== undefined) return asked;
  const ranges = (accept ?? "").slice(0, 1_000).split(",").map(readRange);
  return quality(ranges, "text/html") > quality(ranges, "application/json") ? "html" : "json";
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

/** RFC 9110 §12.5.1: the most specific range that matches counts. */
function quality(ranges: readonly MediaRange[], type: string): number {
  const matching = [type, `${type.split("/")[0]}/*`, "*/*"].map((name) => ranges.find((range) => range.type === name));
  return matching.find((range) => range !== undefined)?.quality ?? 0;
}
