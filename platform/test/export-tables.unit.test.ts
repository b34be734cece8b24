import { expect, test } from "@jest/globals";
import { maskSecrets } from "../export-tables.ts";

test("an address keeps where it leads, and loses who gets in", () => {
  const masked = (url: string) => maskSecrets({ url }).url;
  expect(masked("https://ann:pass@word@hooks.example.com:8443/a/b?token=abc&x=#part")).toBe(
    "https://***@hooks.example.com:8443/a/b?token=***&x=***#***",
  );
  expect(masked("https://hooks.example.com/a@b")).toBe("https://hooks.example.com/a@b");
  expect(masked("https://chat.example.com/services/T0AB12CD/B0AB12CD/XyZ12abcXyZ12abcXyZ12abc?a=b")).toBe(
    "https://chat.example.com/services/T0AB12CD/B0AB12CD/***?a=***",
  );
  expect(masked("https://0198c0de-0000-7000-8000-000000000000.example.com/hooks/for-agreements-and-documents")).toBe(
    "https://0198c0de-0000-7000-8000-000000000000.example.com/hooks/for-agreements-and-documents",
  );
  expect(masked("https://hooks.example.com/?bare-token")).toBe("https://hooks.example.com/?***");
  expect(masked("")).toBe("");
});

test("addresses and secrets are found at any depth, and nothing else is changed", () => {
  const record = {
    settings: {
      urlToPublishTo: "https://a:b@c.example",
      requireAck: "true",
      password: "hidden",
      list: [{ secret: "s" }],
    },
    return_url: "https://c.example/?ticket=1",
    content: "see https://a:b@c.example/?token=1",
    count: 3,
    nothing: null,
  };
  expect(maskSecrets(record)).toEqual({
    settings: {
      urlToPublishTo: "https://***@c.example",
      requireAck: "true",
      password: "***",
      list: [{ secret: "***" }],
    },
    return_url: "https://c.example/?ticket=***",
    content: "see https://a:b@c.example/?token=1",
    count: 3,
    nothing: null,
  });
});
