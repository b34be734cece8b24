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
    ["of somebody who was shown what had changed", { changes: "SHOWN", acceptances: 2 }],
    ["of somebody who was shown what had changed, and is erased", { changes: "SHOWN", visibility: "erased" }],
    ["of a generated text of which the changes were shown", { changes: "SHOWN", type: "GENERATED" }],
    [
      "of a generated text of which changes were shown, without values",
      { changes: "SHOWN", type: "GENERATED", visibility: "none" },
    ],
    ["of changes that were too long to be shown", { changes: "TOO_LONG" }],
    ["with the picture of its deployment", { screenshot: "HELD", acceptances: 2 }],
    ["with the picture of its deployment, of somebody who was erased", { screenshot: "HELD", visibility: "erased" }],
    ["of a text that is a PDF", { pdf: true, acceptances: 2 }],
    ["of a text that is a PDF, of somebody who was erased", { pdf: true, visibility: "erased" }],
    ["whose deployment has lost its picture", { screenshot: "GONE" }],
  ] as const)("%s fails nowhere", async (_name, changes) => {
    const result = await verify(makeBundle(installation, scenario(changes)), { keys });
    expect(failures(result)).toEqual([]);
    expect(result.ok).toBe(true);
    expect(statusesOf(result, "BUNDLE_SIGNATURE")).toEqual(["PASS"]);
    expect(statusesOf(result, "CHANGES")).toEqual("changes" in changes ? ["PASS"] : []);
    const pictured = "screenshot" in changes ? [changes.screenshot === "HELD" ? "PASS" : "NOT PRESENT"] : [];
    expect(statusesOf(result, "SCREENSHOT_HASH")).toEqual(pictured);
    expect(statusesOf(result, "PDF_HASH")).toEqual("pdf" in changes ? ["PASS"] : []);
  });

  test.each([
    [16, []],
    [17, ["POLICY"]],
  ] as const)(
    "without the disclosure that its flags ask for, whose record has %p digests",
    async (undisclosed, failed) => {
      const result = await verify(makeBundle(installation, scenario({ undisclosed })), { keys });
      expect(result.checks.filter(({ status }) => status === "FAIL").map(({ check }) => check)).toEqual(failed);
    },
  );

  test("of changes tells what is not shown: that the earlier text was made from the source of its version", async () => {
    const messageOf = async (formerSource?: string) => {
      const told = makeBundle(installation, scenario({ changes: "SHOWN", ...(formerSource && { formerSource }) }));
      const { checks } = await verify(told, { keys });
      return checks.find(({ check }) => check === "CHANGES")?.message;
    };
    expect(await messageOf()).toMatch(/, and it is right\.$/);
    const doubt =
      "Taken as the record names it, and not shown to be made from the source of its version: the earlier text.";
    expect(await messageOf("# Terms")).toContain(`, and it is right. ${doubt}`);
  });

  test.each([
    ["/e2", "/e2", true],
    ["/e2", "", true],
    ["", "/e2", false],
    ["/e1", "/e1", false],
    ["/e2/e2", "/e2/e2", false],
  ])("with checkpoints of the epoch %p and records of %p is one of the log: %p", async (checkpoint, records, isOne) => {
    const bundle = makeBundle(installation, scenario({ epochs: { checkpoint, records } }));
    expect((await verify(bundle, { keys })).ok).toBe(isOne);
  });

  test("of a record that was lost afterwards still holds, and the key file tells that it was lost", async () => {
    const epoch = {
      ...{ logId: installation.organizationId, epoch: 2, origin: "", formerCheckpoint: "", treeSize: 3 },
      ...{ firstIndex: 4, missing: { from: 3, to: 9 }, openedAt: new Date(Date.now() + 60_000).toISOString() },
    };
    const told = async (changes: Partial<typeof epoch>): Promise<string> => {
      const { checks, ok } = await verify(makeBundle(installation, scenario()), {
        keys: { ...keys, epochs: [{ ...epoch, ...changes }] },
      });
      expect(ok).toBe(true);
      return checks
        .filter(({ check }) => check === "INCLUSION")
        .map(({ message }) => message)
        .join(" ");
    };
    expect(await told({})).toContain(
      `It was signed, then lost by a restore of the database, which was noticed at ${epoch.openedAt}.`,
    );
    expect(await told({ firstIndex: 50 })).toContain("It was signed, and may have been lost by a restore");
    for (const other of [
      { missing: { from: 40, to: 90 } },
      { logId: "another" },
      { epoch: 1 },
      { openedAt: "2026-01-01T00:00:00.000Z" },
    ]) {
      expect(await told(other)).not.toContain("lost");
    }
  });
});
