import { beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { makeBundle, sign } from "./support/bundle.ts";
import { keyFile, makeInstallation } from "./support/installation.ts";
import { type Authority, type AuthorityOptions, describeWithOpenssl } from "./support/openssl.ts";
import { iso, type Scenario, scenario } from "./support/scenario.ts";
import { bits, changed } from "./support/tamper.ts";
import { failures, loadVerifier, type Result, statusesOf, type VerifyBundle } from "./support/verifier.ts";

const installation = makeInstallation();
const hourMs = 3_600_000;
let verify: VerifyBundle;
beforeAll(async () => {
  verify = await loadVerifier();
});

const trusting = (authority: Authority) => ({ ...keyFile(installation), tsaCertificates: [authority.root] });
const stamped = (authority: Authority, changes: Partial<Scenario> = {}) =>
  makeBundle(installation, scenario({ stamp: authority.stamp, ...changes }));
const failed = ({ checks }: Result): string[] =>
  checks.filter(({ status }) => status === "FAIL").map(({ check }) => check);

describeWithOpenssl("a time stamp", (makeAuthority) => {
  test.each<[string, AuthorityOptions]>([
    ["RSA and SHA-256", { keys: "RSA", hash: "sha256" }],
    ["RSA and SHA-512", { keys: "RSA", hash: "sha512" }],
    ["ECDSA with P-256", { keys: "P-256", hash: "sha256" }],
    ["ECDSA with P-384", { keys: "P-384", hash: "sha384" }],
    ["a certificate that is named by SHA-1", { certificateHash: "sha1" }],
    ["a chain of three certificates", { intermediate: true }],
  ])("by %s is good", async (_name, options) => {
    const authority = makeAuthority(options);
    const result = await verify(stamped(authority), { keys: trusting(authority) });
    expect(failures(result)).toEqual([]);
    expect(statusesOf(result, "TIMESTAMP")).toEqual(["PASS"]);
    expect(statusesOf(result, "TIMESTAMP_TRUST")).toEqual(["PASS"]);
  });

  test("is good as a whole answer of its authority too", async () => {
    const authority = makeAuthority();
    const bundle = stamped(authority, { stamp: authority.answer });
    expect(failures(await verify(bundle, { keys: trusting(authority) }))).toEqual([]);
  });

  test("of an authority that nobody has named is told, and trusted no further", async () => {
    const result = await verify(stamped(makeAuthority()), { keys: keyFile(installation) });
    expect(result.ok).toBe(true);
    expect(statusesOf(result, "TIMESTAMP_TRUST")).toEqual(["NOT PRESENT"]);
  });

  test("of another authority than the trusted one fails", async () => {
    const keys = trusting(makeAuthority());
    expect(failed(await verify(stamped(makeAuthority()), { keys }))).toEqual(["TIMESTAMP_TRUST"]);
  });

  test.each([
    ["critical,timeStamping", []],
    ["timeStamping", ["TIMESTAMP", "TIMESTAMP_TRUST"]],
    ["critical,codeSigning", ["TIMESTAMP", "TIMESTAMP_TRUST"]],
    ["critical,timeStamping,codeSigning", ["TIMESTAMP", "TIMESTAMP_TRUST"]],
  ])("by a certificate for %s fails in %p", async (usage, expected) => {
    const proper = makeAuthority();
    const other = makeAuthority({ usage });
    const bundle = stamped(proper, { stamp: (checkpoint) => other.signAgain(proper.stamp(checkpoint)) });
    expect(failed(await verify(bundle, { keys: trusting(other) }))).toEqual(expected);
  });

  test("over another checkpoint fails", async () => {
    const authority = makeAuthority();
    const bundle = stamped(authority, { stamp: (checkpoint) => authority.stamp(`${checkpoint} `) });
    expect(failed(await verify(bundle, { keys: trusting(authority) }))).toEqual(["TIMESTAMP", "TIMESTAMP_TRUST"]);
  });

  test("that is older than the record it stamps fails", async () => {
    const authority = makeAuthority();
    const start = Date.now() + hourMs;
    const bundle = stamped(authority, { start, generatedAt: start + hourMs });
    expect(failed(await verify(bundle, { keys: trusting(authority) }))).toEqual(["TIMESTAMP"]);
  });

  test("with any bit flipped fails", async () => {
    const authority = makeAuthority({ keys: "RSA" });
    const bundle = stamped(authority);
    await fc.assert(
      fc.asyncProperty(bits, async (bit) => {
        const flipped = changed(bundle, "integrity.anchor.timestampToken", (token: string) => {
          const bytes = Buffer.from(token, "base64");
          const index = (bit >> 3) % bytes.length;
          bytes[index] = (bytes[index] as number) ^ (1 << (bit & 7));
          return bytes.toString("base64");
        });
        expect(failed(await verify(sign(installation, flipped), { keys: trusting(authority) }))).toContain("TIMESTAMP");
      }),
      { numRuns: 200 },
    );
  });

  test("proves what a key signed that was revoked later, but not the bundle, which can be fetched again", async () => {
    const authority = makeAuthority();
    const bundle = stamped(authority);
    const keys = { ...trusting(authority), ...revokedAt(Date.now() + hourMs) };
    const result = await verify(bundle, { keys });
    expect(failures(result)).toEqual([expect.stringMatching(/^KEY_VALIDITY -: .* fetch the bundle again\.$/)]);
    expect(statusesOf(result, "KEY_VALIDITY")).toEqual(["FAIL", "PASS", "PASS"]);
    for (const check of ["CHECKPOINT", "ANCHOR_CHECKPOINT", "RENDER_TOKEN"]) {
      expect(new Set(statusesOf(result, check))).toEqual(new Set(["PASS"]));
    }
  });

  test("does not prove what a key signed that was revoked before, or when nobody trusts its authority", async () => {
    const authority = makeAuthority();
    const bundle = stamped(authority);
    const before = { ...revokedAt(Date.now() - 10 * 60_000), tsaCertificates: [authority.root] };
    const untrusted = revokedAt(Date.now() + hourMs);
    for (const keys of [before, untrusted]) {
      const result = await verify(bundle, { keys });
      for (const check of ["KEY_VALIDITY", "CHECKPOINT", "ANCHOR_CHECKPOINT", "RENDER_TOKEN"]) {
        expect(new Set(statusesOf(result, check))).toEqual(new Set(["FAIL"]));
      }
    }
  });
});

function revokedAt(ms: number) {
  const change = { revokedAt: iso(ms) };
  const { tsaCertificates: _, ...keys } = keyFile(installation, { receipt: change, render: change, log: change });
  return keys;
}
