import { beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { sha256Label } from "#platform/canonical-json.ts";
import { type Bundle, makeBundle, sign } from "./support/bundle.ts";
import { keyFile, makeInstallation } from "./support/installation.ts";
import { scenario } from "./support/scenario.ts";
import { bits, flip, flipped, forged } from "./support/tamper.ts";
import { failures, loadVerifier, type Result, type VerifyBundle } from "./support/verifier.ts";

const installation = makeInstallation();
const keys = keyFile(installation);
const bundle = makeBundle(installation, scenario({ acceptances: 2 }));
const told = makeBundle(installation, scenario({ changes: "SHOWN" }));
const filed = makeBundle(installation, scenario({ pdf: true }));
const pictured = makeBundle(installation, scenario({ screenshot: "HELD" }));
let verify: VerifyBundle;
beforeAll(async () => {
  verify = await loadVerifier();
});

const failed = ({ checks }: Result): string[] =>
  checks.filter(({ status }) => status === "FAIL").map(({ check }) => check);

describe("any single bit of a bundle", () => {
  test.each([
    ["compact", JSON.stringify(bundle)],
    ["pretty", JSON.stringify(bundle, null, 2)],
    ["of somebody who was erased", JSON.stringify(makeBundle(installation, scenario({ visibility: "erased" })))],
  ])("that is flipped fails: %s", async (_name, text) => {
    expect(failures(await verify(text, { keys }))).toEqual([]);
    const length = Buffer.byteLength(text) * 8;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: length - 1 }), async (bit) => {
        const other = flipped(text, bit);
        if (other === undefined || isSameJson(other, text)) return;
        expect((await verify(other, { keys })).ok).toBe(false);
      }),
      { numRuns: 250 },
    );
  });
});

function isSameJson(a: string, b: string): boolean {
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return false;
  }
}

/** Paths, and the checks that must fail when what stands there is changed and the bundle is signed again. */
const targets: readonly [string, readonly string[]][] = [
  ["integrity.records.0.leafData", ["SIGNATURE", "LEAF", "INCLUSION"]],
  ["integrity.records.1.leafData", ["SIGNATURE", "LEAF", "INCLUSION"]],
  ["integrity.records.2.leafData", ["SIGNATURE", "LEAF", "INCLUSION"]],
  ["integrity.records.1.leafHash", ["LEAF"]],
  ["integrity.records.1.recordId", ["LEAF"]],
  ["integrity.records.1.kind", ["LEAF"]],
  ["integrity.records.0.receiptJws", ["SIGNATURE"]],
  ["integrity.records.2.receiptJws", ["SIGNATURE"]],
  ["integrity.records.0.disclosures.0", ["DISCLOSURES"]],
  ["integrity.records.1.disclosures.3", ["DISCLOSURES"]],
  ["integrity.records.2.disclosures.1", ["DISCLOSURES"]],
  ["integrity.records.1.log.auditPath.0", ["INCLUSION"]],
  ["integrity.records.1.log.auditPath.2", ["INCLUSION"]],
  ["integrity.records.1.log.treeSize", ["INCLUSION"]],
  ["integrity.records.1.log.leafIndex", ["INCLUSION"]],
  ["integrity.records.1.log.logId", ["INCLUSION"]],
  ["integrity.records.1.log.origin", ["INCLUSION"]],
  ["integrity.records.1.log.checkpoint", ["CHECKPOINT", "ANCHOR_INCLUSION"]],
  ["integrity.records.0.log.checkpoint", ["CHECKPOINT"]],
  ["integrity.anchor.auditPath.0", ["ANCHOR_INCLUSION"]],
  ["integrity.anchor.auditPath.1", ["ANCHOR_INCLUSION"]],
  ["integrity.anchor.treeSize", ["ANCHOR_INCLUSION"]],
  ["integrity.anchor.anchorIndex", ["ANCHOR_INCLUSION"]],
  ["integrity.anchor.checkpoint", ["ANCHOR_CHECKPOINT"]],
  ["integrity.contentHash", ["CONTENT_HASH"]],
  ["agreement.content", ["CONTENT_HASH"]],
  ["agreement.contentHash", ["CONTENT_HASH"]],
  ["agreement.rendered", ["RENDER_HASH"]],
  ["agreement.renderHash", ["RENDER_HASH"]],
  ["agreement.template.name", ["TERMS_HASH"]],
  ["agreement.template.counterparty.legalName", ["TERMS_HASH"]],
  ["agreement.version.revision", ["LEAF"]],
  ["agreement.version.label", ["LEAF"]],
  ["presentation.rendering.words.buttonText", ["WORDS_HASH"]],
  ["presentation.deployment.displayMode", ["DEPLOYMENT_HASH"]],
  ["presentation.deploymentHash", ["DEPLOYMENT_HASH"]],
  ["presentation.rendering.renderToken", ["RENDER_TOKEN", "DISCLOSURES"]],
  ["presentation.renderedAt", ["LEAF"]],
  ["presentation.noticeText", ["DISCLOSURES"]],
  ["presentation.scrolledToEnd", ["DISCLOSURES"]],
  ["policy.flags.minDisplaySeconds", ["POLICY_HASH", "TERMS_HASH", "POLICY"]],
  ["policy.flags.requireCheckbox", ["POLICY_HASH", "TERMS_HASH", "POLICY"]],
  ["policy.hash", ["POLICY_HASH"]],
  ["policy.checks.0.ok", ["POLICY"]],
  ["policy.checks.1.source", ["POLICY"]],
  ["policy.checks.4.observed", ["POLICY"]],
  ["subject.userRef", ["DISCLOSURES"]],
  ["subject.typedName", ["DISCLOSURES"]],
  ["subject.verification.0.method", ["DISCLOSURES"]],
  ["context.claimed.ip", ["DISCLOSURES"]],
  ["context.claimed.timezone", ["DISCLOSURES"]],
  ["context.observed.clientId", ["DISCLOSURES"]],
  ["context.metadata.order", ["DISCLOSURES"]],
  ["context.session.ip", ["DISCLOSURES"]],
  ["earlier.0.claimed.pageUrl", ["DISCLOSURES"]],
  ["earlier.0.presentation.buttonText", ["DISCLOSURES"]],
  ["earlier.0.checks.4.observed", ["POLICY"]],
  ["earlier.0.shown.wordsHash", ["LEAF"]],
  ["earlier.0.shown.renderToken", ["RENDER_TOKEN", "DISCLOSURES"]],
  ["receipts.0.acceptedAt", ["LEAF"]],
  ["receipts.1.userRef", ["DISCLOSURES"]],
  ["receipts.1.decision", ["LEAF"]],
  ["receipts.1.superseded", ["LEAF"]],
  ["receipts.1.reacceptBy", ["LEAF"]],
  ["receipts.1.templateName", ["LEAF"]],
  ["receipts.1.policy.hash", ["LEAF", "POLICY_HASH"]],
  ["receipts.1.log.leafIndex", ["LEAF"]],
  ["receipts.1.log.integrateBy", ["LEAF"]],
  ["receipts.1.signature.jws", ["LEAF"]],
  ["session.templateId", ["LEAF"]],
  ["session.completedAt", ["LEAF"]],
  ["session.outcome", ["LEAF"]],
  ["session.receiptIds.0", ["LEAF"]],
  ["session.userRef", ["DISCLOSURES"]],
  ["organizationId", ["LEAF"]],
];

