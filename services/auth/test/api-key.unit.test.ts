import { crc32 } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { isApiKeyId, looksLikeApiKey, makeApiKey, parseApiKey } from "../domain/api-key.ts";
import { isClientId, makeClientId, makeClientSecret } from "../domain/oauth-client.ts";
import { randomBase62, toBase62 } from "../domain/secrets.ts";

describe("makeApiKey", () => {
  test("a key has the documented form and its checksum is the CRC-32 of what precedes it", () => {
    const { keyId, value } = makeApiKey(false);
    expect(value).toMatch(/^ak_live_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
    expect(value).toContain(`ak_live_${keyId}_`);
    expect(value.slice(-6)).toBe(toBase62(crc32(value.slice(0, -6)), 6));
  });

  test("keys of sandbox organizations say so", () => {
    expect(makeApiKey(true).value).toMatch(/^ak_test_/);
  });

  test("a made key parses to its own id", () => {
    for (const sandbox of [true, false]) {
      const { keyId, value } = makeApiKey(sandbox);
      expect(parseApiKey(value)).toEqual({ keyId });
      expect(isApiKeyId(keyId)).toBe(true);
      expect(looksLikeApiKey(value)).toBe(true);
    }
  });
});

describe("parseApiKey", () => {
  test("a key with any one character changed is refused", () => {
    const { value } = makeApiKey(false);
    for (let position = 0; position < value.length; position += 1) {
      const other = value[position] === "x" ? "y" : "x";
      expect(parseApiKey(value.slice(0, position) + other + value.slice(position + 1))).toBeUndefined();
    }
  });

  test("text that is not a key is refused", () => {
    const { value } = makeApiKey(false);
    const bad = [
      "",
      "ak_live_",
      `${value} `,
      `${value}\n`,
      value.slice(1),
      value.toUpperCase(),
      value.replaceAll("_", "-"),
    ];
    for (const text of bad) expect(parseApiKey(text)).toBeUndefined();
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => parseApiKey(text) === undefined));
  });

  test("a megabyte of text costs no more than a short one", () => {
    const text = `ak_live_${"a".repeat(1_000_000)}`;
    const started = performance.now();
    for (let call = 0; call < 100_000; call += 1) expect(parseApiKey(text)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe("base62", () => {
  test("numbers are written with the most significant digit first and filled up with zeros", () => {
    expect(toBase62(0, 6)).toBe("000000");
    expect(toBase62(61, 2)).toBe("0z");
    expect(toBase62(62, 2)).toBe("10");
    expect(toBase62(2 ** 32 - 1, 6)).toBe("4gfFC3");
  });

  test("random digits have the asked length and use the whole alphabet", () => {
    expect(randomBase62(43)).toHaveLength(43);
    expect(new Set(randomBase62(10_000)).size).toBe(62);
  });
});

describe("OAuth client ids", () => {
  test("ids and secrets have their prefix and length", () => {
    expect(makeClientId()).toMatch(/^cl_[0-9A-Za-z]{22}$/);
    expect(makeClientSecret()).toMatch(/^cs_[0-9A-Za-z]{43}$/);
  });

  test("only ids of that form are looked up", () => {
    expect(isClientId(makeClientId())).toBe(true);
    for (const text of ["", "cl_", `${makeClientId()}\u0000`, ` ${makeClientId()}`, "cl_'; drop table x; --abcd"]) {
      expect(isClientId(text)).toBe(false);
    }
  });
});
