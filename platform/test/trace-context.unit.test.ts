import { describe, expect, test } from "@jest/globals";
import { continueTrace, isTraceparent, newTraceparent, traceId } from "../trace-context.ts";

describe("newTraceparent", () => {
  test("makes well-formed traces that never repeat", () => {
    const made = Array.from({ length: 2_000 }, newTraceparent);
    expect(made.every(isTraceparent)).toBe(true);
    expect(new Set(made.map(traceId)).size).toBe(made.length);
    expect(new Set(made.map((traceparent) => traceparent.slice(36, 52))).size).toBe(made.length);
  });
});

describe("continueTrace", () => {
  test("keeps the trace and its flags and gives it a span of its own", () => {
    const incoming = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const continued = continueTrace(incoming);
    expect(continued).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
    expect(continued).not.toBe(incoming);
  });

  test.each([undefined, "", "nonsense", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"])(
    "starts anew for %p",
    (incoming) => {
      expect(isTraceparent(continueTrace(incoming))).toBe(true);
    },
  );
});
