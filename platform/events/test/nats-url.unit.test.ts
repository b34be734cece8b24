import { describe, expect, test } from "@jest/globals";
import { parseNatsUrl } from "../nats-stream.ts";

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

  test("an authority of their own stands in one of them, and is asked for by TLS alone", () => {
    const expected = { servers: ["a:4222", "b:4222"], tls: { caFile: "/run/ca.crt" } };
    expect(parseNatsUrl("tls://a:4222?ca=/run/ca.crt,tls://b:4222")).toEqual(expected);
    expect(parseNatsUrl("nats://a:4222?ca=/run/ca.crt,nats://b:4222")).toEqual(expected);
  });

  test("what is not a URL is refused", () => {
    expect(() => parseNatsUrl("not a url")).toThrow();
  });
});
