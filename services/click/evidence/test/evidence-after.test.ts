import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consentActions, decide } from "../../consent/test/consent-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, startClick } from "../../test/harness.ts";
import { publishEvent } from "../../test/publishing.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, accept, acceptTemplate } = clientActions(() => click);
const { addConsent, update, acceptConsent } = consentActions(() => click);

interface Bundle {
  readonly consents: readonly Record<string, unknown>[];
  readonly after: {
    readonly withdrawals: readonly Record<string, unknown>[];
    readonly laterAcceptances: readonly Record<string, unknown>[];
    readonly currentRevision: number | null;
  };
}

const bundleOf = async (template: FakeTemplate, sessionId: string): Promise<Bundle> => {
  const { bundleJson } = await click.client.getEvidenceBundle({ sessionId }, as(orgOf(template)));
  return JSON.parse(bundleJson) as Bundle;
};

describe("what the evidence tells of the time since", () => {
  test("the consents of the acceptance, and what was withdrawn or refused of them", async () => {
    const template = addConsent(["news", { key: "ads", expiresAfterDays: 10 }, "calls"]);
    const orgId = orgOf(template);
    await update(orgId, { news: "WITHDRAW" }, { reason: "before" });
    const { id } = await create(template);
    const { receipt } = await accept(template, { sessionId: id, ...decide({ news: true, ads: true, calls: false }) });
    expect(await bundleOf(template, id)).toMatchObject({
      after: { withdrawals: [], laterAcceptances: [], currentRevision: 1 },
    });
    await update(
      orgId,
      { news: "WITHDRAW", calls: "WITHDRAW" },
      { reason: "too many", source: "SUPPORT", actorType: "ADMIN" },
    );
    await update(orgId, { news: "GRANT" });
    await update(orgId, { ads: "DENY" });
    const { consents, after } = await bundleOf(template, id);
    const { receiptId, acceptedAt: at } = receipt;
    expect(consents).toMatchObject([
      {
        purpose: "news",
        status: "GRANTED",
        at,
        legalBasis: "CONSENT",
        jurisdiction: "EU",
        method: "BUTTON",
        receiptId,
        expiresAt: null,
      },
      { purpose: "ads", status: "GRANTED", expiresAt: expect.any(String) },
      { purpose: "calls", status: "DENIED" },
    ]);
    expect(after.withdrawals).toMatchObject([
      { type: "WITHDRAWN", purpose: "news", reason: "too many", source: "SUPPORT", actor: "ADMIN" },
      { type: "DENIED", purpose: "ads" },
    ]);
  });

  test("later acceptances and declines of the same user and template, of no others", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    const orgId = orgOf(template);
    const first = (await acceptTemplate(template)).receipt;
    click.clock.advance(1);
    click.templates.revise(template, "<p>Second.</p>");
    const second = (await acceptTemplate(template)).receipt;
    click.clock.advance(1);
    const third = (await acceptTemplate(template, { decision: "DECLINE" })).receipt;
    await acceptTemplate(template, { userRef: "user-2" });
    await acceptTemplate(click.templates.add(orgId));
    const { after, consents } = await bundleOf(template, first.sessionId);
    expect(consents).toEqual([]);
    expect(after).toMatchObject({
      currentRevision: 2,
      laterAcceptances: [
        {
          receiptId: second.receiptId,
          sessionId: second.sessionId,
          decision: "ACCEPT",
          revision: 2,
          versionLabel: "2.0",
        },
        { receiptId: third.receiptId, decision: "DECLINE", acceptedAt: third.acceptedAt },
      ],
    });
    expect((await bundleOf(template, third.sessionId)).after.laterAcceptances).toEqual([]);
  });

  test("a session that nobody accepted tells of what its user accepted afterwards", async () => {
    const template = addTemplate();
    await acceptTemplate(template);
    const [named, unnamed] = [await create(template), await create(template, {})];
    click.clock.advance(1);
    const { receipt } = await acceptTemplate(template);
    expect((await bundleOf(template, named.id)).after.laterAcceptances).toMatchObject([
      { receiptId: receipt.receiptId },
    ]);
    expect((await bundleOf(template, unnamed.id)).after.laterAcceptances).toEqual([]);
  });

  test("no current revision when the version is published no more", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template);
    template.versions[0] = { ...(template.versions[0] as FakeTemplate["versions"][0]), published: false };
    expect((await bundleOf(template, receipt.sessionId)).after.currentRevision).toBeNull();
    click.templates.remove(template);
    expect((await bundleOf(template, receipt.sessionId)).after.currentRevision).toBeNull();
  });

  test("is told as well while the templates service is away", async () => {
    const template = addConsent(["news"]);
    const { receipt } = await acceptConsent(template, { news: true });
    click.templates.revise(template, "<p>Second.</p>");
    await publishEvent(click, template);
    click.templates.fail(Code.Unavailable);
    try {
      expect((await bundleOf(template, receipt.sessionId)).after.currentRevision).toBe(2);
    } finally {
      click.templates.fail(undefined);
    }
  });
});
