import { beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Bundle, makeBundle, sign } from "./support/bundle.ts";
import { keyFile, makeInstallation } from "./support/installation.ts";
import { scenario } from "./support/scenario.ts";
import { changed } from "./support/tamper.ts";
import { loadVerifier, type VerifyBundle } from "./support/verifier.ts";

const installation = makeInstallation();
const keys = keyFile(installation);
const bundle = makeBundle(installation, scenario({ acceptances: 2 }));
let verify: VerifyBundle;
beforeAll(async () => {
  verify = await loadVerifier();
});

describe("what is no bundle", () => {
  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["a text", '"bundle"'],
    ["null", "null"],
    ["an empty object", "{}"],
    ["a list that is deeper than any program reads", `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
    [
      "members of the prototype",
      '{"__proto__":{"integrity":{}},"constructor":{},"integrity":{"records":{"length":1}}}',
    ],
  ])("fails: %s", async (_name, text) => {
    const result = await verify(text, { keys });
    expect(result.ok).toBe(false);
    expect(result.checks[0]).toMatchObject({ check: "BUNDLE_SIGNATURE", status: "FAIL" });
  });

  test("fails when a member stands there twice, even when the last one is genuine", async () => {
    const text = JSON.stringify(bundle);
    expect((await verify(text, { keys })).ok).toBe(true);
    for (const twice of [
      text.replace('"subject":{', '"subject":{"userRef":"somebody else",'),
      text.replace("{", '{"session":{},'),
      text.replace('"subject":{', '"subject":{"user\\u0052ef":"somebody else",'),
    ]) {
      expect(JSON.stringify(JSON.parse(twice))).toHaveLength(text.length);
      const result = await verify(twice, { keys });
      expect(result.ok).toBe(false);
      expect(result.checks[0]?.message).toContain("twice");
    }
  });

  test("of any JSON never stops the verifier", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect((await verify(JSON.stringify(value), { keys })).ok).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

const pathsOf = (value: unknown, path: string[] = []): string[] =>
  typeof value !== "object" || value === null
    ? [path.join(".")]
    : Object.entries(value).flatMap(([name, member]) => [
        ...(path.length === 0 ? [] : [path.join(".")]),
        ...pathsOf(member, [...path, name]),
      ]);

const paths = [...new Set(pathsOf(bundle))];
const path = fc.constantFrom(...paths.filter((one) => !one.startsWith("policy.flags") && one.includes(".")));
const replacement = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, [], {}, "", 0, -1, 1e300, true, [null], [[]], "\u0000", { length: 3 }),
);

describe("a part that is replaced by anything else", () => {
  test("never stops the verifier, and fails", async () => {
    await fc.assert(
      fc.asyncProperty(path, replacement, async (where, value) => {
        const other = changed(bundle, where, () => value);
        fc.pre(JSON.stringify(other) !== JSON.stringify(bundle));
        expect((await verify(other, { keys })).ok).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test("never stops the verifier when the bundle is signed again", async () => {
    await fc.assert(
      fc.asyncProperty(path, replacement, async (where, value) => {
        const other = sign(installation, changed(bundle, where, () => value) as Bundle);
        const { checks } = await verify(other, { keys });
        expect(checks.length).toBeGreaterThan(15);
        for (const { status, message } of checks) {
          expect(["PASS", "FAIL", "NOT PRESENT", "ERASED"]).toContain(status);
          expect(message).toMatch(/^[A-Z"].*\.$/s);
        }
      }),
      { numRuns: 300 },
    );
  });
});