describe("what somebody changed who can sign the bundle again", () => {
  test.each(targets)("%s is found out by %s", async (path, expected) => {
    await fc.assert(
      fc.asyncProperty(bits, async (bit) => {
        const result = await verify(
          forged(installation, bundle, path, (value) => flip(value, bit)),
          { keys },
        );
        expect(failed(result)).toEqual(expect.arrayContaining([...expected]));
      }),
      { numRuns: 8 },
    );
  });

  test.each([
    ["presentation.changes.from", ["CHANGES"]],
    ["presentation.changes.shown", ["CHANGES"]],
    ["presentation.rendering.words.changes.from.label", ["WORDS_HASH"]],
    ["presentation.rendering.words.changes.changeSummary", ["WORDS_HASH"]],
    ["presentation.rendering.words.changes.shownHash", ["WORDS_HASH", "CHANGES"]],
  ])("of the changes that were shown, %s is found out by %s", async (path, expected) => {
    await fc.assert(
      fc.asyncProperty(bits, async (bit) => {
        const result = await verify(
          forged(installation, told, path, (value) => flip(value, bit)),
          { keys },
        );
        expect(failed(result)).toEqual(expect.arrayContaining([...expected]));
      }),
      { numRuns: 8 },
    );
  });

  test.each([
    ["presentation.deploymentScreenshot.content", ["SCREENSHOT_HASH"]],
    ["presentation.deploymentScreenshot.hash", ["SCREENSHOT_HASH"]],
    ["presentation.deployment.screenshotHash", ["SCREENSHOT_HASH", "DEPLOYMENT_HASH"]],
    ["presentation.deployment.screenshotId", ["DEPLOYMENT_HASH"]],
  ])("of the picture of the deployment, %s is found out by %s", async (path, expected) => {
    await fc.assert(
      fc.asyncProperty(bits, async (bit) => {
        const result = await verify(
          forged(installation, pictured, path, (value) => flip(value, bit)),
          { keys },
        );
        expect(failed(result)).toEqual(expect.arrayContaining([...expected]));
      }),
      { numRuns: 8 },
    );
  });

  test.each([
    ["agreement.pdf.content", ["PDF_HASH"]],
    ["agreement.pdf.hash", ["PDF_HASH"]],
    ["agreement.content", ["CONTENT_HASH"]],
    ["agreement.rendered", ["RENDER_HASH", "PDF_HASH"]],
    ["presentation.rendering.words.pdf.hash", ["WORDS_HASH", "PDF_HASH"]],
  ])("of a text that is a PDF, %s is found out by %s", async (path, expected) => {
    await fc.assert(
      fc.asyncProperty(bits, async (bit) => {
        const result = await verify(
          forged(installation, filed, path, (value) => flip(value, bit)),
          { keys },
        );
        expect(failed(result)).toEqual(expect.arrayContaining([...expected]));
      }),
      { numRuns: 8 },
    );
  });

  test("a document that is missing, or that no text names, is found out by PDF_HASH", async () => {
    const { pdf, ...agreement } = filed.agreement as Bundle;
    const without = forged(installation, filed, "agreement", () => agreement);
    expect(failed(await verify(without, { keys }))).toEqual(["PDF_HASH"]);
    const invented = forged(installation, bundle, "agreement", (value) => ({ ...(value as Bundle), pdf }));
    expect(failed(await verify(invented, { keys }))).toEqual(["PDF_HASH"]);
  });

  test("a picture that no deployment names is found out by SCREENSHOT_HASH", async () => {
    const { deploymentScreenshot } = pictured.presentation;
    const invented = forged(installation, bundle, "presentation", (shown) => ({
      ...Object(shown),
      deploymentScreenshot,
    }));
    expect(failed(await verify(invented, { keys }))).toEqual(["SCREENSHOT_HASH"]);
  });

  test("changes that are not those between the texts are found out by CHANGES, even where the words name them", async () => {
    const lie = async (change: (shown: string) => string) => {
      const other = forged(installation, told, "presentation.changes.shown", (shown) => change(String(shown)));
      other.presentation.rendering.words.changes.shownHash = sha256Label(other.presentation.changes.shown);
      const { checks } = await verify(sign(installation, other), { keys });
      return checks.find(({ check }) => check === "CHANGES");
    };
    expect(await lie((shown) => shown.replace("Do not shout", "Do shout"))).toMatchObject({
      status: "FAIL",
      message: "The changes that were shown do not lead from the earlier text to the later one.",
    });
    for (const part of [" deleted: ", "What has changed", "before.", "Kinder."]) {
      expect(await lie((shown) => shown.replace(part, `${part}</p><p>Nothing has changed.`))).toMatchObject({
        status: "FAIL",
        message: "The changes that were shown are not written as the service does.",
      });
    }
  });

  test("changes that nobody was told of are found out by CHANGES", async () => {
    const invented = forged(installation, bundle, "presentation.changes", () => ({ from: "", to: null, shown: "" }));
    expect(failed(await verify(invented, { keys }))).toEqual(["CHANGES"]);
  });

  test("the signature of the bundle is found out by BUNDLE_SIGNATURE", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("jws", "kid", "alg"), bits, async (member, bit) => {
        const { bundleSignature } = bundle;
        const other = { ...bundleSignature, [member]: flip(bundleSignature[member], bit) };
        const result = await verify({ ...bundle, bundleSignature: other }, { keys });
        expect(failed(result)).toContain("BUNDLE_SIGNATURE");
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ["a record that is left out", (copy: typeof bundle) => copy.integrity.records.shift()],
    [
      "a record that stands there twice",
      (copy: typeof bundle) => copy.integrity.records.push(copy.integrity.records[0]),
    ],
    ["records in another order", (copy: typeof bundle) => copy.integrity.records.reverse()],
    ["a receipt that is left out", (copy: typeof bundle) => copy.receipts.shift()],
    ["a session that claims to go on", (copy: typeof bundle) => Object.assign(copy.session, { status: "ACCEPTED" })],
    [
      "the leaf of another record shown first",
      (copy: typeof bundle) => Object.assign(copy.integrity, copy.integrity.records[0]),
    ],
  ])("%s is found out by LEAF", async (_name, change) => {
    const copy = structuredClone(bundle);
    change(copy);
    expect(failed(await verify(sign(installation, copy), { keys }))).toContain("LEAF");
  });

  test("a value that is disclosed twice, or that the leaf does not commit to, is found out by DISCLOSURES", async () => {
    const other = Buffer.from('["AAAAAAAAAAAAAAAAAAAAAA","ip","192.0.2.1"]').toString("base64url");
    for (const change of [(all: string[]) => [...all, all[0]], (all: string[]) => [...all, other]]) {
      const result = await verify(forged(installation, bundle, "integrity.records.1.disclosures", change), { keys });
      expect(failed(result)).toEqual(["DISCLOSURES"]);
    }
  });

  test("a value whose disclosure is taken away is found out by DISCLOSURES", async () => {
    for (const n of [0, 2, 7, 11, 12]) {
      const withoutOne = (all: string[]) => all.filter((_, index) => index !== n);
      const result = await verify(forged(installation, bundle, "integrity.records.1.disclosures", withoutOne), {
        keys,
      });
      expect(failed(result)).toContain("DISCLOSURES");
    }
  });
});
