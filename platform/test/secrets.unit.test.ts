import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { decrypt, decryptBytes, encrypt, keyId, masterKeySetting, parseMasterKeys, resealed } from "../secrets.ts";

const key = randomBytes(32);

describe("parseMasterKeys", () => {
  test("32 bytes in base64 are taken", () => {
    const bytes = randomBytes(32);
    expect(parseMasterKeys(bytes.toString("base64"))).toEqual([bytes]);
  });

  test("everything else is refused without being repeated", () => {
    const bad = [
      "",
      "secret",
      randomBytes(31).toString("base64"),
      randomBytes(33).toString("base64"),
      randomBytes(32).toString("hex"),
    ];
    for (const text of bad) {
      expect(() => parseMasterKeys(text)).toThrow("must be 32 bytes in base64");
    }
  });
});

describe("what is no random key", () => {
  const repeated = (text: string) => Buffer.from(text.repeat(32).slice(0, 32));

  test.each([
    ["zeros", Buffer.alloc(32)],
    ["one byte", Buffer.alloc(32, 0xfb)],
    ["two bytes in turn", repeated("ab")],
    ["16 bytes twice", repeated("0123456789abcdef")],
    ["a word again and again", repeated("change-me-please")],
    ["zeros but for the last byte", Buffer.from(`${"00".repeat(31)}01`, "hex")],
  ])("%s is refused, and not shown", (_name, bytes) => {
    const text = bytes.toString("base64");
    const refusal = expect.objectContaining({
      message: expect.stringMatching(/^must be random bytes(?!.*[A-Za-z0-9+/]{20})/),
    });
    expect(() => parseMasterKeys(text)).toThrow(refusal);
    for (const takesAnySpelling of [false, true]) {
      expect(() => masterKeySetting("What it is for.", { takesAnySpelling }).parse(text)).toThrow(refusal);
    }
  });

  test("random keys are taken", () => {
    for (let count = 0; count < 10_000; count += 1)
      expect(parseMasterKeys(randomBytes(32).toString("base64"))).toBeDefined();
  });
});

describe("masterKeySetting", () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_one, index) => 0xfb ^ index));

  test("is a required secret in base64", () => {
    const setting = masterKeySetting("What it is for.");
    expect(setting).toMatchObject({
      secret: true,
      fallback: undefined,
      doc: expect.stringMatching(/^What it is for\./),
    });
    expect(setting.parse(bytes.toString("base64"))).toBe(bytes.toString("base64"));
    expect(() => setting.parse(bytes.toString("base64url"))).toThrow("must be 32 bytes in base64");
  });

  test("another spelling is taken only where it is asked for, another length nowhere", () => {
    const setting = masterKeySetting("What it is for.", { takesAnySpelling: true });
    expect(setting.parse(bytes.toString("base64url"))).toBe(bytes.toString("base64url"));
    expect(() => setting.parse(bytes.subarray(1).toString("base64"))).toThrow("must be 32 bytes in base64");
  });
});

describe("encrypt", () => {
  const sealed = encrypt(key, "the private key", "kid-1");

  test("the same key and context decrypt", () => {
    expect(decrypt(key, sealed, "kid-1")).toBe("the private key");
    const bytes = randomBytes(100);
    expect(decryptBytes(key, encrypt(key, bytes, "kid-1"), "kid-1")).toEqual(bytes);
  });

  test("what was stored in this form still decrypts", () => {
    const stored = Buffer.from("Mvhbs9ySiT1Hvr7esyQzmtN2glGQgFNThoeGEmjBJnh+Ds1l0qBdxuUH2w==", "base64");
    expect(decrypt(Buffer.alloc(32, 7), stored, "kid-1")).toBe("the private key");
  });

  test("two encryptions of one text differ", () => {
    expect(encrypt(key, "the private key", "kid-1")).not.toEqual(sealed);
  });

  test("another key, another context or any changed bit does not decrypt", () => {
    expect(() => decrypt(randomBytes(32), sealed, "kid-1")).toThrow();
    expect(() => decrypt(key, sealed, "kid-2")).toThrow();
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => decrypt(key, changed, "kid-1")).toThrow();
    }
    expect(() => decrypt(key, sealed.subarray(0, 20), "kid-1")).toThrow();
  });
});

describe("a ring of keys", () => {
  const [newest, former] = [randomBytes(32), randomBytes(32)];
  const text = `${newest.toString("base64")}, ${former.toString("base64")}`;

  test("is several keys with commas between them, each of them once", () => {
    expect(parseMasterKeys(text)).toEqual([newest, former]);
    expect(parseMasterKeys(newest.toString("base64"))).toEqual([newest]);
    expect(() => parseMasterKeys(`${text},${former.toString("base64")}`)).toThrow("must not name a key twice");
    expect(() => parseMasterKeys(`${text},`)).toThrow("must be 32 bytes in base64");
    expect(parseMasterKeys(former.toString("base64url"), { takesAnySpelling: true })).toEqual([former]);
    const poor = Buffer.alloc(32, 1);
    expect(parseMasterKeys(`${text},${poor.toString("base64")}`)).toEqual([newest, former, poor]);
    expect(() => parseMasterKeys(`${poor.toString("base64")},${text}`)).toThrow("must be random bytes");
  });

  test("opens what any of its keys has sealed, and nothing else", () => {
    for (const one of [newest, former]) {
      expect(decrypt([newest, former], encrypt(one, "plain", "x"), "x")).toBe("plain");
    }
    expect(() => decrypt([newest, former], encrypt(key, "plain", "x"), "x")).toThrow();
  });

  test("seals anew what a former key has sealed, and says when nothing is to be done", () => {
    const fresh = resealed([newest, former], encrypt(former, "plain", "x"), "x");
    expect(decrypt(newest, fresh as Buffer, "x")).toBe("plain");
    expect(resealed([newest, former], fresh as Buffer, "x")).toBeUndefined();
    expect(() => resealed([newest, former], encrypt(key, "plain", "x"), "x")).toThrow();
  });

  test("is told of by names that say nothing of the keys", () => {
    expect(keyId(newest)).toMatch(/^[0-9a-f]{12}$/);
    expect(keyId(newest)).not.toBe(keyId(former));
    expect(newest.toString("hex")).not.toContain(keyId(newest));
  });
});
