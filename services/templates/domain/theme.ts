import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { FieldProblem } from "#platform/errors.ts";
import { problem } from "./problems.ts";
import { unstorableTexts } from "./text.ts";

/** A theme names a few colours and fonts; all deployments of a template travel in one message. */
const maxBytes = 8_192;
const maxDepth = 8;

/** What is wrong with the theme of a deployment. */
export function themeProblems(theme: JsonObject): FieldProblem[] {
  if (!isWithin(theme, maxDepth)) {
    return [problem("theme", "TOO_DEEP", `must have at most ${maxDepth} levels of objects and lists`)];
  }
  if (Buffer.byteLength(JSON.stringify(theme)) > maxBytes) {
    return [problem("theme", "TOO_LARGE", `must have at most ${maxBytes} bytes of JSON`)];
  }
  return unstorableTexts("theme", theme);
}

const isWithin = (value: JsonValue, depth: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (depth > 0 && Object.values(value).every((item) => isWithin(item, depth - 1)));
