import { describe, expect, test } from "@jest/globals";
import { parseNatsUrl } from "../nats-url.ts";

describe("parseNatsUrl", () => {
  test("the port is 4222 when none is given", () => {
    expect(parseNatsUrl("nats://localhost")).toEqual({ servers: ["localhost:4222"] });
  });

  test("several servers share one login and one kind of connection", () => {
    expect(parseNatsUrl("tls://me:p%40ss@a:1, tls://b:2")).toEqual({
      servers: ["a:1", "b:2"],
      user: "me",
      pass: "p@ss",
      tls: {},
    });
  });

  test("what is not a URL is refused", () => {
    expect(() => parseNatsUrl("not a url")).toThrow();
  });
});
