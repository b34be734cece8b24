import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, complete, accept, acceptTemplate } = clientActions(() => click);

interface Told {
  readonly type: string;
  readonly at?: ReturnType<typeof timestampFromDate>;
  readonly target?: string;
}

const tell = (template: FakeTemplate, sessionId: string, events: readonly Told[], orgId = orgOf(template)) =>
  click.client.appendSessionEvents({ sessionId, events: [...events] }, as(orgId));

const bundleOf = async (template: FakeTemplate, sessionId: string) => {
  const { bundleJson } = await click.client.getEvidenceBundle({ sessionId }, as(orgOf(template)));
  return JSON.parse(bundleJson) as { timeline: { type: string }[]; policy: { checks: object[] } };
};

describe("appendSessionEvents", () => {
  test("adds our time to each event and shows them in the evidence, in the order in which they came", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const at = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));
    const before = click.clock.now();
    const { session, events } = await tell(template, id.toUpperCase(), [
      { type: "DISPLAYED", at },
      { type: "LINK_OPENED", target: "#privacy" },
    ]);
    expect(session).toMatchObject({ id, status: SessionStatus.PENDING });
    expect(events).toMatchObject([
      { type: "DISPLAYED", at },
      { type: "LINK_OPENED", target: "#privacy" },
    ]);
    const [serverAt] = events.map((event) => event.serverAt && timestampDate(event.serverAt));
    expect(serverAt?.getTime()).toBeGreaterThanOrEqual(before.getTime());
    click.clock.advance(1);
    await tell(template, id, [{ type: "SCROLLED_TO_END" }]);
    click.clock.advance(1);
    const { receipt } = await accept(template, { sessionId: id });
    const { timeline } = await bundleOf(template, id);
    expect(timeline).toMatchObject([
      { type: "SESSION_CREATED" },
      {
        type: "DISPLAYED",
        at: "2026-11-20T17:00:00.123Z",
        serverAt: serverAt?.toISOString(),
        actor: "USER",
        detail: null,
      },
      { type: "LINK_OPENED", at: null, detail: "#privacy" },
      { type: "SCROLLED_TO_END" },
      { type: "ACCEPTED", detail: receipt.receiptId },
    ]);
  });

  test("what the page told satisfies the policy, and the evidence says that it was told", async () => {
    const template = addTemplate({ policyFlags: { requireScroll: true, requireView: true, requireCheckbox: true } });
    const { id } = await create(template);
    await expectDomainError(accept(template, { sessionId: id }), "CLICK_POLICY_NOT_SATISFIED");
    await tell(template, id, [
      { type: "SCROLLED_TO_END" },
      { type: "LINK_OPENED" },
      { type: "CHECKED" },
      { type: "UNCHECKED" },
    ]);
    const unticked = await expectDomainError(
      accept(template, { sessionId: id, action: "CHECKBOX" }),
      "CLICK_POLICY_NOT_SATISFIED",
    );
    expect(unticked.details.map(({ field }) => field)).toEqual(["requireCheckbox"]);
    await tell(template, id, [{ type: "CHECKED" }]);
    await accept(template, { sessionId: id });
    expect((await bundleOf(template, id)).policy.checks).toMatchObject([
      { flag: "requireCheckbox", observed: true, source: "CLIENT", ok: true },
      { flag: "checkboxInitiallyChecked" },
      { flag: "requireScroll", observed: true, source: "CLIENT", ok: true },
      { flag: "requireView", observed: 1, source: "CLIENT", ok: true },
    ]);
  });

  test("takes a hundred at a time and a thousand in all", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const many = (n: number) => Array.from({ length: n }, () => ({ type: "CHECKED" }));
    await expectDomainError(tell(template, id, []), "VALIDATION_FAILED");
    await expectDomainError(tell(template, id, many(101)), "VALIDATION_FAILED");
    await expectDomainError(tell(template, id, [{ type: "WINKED" }]), "VALIDATION_FAILED");
    await expectDomainError(tell(template, id, [{ type: "CHECKED", target: "a\u0000" }]), "VALIDATION_FAILED");
    // Sent at the same time, and still counted one by one.
    await Promise.all(Array.from({ length: 9 }, () => tell(template, id, many(100))));
    await tell(template, id, many(99));
    const error = await expectDomainError(tell(template, id, many(2)), "CLICK_VALIDATION_FAILED");
    expect(error.details).toMatchObject([{ field: "events", code: "TOO_MANY" }]);
    await tell(template, id, many(1));
    await expectDomainError(tell(template, id, many(1)), "CLICK_VALIDATION_FAILED");
    expect((await bundleOf(template, id)).timeline).toHaveLength(1001);
  });

  test("only while the session is open", async () => {
    const template = addTemplate();
    const seen = [{ type: "DISPLAYED" }];
    const [done, taken, late] = [await create(template), await create(template), await create(template)];
    await complete(template, done.id);
    await accept(template, { sessionId: taken.id });
    for (const { id } of [done, taken]) await expectDomainError(tell(template, id, seen), "CLICK_SESSION_CLOSED");
    const { receipt } = await acceptTemplate(template);
    await expectDomainError(tell(template, receipt.sessionId, seen), "CLICK_SESSION_CLOSED");
    const reusable = addTemplate({ policyFlags: { singleUseSession: false } });
    const { id } = await create(reusable);
    await accept(reusable, { sessionId: id });
    await tell(reusable, id, seen);
    click.clock.advance(3601);
    await expectDomainError(tell(template, late.id, seen), "CLICK_SESSION_EXPIRED");
  });

  test("an unknown id, a malformed one and another organization's", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    for (const unknown of [newId(), "nonsense", ""]) {
      await expectDomainError(tell(template, unknown, [{ type: "DISPLAYED" }]), "CLICK_SESSION_NOT_FOUND");
    }
    await expectDomainError(tell(template, id, [{ type: "DISPLAYED" }], newOrg()), "CLICK_SESSION_NOT_FOUND");
  });
});
