import { beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { makeBundle } from "./support/bundle.ts";
import { type Jwk, keyFile, makeInstallation } from "./support/installation.ts";
import { iso, scenario } from "./support/scenario.ts";
import { failures, loadVerifier, type Result, statusesOf, type VerifyBundle } from "./support/verifier.ts";

const installation = makeInstallation();
const told = scenario();
const bundle = makeBundle(installation, told);
let verify: VerifyBundle;
beforeAll(async () => {
  verify = await loadVerifier();
});

const failed = ({ checks }: Result): string[] => [
  ...new Set(checks.filter(({ status }) => status === "FAIL").map(({ check }) => check)),
];
const seconds = (ms: number): number => Math.floor(ms / 1000);
const hourMs = 3_600_000;

describe("keys", () => {
  test("that only the bundle brings along prove nothing, and the result says so", async () => {
    const result = await verify(bundle);
    expect(result.ok).toBe(true);
    const finding = result.checks.find(({ check }) => check === "KEYS");
    expect(finding).toMatchObject({ status: "NOT PRESENT" });
    expect(finding?.message).toContain("prove nothing by themselves");
  });

  test("of a forger make a bundle that agrees with itself and fails with the real keys", async () => {
    const forger = { ...makeInstallation(), issuer: installation.issuer };
    const forgery = makeBundle(forger, told);
    expect((await verify(forgery)).ok).toBe(true);
    const expected = [
      "BUNDLE_SIGNATURE",
      "SIGNATURE",
      "KEY_VALIDITY",
      "CHECKPOINT",
      "ANCHOR_CHECKPOINT",
      "RENDER_TOKEN",
    ];
    expect(failed(await verify(forgery, { keys: keyFile(installation) }))).toEqual(expected);
  });

  test("of another organization's log do not prove a checkpoint", async () => {
    const keys = keyFile({ ...installation, organizationId: "0199aa00-0000-7000-8000-0000000000ff" });
    expect(failed(await verify(bundle, { keys }))).toEqual(["CHECKPOINT"]);
  });

  test.each<[string, Partial<Jwk>]>([
    ["had stopped signing", { exp: seconds(told.start) }],
    ["had not begun to sign", { nbf: seconds(told.generatedAt + hourMs) }],
  ])("that %s fail", async (_name, receipt) => {
    expect(failed(await verify(bundle, { keys: keyFile(installation, { receipt }) }))).toEqual(["KEY_VALIDITY"]);
    expect(failed(await verify(bundle, { keys: keyFile(installation, { render: receipt }) }))).toEqual([
      "RENDER_TOKEN",
    ]);
  });

  test("that signed at the very edge of their time are good", async () => {
    const receipt = { nbf: (told.start + 30_123) / 1000, exp: told.generatedAt / 1000 };
    expect(failures(await verify(bundle, { keys: keyFile(installation, { receipt }) }))).toEqual([]);
  });

  test("that were revoked fail while nothing proves that the record is older, whenever that was", async () => {
    for (const revoked of [told.start - hourMs, told.generatedAt + hourMs]) {
      const keys = keyFile(installation, { receipt: { revokedAt: iso(revoked) }, render: { revokedAt: iso(revoked) } });
      const result = await verify(bundle, { keys });
      expect(failed(result)).toEqual(["KEY_VALIDITY", "RENDER_TOKEN"]);
      expect(statusesOf(result, "KEY_VALIDITY")).toEqual(["FAIL", "FAIL", "FAIL"]);
    }
  });

  test("of logs that were revoked fail while nothing proves that the checkpoint is older", async () => {
    const keys = keyFile(installation, { log: { revokedAt: iso(told.generatedAt + hourMs) } });
    expect(failed(await verify(bundle, { keys }))).toEqual(["CHECKPOINT", "ANCHOR_CHECKPOINT"]);
  });

  test("for one purpose are not good for another", async () => {
    const file = keyFile(installation);
    const swapped = file.keys.map(
      (key) => ({ ...key, purpose: key.purpose === "render" ? "receipt" : "render" }) as Jwk,
    );
    const result = await verify(bundle, { keys: { ...file, keys: swapped } });
    expect(failed(result)).toEqual(["BUNDLE_SIGNATURE", "SIGNATURE", "KEY_VALIDITY", "RENDER_TOKEN"]);
  });
});

describe("a key file", () => {
  const good = keyFile(installation);
  const [key] = good.keys;
  test.each<[string, object]>([
    ["with a key twice", { ...good, keys: [...good.keys, key] }],
    ["with a key id that is another key's", { ...good, keys: [{ ...good.keys[1], kid: key?.kid }] }],
    ["with a key that does not say since when it signs", { ...good, keys: [{ ...key, nbf: undefined }] }],
    ["with a key of another kind", { ...good, keys: [{ ...key, crv: "X25519" }] }],
    ["with a revocation that is no time", { ...good, keys: [{ ...key, revokedAt: "yesterday" }] }],
    ["with a log key that is none", { ...good, logKeys: ["agreements.example.com"] }],
    ["with a log key under another name", { ...good, logKeys: good.logKeys.map((one) => `x${one}`) }],
    ["with a certificate that is none", { ...good, tsaCertificates: ["-----BEGIN CERTIFICATE-----"] }],
    ["with something else than lists", { keys: {}, logKeys: "none", tsaCertificates: 1 }],
    ["with nothing in it", {}],
  ])("%s fails and breaks nothing", async (_name, keys) => {
    const result = await verify(bundle, { keys });
    expect(result.ok).toBe(false);
    if (Object.keys(keys).length > 0) expect(statusesOf(result, "KEYS")).toEqual(["FAIL"]);
  });

  test("of any JSON never stops the verifier", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.array(fc.jsonValue()), async (keys, others) => {
        expect((await verify(bundle, { keys: { keys, logKeys: others, tsaCertificates: others } })).ok).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a record that waits to be logged", () => {
  test("is no failure while its time has not run out", async () => {
    const fresh = scenario({ log: "PENDING", isCompleted: false });
    const generatedAt = fresh.start + 30_123 + 60_000;
    const result = await verify(makeBundle(installation, { ...fresh, generatedAt }), { keys: keyFile(installation) });
    expect(failures(result)).toEqual([]);
    expect(statusesOf(result, "INCLUSION")).toEqual(["NOT PRESENT"]);
    expect(statusesOf(result, "ANCHOR_INCLUSION")).toEqual(["NOT PRESENT"]);
  });

  test("is a broken promise afterwards", async () => {
    const late = scenario({ log: "PENDING", isCompleted: false });
    const generatedAt = late.start + 30_123 + 60_001;
    const result = await verify(makeBundle(installation, { ...late, generatedAt }), { keys: keyFile(installation) });
    expect(failed(result)).toEqual(["INCLUSION"]);
  });
});
