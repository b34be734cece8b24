import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { type ClickHarness, startClick } from "../../test/harness.ts";
import { allBut, allChecks, receiptChecks } from "../../test/receipt-checks.ts";
import { evidenceActions } from "./evidence-actions.ts";
import { everything } from "./evidence-journeys.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, acceptTemplate, complete } = clientActions(() => click);
const { addConsent, update, acceptConsent } = consentActions(() => click);
const { bundleOf, integrate, rotateReceiptKey } = evidenceActions(() => click);
const { verify, outcome, reason, record } = receiptChecks(() => click);

const signatureOnly = allChecks.filter((check) => check !== "LEAF" && check !== "DISCLOSURES");

describe("a genuine receipt", () => {
  test("passes every check, before and after a checkpoint covers it", async () => {
    const { orgId, receipt } = await record();
    expect(await outcome(orgId, { receipt })).toEqual(allChecks);
    await integrate(orgId);
    const { checks } = await verify(orgId, { receipt });
    expect(checks.map(({ check, ok }) => [check, ok])).toEqual(allChecks.map((check) => [check, true]));
    expect(checks.at(-1)?.message).toBe("The published checkpoint of the log at 1 records covers it.");
    expect(await outcome(orgId, { jws: receipt.signature.jws })).toEqual(signatureOnly);
  });

  test("of a decline, of a merged text, of a consent, and of a change of consent", async () => {
    const declinable = addTemplate({ policyFlags: { allowDecline: true } });
    const generated = addTemplate({ type: TemplateType.GENERATED, versions: [] });
    click.templates.addVersion(generated, { content: "<p>{{fullName}}</p>" });
    const consent = addConsent(["news"]);
    const change = await update(orgOf(consent), { news: "WITHDRAW" }, { reason: "too many", actorType: "ADMIN" });
    for (const [template, receipt] of [
      [declinable, (await acceptTemplate(declinable, { decision: "DECLINE" })).receipt],
      [generated, (await acceptTemplate(generated, { ...everything, data: { fullName: "Ada" } })).receipt],
      [consent, (await acceptConsent(consent, { news: true })).receipt],
      [consent, change.receipts[0] ?? {}],
    ] as const) {
      expect(await outcome(orgOf(template), { receipt })).toEqual(allChecks);
    }
  });

  test("that was signed with a key that is not the newest any more", async () => {
    const { orgId, receipt } = await record();
    await integrate(orgId);
    await rotateReceiptKey();
    click.clock.advance(40);
    expect(await outcome(orgId, { receipt })).toEqual(allChecks);
  });

  test("alone is asked for, and nothing else", async () => {
    const { orgId, receipt } = await record();
    for (const given of [{}, { receipt, jws: receipt.signature.jws }, { receipt: [] }]) {
      await expectDomainError(verify(orgId, given), "CLICK_VALIDATION_FAILED");
    }
  });
});

describe("the JWS of a record that has no receipt", () => {
  test("is checked as well", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const { id } = await create(template);
    await complete(template, id, { outcome: SessionOutcome.DECLINED, reason: "too long" });
    const { integrity } = await bundleOf(orgId, id);
    const { receiptJws: jws, disclosures } = integrity.records[0];
    expect(await outcome(orgId, { jws })).toEqual(signatureOnly);
    expect(await outcome(orgId, { jws, disclosures })).toEqual(allChecks.filter((check) => check !== "LEAF"));
    expect(await outcome(orgId, { receipt: { signature: { jws } } })).toContain("LEAF!");
  });
});

