import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const addTemplate = (changes: Partial<FakeTemplate> = {}) => click.templates.add(newOrg(), changes);

const createSession = async (template: FakeTemplate) => {
  const request = {
    template: { case: "templateId", value: template.templateId } as const,
    userRef: "user-1",
    context: { ip: "198.51.100.7", pageUrl: "https://shop.example/" },
  };
  return (await click.client.createSession(request, as(orgOf(template)))).session?.id ?? "";
};

let keys = 0;
const accept = (template: FakeTemplate, body: object) =>
  acceptOne(click.client, { orgId: orgOf(template), key: `key-${++keys}`, body });

interface Bundle {
  readonly [name: string]: unknown;
  readonly receipts: readonly { readonly receiptId: string }[];
  readonly timeline: readonly { readonly type: string; readonly actor: string; readonly detail: string | null }[];
}

const bundleOf = async (template: FakeTemplate, sessionId: string): Promise<Bundle> => {
  const { bundleJson } = await click.client.getEvidenceBundle({ sessionId }, as(orgOf(template)));
  return JSON.parse(bundleJson) as Bundle;
};

describe("getReceipt", () => {
  test("answers the very bytes of the first answer", async () => {
    const template = addTemplate();
    const { receipt, receiptJson } = await accept(template, { templateId: template.templateId, userRef: "u" });
    const read = (receiptId: string, orgId = orgOf(template)) => click.client.getReceipt({ receiptId }, as(orgId));
    expect((await read(receipt.receiptId)).receiptJson).toBe(receiptJson);
    for (const receiptId of [newId(), "nonsense", ""])
      await expectDomainError(read(receiptId), "CLICK_RECEIPT_NOT_FOUND");
    await expectDomainError(read(receipt.receiptId, newOrg()), "CLICK_RECEIPT_NOT_FOUND");
  });
});

