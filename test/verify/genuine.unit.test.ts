import { beforeAll, describe, expect, test } from "@jest/globals";
import { makeBundle } from "./support/bundle.ts";
import { keyFile, makeInstallation } from "./support/installation.ts";
import { scenario } from "./support/scenario.ts";
import { failures, loadVerifier, statusesOf, type VerifyBundle } from "./support/verifier.ts";

const installation = makeInstallation();
const keys = keyFile(installation);
let verify: VerifyBundle;
beforeAll(async () => {
  verify = await loadVerifier();
});

describe("a genuine bundle", () => {
  test.each([
    ["of a static text", {}],
    ["of a generated text", { type: "GENERATED" }],
    ["of a consent", { type: "CONSENT" }],
    ["of an acceptance without a session", { origin: "DIRECT" }],
    ["of a session that was accepted twice", { acceptances: 2 }],
    ["of a refusal", { decision: "DECLINE" }],
    ["of a session that nobody accepted", { acceptances: 0 }],
    ["of a session without any record", { acceptances: 0, isCompleted: false }],
    ["that discloses nothing", { visibility: "none" }],
    ["of a generated text that discloses nothing", { visibility: "none", type: "GENERATED" }],
    ["of somebody who was erased", { visibility: "erased", acceptances: 2 }],
    ["of a generated text for somebody who was erased", { visibility: "erased", type: "GENERATED" }],
    ["of somebody who is restricted", { visibility: "restricted" }],
    ["whose checkpoint is not anchored yet", { anchor: "PENDING" }],
  ] as const)("%s fails nowhere", async (_name, changes) => {
    const result = await verify(makeBundle(installation, scenario(changes)), { keys });
    expect(failures(result)).toEqual([]);
    expect(result.ok).toBe(true);
    expect(statusesOf(result, "BUNDLE_SIGNATURE")).toEqual(["PASS"]);
  });
});