describe("what is not as it was signed", () => {
  test("fails by the member that says something else", async () => {
    const { orgId, receipt } = await record();
    const changes: Record<string, unknown> = {
      receiptId: orgId,
      decision: "DECLINE",
      templateName: "Other terms",
      templateSlug: "other",
      revision: 2,
      contentHash: `sha256:${"0".repeat(64)}`,
      renderHash: `sha256:${"0".repeat(64)}`,
      acceptedAt: "2026-11-20T17:00:00.000Z",
      policy: { hash: receipt.policy.hash, satisfied: false },
      log: { ...receipt.log, integrateBy: "2036-11-20T17:00:00.000Z" },
      note: "added",
    };
    for (const [member, value] of Object.entries(changes)) {
      const given = { receipt: { ...receipt, [member]: value } };
      expect([member, await outcome(orgId, given)]).toEqual([member, allBut("LEAF")]);
      expect(await reason(orgId, given)).toContain(member);
    }
    const { locale: _, ...incomplete } = receipt;
    expect(await reason(orgId, { receipt: incomplete })).toBe(
      "The receipt says something else than what was signed: locale.",
    );
  });

  test("fails by what it shows of a person", async () => {
    const { orgId, receipt } = await record();
    for (const change of [
      { userRef: "somebody else" },
      { userRef: null },
      { idempotencyKey: "key-0" },
      { purposes: [{ purpose: "news", granted: true }] },
      { verification: [] },
      { verification: [{ method: "PASSKEY", verifiedAt: null }] },
    ]) {
      const given = { receipt: { ...receipt, ...change } };
      expect([change, await outcome(orgId, given)]).toEqual([change, allBut("DISCLOSURES")]);
    }
  });

  test("fails by its place in the log", async () => {
    const { orgId, receipt } = await record();
    const given = { receipt: { ...receipt, log: { ...receipt.log, leafIndex: 1 } } };
    expect(await outcome(orgId, given)).toEqual(allBut("RECORDED"));
  });

  test("is looked at no further when the signature is not ours", async () => {
    const { orgId, receipt } = await record();
    const [header = "", payload = "", signature = ""] = receipt.signature.jws.split(".");
    const changed = Buffer.from(Buffer.from(payload, "base64url").toString().replace('"rev":1', '"rev":2')).toString(
      "base64url",
    );
    const unknown = Buffer.from(
      Buffer.from(header, "base64url").toString().replace(receipt.signature.kid, "A".repeat(43)),
    ).toString("base64url");
    for (const jws of [`${header}.${changed}.${signature}`, `${unknown}.${payload}.${signature}`]) {
      expect(await outcome(orgId, { jws })).toEqual(["FORM", "SIGNATURE!"]);
      expect(await outcome(orgId, { receipt: { ...receipt, signature: { jws } } })).toEqual(["FORM", "SIGNATURE!"]);
    }
    const noJson = Buffer.from("[]").toString("base64url");
    for (const jws of ["a.b.c", `${header}.${payload}`, `${header}.${noJson}.${signature}`, "[".repeat(5_000)]) {
      expect(await outcome(orgId, { jws })).toEqual(["FORM!"]);
    }
    for (const broken of [{}, { signature: null }, { signature: { jws: 1 } }]) {
      expect(await outcome(orgId, { receipt: broken })).toEqual(["FORM!"]);
    }
  });
});

describe("disclosures", () => {
  test("are what the record commits to, or fail", async () => {
    const { orgId, receipt, sessionId } = await record();
    const { disclosures } = (await bundleOf(orgId, sessionId)).integrity;
    expect(await outcome(orgId, { receipt, disclosures })).toEqual(allChecks);
    const { jws } = receipt.signature;
    expect(await outcome(orgId, { jws, disclosures })).toEqual(allChecks.filter((check) => check !== "LEAF"));
    const forged = Buffer.from(JSON.stringify(["A".repeat(22), "userRef", "user-2"])).toString("base64url");
    for (const wrong of [[forged], [...disclosures, disclosures[0]], ["x"], [""]]) {
      expect(await outcome(orgId, { jws, disclosures: wrong })).toContain("DISCLOSURES!");
      expect(await outcome(orgId, { receipt, disclosures: wrong })).toEqual(allBut("DISCLOSURES"));
    }
  });
});