describe("getEvidenceBundle", () => {
  test("tells everything about an accepted session", async () => {
    const template = addTemplate({ policyFlags: { requireScroll: true } });
    const sessionId = await createSession(template);
    const { receipt } = await accept(template, {
      sessionId,
      typedName: "Ann",
      metadata: { order: "7" },
      action: "CHECKBOX_AND_BUTTON",
      presentation: {
        surface: "WEB",
        buttonText: "I agree",
        scrolledToEnd: true,
        unknown: "dropped",
        events: [{ type: "CHECKED", at: "2026-11-20T17:00:00Z", target: "#box" }],
      },
      context: { ip: "198.51.100.9", userAgent: "Firefox/1" },
      verification: [{ method: "CUSTOMER_SESSION", verifiedAt: "2026-11-20T16:00:00Z", reference: "sid" }],
    });
    await click.client.completeSession({ sessionId, reason: "checkout done" }, as(orgOf(template)));
    const bundle = await bundleOf(template, sessionId);
    expect(bundle).toMatchObject({
      bundleVersion: 1,
      organizationId: template.organizationId,
      sessionId,
      receipts: [receipt],
      delivery: [],
      consents: [],
      after: { withdrawals: [], laterAcceptances: [], currentRevision: 1 },
      session: {
        id: sessionId,
        status: "COMPLETED",
        outcome: "ACCEPTED",
        origin: "API",
        receiptIds: [receipt.receiptId],
      },
      subject: {
        userRef: "user-1",
        typedName: "Ann",
        erased: false,
        verification: [{ method: "CUSTOMER_SESSION", verifiedAt: "2026-11-20T16:00:00Z", reference: "sid" }],
      },
      agreement: {
        template: {
          id: template.templateId,
          slug: template.slug,
          name: "Terms",
          type: "STATIC",
          counterparty: { legalName: "Example Ltd" },
        },
        version: {
          id: template.versions[0]?.versionId,
          locale: "en",
          revision: 1,
          label: "1.0",
          texts: { buttonText: "I agree" },
        },
        content: "<p>The terms.</p>",
        contentType: "text/html; charset=utf-8",
        rendered: null,
        renderHash: null,
      },
      presentation: { surface: "WEB", buttonText: "I agree", scrolledToEnd: true, events: [{ type: "CHECKED" }] },
      policy: {
        flags: { requireScroll: true, singleUseSession: true },
        hash: receipt.policy.hash,
        checks: [{ flag: "requireScroll", required: true, observed: true, source: "CLIENT", ok: true }],
      },
      context: {
        claimed: { ip: "198.51.100.9", userAgent: "Firefox/1" },
        observed: { ip: "203.0.113.77", userAgent: "backend/1.2.3", clientId: "cl_test", requestId: "req-1" },
        metadata: { order: "7" },
        session: { ip: "198.51.100.7", pageUrl: "https://shop.example/" },
      },
      integrity: {
        contentHash: receipt.contentHash,
        leafHash: receipt.log.leafHash,
        receiptJws: receipt.signature.jws,
        records: [
          { recordId: receipt.receiptId, kind: "click.acceptance", leafHash: receipt.log.leafHash },
          { recordId: sessionId, kind: "click.session.completed" },
        ],
      },
      disclosed: true,
      statement: { assertedBy: "BACKEND" },
    });
    expect(JSON.stringify(bundle.presentation)).not.toContain("dropped");
    expect(sha256Label((bundle.agreement as { content: string }).content)).toBe(receipt.contentHash);
    expect(bundle.timeline.map((entry) => [entry.type, entry.actor, entry.detail])).toEqual([
      ["SESSION_CREATED", "BACKEND", null],
      ["CHECKED", "USER", "#box"],
      ["ACCEPTED", "USER", receipt.receiptId],
      ["SESSION_COMPLETED", "BACKEND", "checkout done"],
    ]);
  });

  test("tells of an acceptance without a session", async () => {
    const template = addTemplate();
    const { receipt } = await accept(template, {
      templateId: template.templateId,
      userRef: "u",
      context: { gpc: true },
    });
    const bundle = await bundleOf(template, receipt.sessionId);
    expect(bundle).toMatchObject({
      receipts: [receipt],
      session: { origin: "DIRECT", status: "COMPLETED" },
      context: { claimed: { gpc: true } },
      timeline: [{ type: "ACCEPTED" }],
    });
  });

  test("says so when nothing was accepted, and shows the text all the same", async () => {
    const template = addTemplate();
    const sessionId = await createSession(template);
    expect(await bundleOf(template, sessionId)).toMatchObject({
      receipts: [],
      session: { status: "PENDING", outcome: null },
      agreement: { content: "<p>The terms.</p>" },
      context: { claimed: { ip: "198.51.100.7", pageUrl: "https://shop.example/" }, observed: null },
      statement: { process: "No acceptance was recorded for this session.", assertedBy: null, proves: [] },
      integrity: { leafData: null, receiptJws: null, disclosures: [], log: null, anchor: null, records: [] },
    });
    await click.client.completeSession(
      { sessionId, outcome: SessionOutcome.DECLINED, reason: "too long" },
      as(orgOf(template)),
    );
    const bundle = await bundleOf(template, sessionId);
    expect(bundle).toMatchObject({
      receipts: [],
      session: { outcome: "DECLINED" },
      integrity: { records: [{ recordId: sessionId, kind: "click.session.completed" }] },
    });
    expect(bundle.timeline.at(-1)).toMatchObject({ type: "SESSION_COMPLETED", detail: "too long" });
  });

  test("shows an expired session as expired", async () => {
    const template = addTemplate();
    const sessionId = await createSession(template);
    click.clock.advance(3601);
    const bundle = await bundleOf(template, sessionId);
    expect(bundle).toMatchObject({ session: { status: "EXPIRED", outcome: "NONE" } });
    expect(bundle.timeline.at(-1)?.type).toBe("SESSION_EXPIRED");
  });

  test("keeps the facts of every acceptance of a session that may be used many times", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const sessionId = await createSession(template);
    await accept(template, { sessionId, typedName: "first" });
    await accept(template, { sessionId, typedName: "second" });
    const bundle = await bundleOf(template, sessionId);
    expect(bundle.receipts).toHaveLength(2);
    expect(bundle).toMatchObject({ subject: { typedName: "second" }, earlier: [{ typedName: "first" }] });
  });

  test("outlives the template", async () => {
    const template = addTemplate();
    const { receipt } = await accept(template, { templateId: template.templateId, userRef: "u" });
    const before = await bundleOf(template, receipt.sessionId);
    click.templates.revise(template, "<p>New terms.</p>");
    Object.assign(template, { name: "Renamed", slug: "renamed", policyFlags: { requireScroll: true } });
    click.templates.remove(template);
    const after = await bundleOf(template, receipt.sessionId);
    for (const part of ["session", "receipts", "agreement", "policy", "integrity", "timeline", "statement"]) {
      expect(after[part]).toEqual(before[part]);
    }
  });

  test("an unknown id, a malformed one and another organization's", async () => {
    const template = addTemplate();
    const sessionId = await createSession(template);
    for (const id of [newId(), "nonsense", ""]) {
      await expectDomainError(bundleOf(template, id), "CLICK_EVIDENCE_NOT_FOUND");
    }
    await expectDomainError(bundleOf(addTemplate(), sessionId), "CLICK_EVIDENCE_NOT_FOUND");
  });
});
