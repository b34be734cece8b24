import { expect, test } from "@jest/globals";
import type { JsonSchema } from "#api/kinds.ts";
import { continueTrace } from "#platform/trace-context.ts";
import { prefers } from "../http/accept.ts";
import { clientAddressOf, identify } from "../http/exchange.ts";
import { publicUrlOf } from "../http/execute-route.ts";
import { schemaCompiler } from "../http/validate.ts";
import { allRoutes } from "../routes/index.ts";

/** Every schema of a text with a pattern or a format that a request can bring, by what makes it different. */
function textSchemas(): Map<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { pattern, format } = value as JsonSchema;
    const isText = typeof pattern === "string" || typeof format === "string";
    if (isText)
      found.set(`${format ?? "pattern"} ${pattern ?? ""}`, {
        ...(pattern ? { pattern } : {}),
        ...(format ? { format } : {}),
      });
    // An example may have a member of that name, which is no format.
    for (const [name, part] of Object.entries(value)) if (!name.startsWith("example")) visit(part);
  };
  for (const { body, query, texts } of allRoutes) visit([body?.schema, query?.properties, texts]);
  return found;
}

const pieces = ["a", "0", "-", "a-", "a.", "dep_", "https://", "2026-11-20T", "sha256:", "en-", "é"];
const endings = ["", "!"];

/** Texts that make a regular expression try again and again, of about so many characters. */
const adversarial = (length: number): string[] =>
  pieces.flatMap((piece) => endings.map((end) => piece.repeat(length / piece.length) + end));

/** Milliseconds of this thread alone: whatever else the machine is doing does not count. */
function elapsed(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return process.threadCpuUsage(before).user / 1000;
}

/** Quadratic work takes 16 times as long for four times the text; what takes no time at all is not compared. */
function expectLinear(check: (text: string) => unknown, length: number): void {
  const [short, long] = [adversarial(length / 4), adversarial(length)];
  for (const text of short) check(text);
  const shortMs = elapsed(() => short.forEach(check));
  const longMs = elapsed(() => long.forEach(check));
  if (longMs > 500) expect(longMs / shortMs).toBeLessThan(12);
  // 22 texts of 1 MB each: years for a pattern that tries again, minutes for a quadratic one.
  expect(longMs).toBeLessThan(20_000);
}

test.each([...textSchemas()])(
  "a text of 1 MB against %s takes time that grows with its length only",
  (_name, schema) => {
    const validate = schemaCompiler()({ type: "string", ...schema });
    expectLinear(validate, 1_048_576);
  },
);

test("there are texts with patterns and formats to look at", () => {
  expect(textSchemas().size).toBeGreaterThan(8);
});

// Node has refused a longer head before.
const longestHeader = 16_384;
const socket = { remoteAddress: "192.0.2.1" } as never;

test.each<[string, (text: string) => unknown]>([
  ["X-Request-Id", (text) => identify({ "x-request-id": text }, () => "")],
  ["traceparent", (text) => continueTrace(text)],
  ["Accept", (text) => prefers(text, "text/html", "application/json")],
  ["Accept with many types", (text) => prefers(text.replaceAll("-", ","), "text/html", "application/json")],
  ["Host", (text) => publicUrlOf({ protocol: "https", host: text }, "")],
  ["X-Forwarded-For", (text) => clientAddressOf({ ip: text, socket })],
])("the longest %s takes time that grows with its length only", (_name, check) => {
  expectLinear(check, longestHeader);
});
