import { describe, expect, test } from "@jest/globals";
import { deriveKeys, hashApiKey, hashClientSecret, hashMatches } from "../domain/secrets.ts";
import { makeSealedKey, openSealedKey } from "../domain/signing-key.ts";

const keysOf = (byte: number) => deriveKeys([Buffer.alloc(32, byte)], () => Buffer.alloc(32, byte));
const keys = keysOf(7);

describe("deriveKeys", () => {
  test("each purpose has a key of its own, the same one every time", () => {
    const again = keysOf(7);
    expect(again).toEqual(keys);
    expect(new Set(Object.values(keys).map((key) => key.toString("hex"))).size).toBe(13);
    expect(keysOf(8).apiKeyPepper).not.toEqual(keys.apiKeyPepper);
  });
});

describe("hashMatches", () => {
  test("only the hash of the same secret matches", () => {
    const stored = hashApiKey(keys, "ak_live_a");
    expect(hashMatches(hashApiKey(keys, "ak_live_a"), stored)).toBe(true);
    expect(hashMatches(hashApiKey(keys, "ak_live_b"), stored)).toBe(false);
    expect(hashMatches(hashApiKey(keysOf(8), "ak_live_a"), stored)).toBe(false);
  });

  test("nothing stored matches nothing, not even zeros", () => {
    expect(hashMatches(Buffer.alloc(32), undefined)).toBe(false);
  });

  test("a client secret counts for its client only", () => {
    const stored = hashClientSecret(keys, "cl_a", "cs_1");
    expect(hashMatches(hashClientSecret(keys, "cl_b", "cs_1"), stored)).toBe(false);
  });
});

describe("sealed signing keys", () => {
  test("a sealed key opens to a private key that cannot be exported and a public key without private parts", async () => {
    const open = await openSealedKey(keys.signingKeyKek, await makeSealedKey(keys.signingKeyKek));
    expect(open.privateKey.extractable).toBe(false);
    expect(Object.keys(open.publicJwk).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  });

  test("a key sealed under another master key names itself in the error", async () => {
    const sealed = await makeSealedKey(keysOf(8).signingKeyKek);
    await expect(openSealedKey(keys.signingKeyKek, sealed)).rejects.toThrow(
      `signing key ${sealed.kid} cannot be decrypted`,
    );
  });

  test("a key stored under the id of another does not open", async () => {
    const [one, two] = [await makeSealedKey(keys.signingKeyKek), await makeSealedKey(keys.signingKeyKek)];
    await expect(openSealedKey(keys.signingKeyKek, { ...one, kid: two.kid })).rejects.toThrow("cannot be decrypted");
  });
});
