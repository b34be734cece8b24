import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { acceptOne, type ClickHarness, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, get, complete, accept } = clientActions(() => click);

describe("accepting a session", () => {
  test("records what the session shows and closes it for others", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const { receipt } = await accept(template, { sessionId: id });
    expect(receipt).toMatchObject({
      sessionId: id,
      userRef: "user-1",
      action: "BUTTON",
      evidenceUrl: `/v1/click/evidence/${id}`,
    });
    const session = await get(template, id);
    expect(session).toMatchObject({
      status: SessionStatus.ACCEPTED,
      outcome: SessionOutcome.UNSPECIFIED,
      receiptIds: [receipt.receiptId],
    });
    expect(session.acceptedAt && timestampDate(session.acceptedAt).toISOString()).toBe(receipt.acceptedAt);
    await expectDomainError(accept(template, { sessionId: id }), "CLICK_SESSION_CLOSED");
  });

  test("takes the pinned text although another one was published since", async () => {
    const template = addTemplate();
    const { id, contentHash } = await create(template);
    click.templates.revise(template, "<p>New terms.</p>");
    const { receipt } = await accept(template, { sessionId: id, contentHash });
    expect(receipt).toMatchObject({ revision: 1, contentHash, superseded: true });
  });

  test("does not take a superseded text when the policy always wants the current one", async () => {
    const template = addTemplate({ policyFlags: { requireReacceptance: "ALWAYS" } });
    const { id } = await create(template);
    click.templates.revise(template, "<p>New terms.</p>");
    await expectDomainError(accept(template, { sessionId: id }), "CLICK_VERSION_SUPERSEDED");
  });

  test("goes by the flags that held when the session was created", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    template.policyFlags = { requireScroll: true };
    await accept(template, { sessionId: id });
    const another = await click.startAnother();
    const strict = await create(template);
    template.policyFlags = {};
    const item = { orgId: orgOf(template), key: "strict", body: { sessionId: strict.id } };
    await expectDomainError(acceptOne(another.client, item), "CLICK_POLICY_NOT_SATISFIED");
  });

  test("refuses what does not agree with the session", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    const refuse = (body: object, code: Parameters<typeof expectDomainError>[1]) =>
      expectDomainError(accept(template, { sessionId: id, ...body }), code);
    await refuse({ userRef: "user-2" }, "CLICK_USER_REF_MISMATCH");
    await refuse({ templateId: newId() }, "CLICK_VALIDATION_FAILED");
    await refuse({ templateSlug: "another" }, "CLICK_VALIDATION_FAILED");
    await refuse({ versionId: newId() }, "CLICK_VALIDATION_FAILED");
    await refuse({ contentHash: sha256Label("something else") }, "CLICK_VERSION_SUPERSEDED");
    await refuse({ sessionId: newId() }, "CLICK_SESSION_NOT_FOUND");
    template.archived = true;
    await refuse({}, "CLICK_TEMPLATE_ARCHIVED");
    click.templates.remove(template);
    await refuse({}, "CLICK_TEMPLATE_NOT_FOUND");
  });

  test("takes the user from the acceptance when the session has none, and keeps it", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const { id } = await create(template, {});
    const error = await expectDomainError(accept(template, { sessionId: id }), "CLICK_VALIDATION_FAILED");
    expect(error.details).toMatchObject([{ field: "userRef", code: "REQUIRED" }]);
    await accept(template, { sessionId: id, userRef: "user-9" });
    expect((await get(template, id)).userRef).toBe("user-9");
    await expectDomainError(accept(template, { sessionId: id, userRef: "user-8" }), "CLICK_USER_REF_MISMATCH");
  });

  test("a session that may be used many times takes many acceptances until it is completed", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false, allowDecline: true } });
    const { id } = await create(template);
    const outcomes = await Promise.all([1, 2, 3].map(() => accept(template, { sessionId: id })));
    const session = await get(template, id);
    expect(session.status).toBe(SessionStatus.ACCEPTED);
    expect(session.receiptIds.toSorted()).toEqual(outcomes.map(({ receipt }) => receipt.receiptId).toSorted());
    const decline = complete(template, id, { outcome: SessionOutcome.DECLINED, acceptance: {} });
    await expectDomainError(decline, "CLICK_SESSION_CLOSED");
    await complete(template, id);
    await expectDomainError(accept(template, { sessionId: id }), "CLICK_SESSION_CLOSED");
  });

  test("minDisplaySeconds counts from the session's creation", async () => {
    const template = addTemplate({ policyFlags: { minDisplaySeconds: 30 } });
    const { id } = await create(template);
    await expectDomainError(accept(template, { sessionId: id }), "CLICK_POLICY_NOT_SATISFIED");
    click.clock.advance(31);
    await accept(template, { sessionId: id });
  });

  test("a decline ends the session", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    const { id } = await create(template);
    const { receipt } = await accept(template, { sessionId: id, decision: "DECLINE" });
    expect(receipt.decision).toBe("DECLINE");
    expect(await get(template, id)).toMatchObject({ status: SessionStatus.DECLINED, outcome: SessionOutcome.DECLINED });
    await expectDomainError(accept(template, { sessionId: id }), "CLICK_SESSION_CLOSED");
    await expectDomainError(complete(template, id), "CLICK_SESSION_CLOSED");
    const { session, receipts } = await complete(template, id, { outcome: SessionOutcome.DECLINED });
    expect(session.status).toBe(SessionStatus.DECLINED);
    expect(receipts).toHaveLength(1);
  });
});
