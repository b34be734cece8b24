import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { consentActions, isoOf } from "../../consent/test/consent-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { publishEvent } from "../../test/publishing.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, acceptTemplate } = clientActions(() => click);
const { addConsent, read, update, acceptConsent } = consentActions(() => click);

const agreementOf = async (template: FakeTemplate, at?: Date) => {
  const request = at === undefined ? {} : { at: timestampFromDate(at) };
  const { agreements } = await read(orgOf(template), { templateId: template.templateId, ...request });
  const [agreement] = agreements;
  return (
    agreement && {
      status: agreement.status,
      revision: agreement.revision,
      isLatest: agreement.isLatest,
      reacceptanceRequired: agreement.reacceptanceRequired,
    }
  );
};

describe("the agreements of a user", () => {
  test("tell of the last acceptance of each template, newest first", async () => {
    const first = addTemplate();
    const orgId = orgOf(first);
    const second = click.templates.add(orgId);
    await acceptTemplate(first);
    click.clock.advance(1);
    await acceptTemplate(second);
    click.clock.advance(1);
    const { receipt } = await acceptTemplate(first);
    await acceptTemplate(first, { userRef: "user-2" });
    const { agreements, updatedAt } = await read(orgId);
    expect(agreements.map(({ templateId }) => templateId)).toEqual([first.templateId, second.templateId]);
    expect(agreements[0]).toMatchObject({
      templateSlug: first.slug,
      versionId: first.versions[0]?.versionId,
      revision: 1,
      versionLabel: "1.0",
      receiptId: receipt.receiptId,
      status: "ACCEPTED",
    });
    expect([isoOf(agreements[0]?.acceptedAt), isoOf(updatedAt)]).toEqual([receipt.acceptedAt, receipt.acceptedAt]);
  });

  test("are judged by what is published now, under the flags that hold now", async () => {
    const template = addTemplate();
    await acceptTemplate(template);
    expect(await agreementOf(template)).toMatchObject({ isLatest: true, reacceptanceRequired: false });
    click.templates.revise(template, "<p>Second.</p>");
    expect(await agreementOf(template)).toMatchObject({ isLatest: false, reacceptanceRequired: true });
    template.policyFlags = { requireReacceptance: "NEVER" };
    expect(await agreementOf(template)).toMatchObject({ isLatest: false, reacceptanceRequired: false });
    template.policyFlags = { reacceptIntervalDays: 10 };
    await acceptTemplate(template);
    expect(await agreementOf(template)).toMatchObject({ revision: 2, isLatest: true, reacceptanceRequired: false });
    click.clock.advance(11 * 86_400);
    expect(await agreementOf(template)).toMatchObject({ isLatest: true, reacceptanceRequired: true });
    template.archived = true;
    expect(await agreementOf(template)).toMatchObject({ isLatest: false, reacceptanceRequired: false });
    click.templates.remove(template);
    expect(await agreementOf(template)).toMatchObject({
      status: "ACCEPTED",
      isLatest: false,
      reacceptanceRequired: false,
    });
  });

  test("are withdrawn and run out with the purposes that were granted", async () => {
    const template = addConsent(["news", { key: "ads", expiresAfterDays: 5 }]);
    const orgId = orgOf(template);
    await acceptConsent(template, { news: true, ads: true });
    await update(orgId, { news: "WITHDRAW" });
    expect(await agreementOf(template)).toMatchObject({ status: "ACCEPTED" });
    click.clock.advance(6 * 86_400);
    expect(await agreementOf(template)).toMatchObject({ status: "EXPIRED", reacceptanceRequired: true });
    await update(orgId, {}, { withdrawAll: true });
    await update(orgId, { ads: "WITHDRAW" });
    expect(await agreementOf(template)).toMatchObject({ status: "WITHDRAWN", reacceptanceRequired: false });
  });

  test("are found by their template alone; a template that cannot be finds nothing", async () => {
    const template = addConsent(["news"]);
    const orgId = orgOf(template);
    await acceptConsent(template, { news: true });
    for (const templateId of [newId(), "nonsense", ""]) {
      expect(await read(orgId, { templateId })).toMatchObject({ agreements: [], consents: [], revision: 1n });
    }
    const { consents, agreements } = await read(orgId, { templateId: template.templateId.toUpperCase() });
    expect([consents.length, agreements.length]).toEqual([1, 1]);
  });

  test("as of a time in the past are judged by what was published then", async () => {
    const template = addTemplate();
    await publishEvent(click, template);
    await acceptTemplate(template);
    const accepted = click.clock.now();
    click.clock.advance(3600);
    click.templates.revise(template, "<p>Second.</p>");
    await publishEvent(click, template);
    click.clock.advance(3600);
    const later = click.clock.now();
    click.clock.advance(3600);
    click.templates.revise(template, "<p>Third.</p>");
    await publishEvent(click, template);
    await acceptTemplate(template);
    expect(await agreementOf(template, accepted)).toMatchObject({
      revision: 1,
      isLatest: true,
      reacceptanceRequired: false,
    });
    expect(await agreementOf(template, later)).toMatchObject({
      revision: 1,
      isLatest: false,
      reacceptanceRequired: true,
    });
    expect(await agreementOf(template)).toMatchObject({ revision: 3, isLatest: true, reacceptanceRequired: false });
    expect(await agreementOf(template, new Date(accepted.getTime() - 86_400_000))).toBeUndefined();
  });

  test("while the templates service is away are judged by what its events told", async () => {
    const [heard, unheard] = [addTemplate(), addTemplate()];
    for (const template of [heard, unheard]) {
      await acceptTemplate(template);
      click.templates.revise(template, "<p>Second.</p>");
    }
    await publishEvent(click, heard);
    click.templates.fail(Code.Unavailable);
    try {
      expect(await agreementOf(heard)).toMatchObject({ isLatest: false, reacceptanceRequired: true });
      expect(await agreementOf(unheard)).toMatchObject({ isLatest: true, reacceptanceRequired: false });
    } finally {
      click.templates.fail(undefined);
    }
  });
});

describe("getConsentState", () => {
  test("a user of whom nothing is known has an empty state, like one of another organization", async () => {
    const template = addConsent(["news"]);
    await acceptConsent(template, { news: true });
    for (const [orgId, userRef] of [
      [newOrg(), "user-1"],
      [orgOf(template), "somebody"],
      [orgOf(template), "a\u0000b"],
    ] as const) {
      const state = await read(orgId, { userRef, includeHistory: true });
      expect(state).toMatchObject({ userRef, organizationId: orgId, revision: 0n });
      expect([state.updatedAt, state.consents, state.agreements, state.history]).toEqual([undefined, [], [], []]);
    }
  });

  test("shows one purpose, with its history when that is asked for", async () => {
    const template = addConsent(["news", "ads"]);
    const orgId = orgOf(template);
    await acceptConsent(template, { news: true, ads: true });
    await update(orgId, { news: "WITHDRAW" });
    const state = await read(orgId, { purpose: "news", includeHistory: true });
    expect(state.consents).toMatchObject([{ purpose: "news", status: "WITHDRAWN" }]);
    expect(state.history.map(({ type }) => type)).toEqual(["WITHDRAWN", "GRANTED"]);
    expect(state.revision).toBe(3n);
    expect((await read(orgId)).history).toEqual([]);
    expect((await read(orgId, { purpose: "x\u0000", includeHistory: true })).consents).toEqual([]);
  });

  test("knows no future, but forgives a clock that is a little ahead", async () => {
    const orgId = newOrg();
    const at = (minutes: number) => ({
      at: timestampFromDate(new Date(click.clock.now().getTime() + minutes * 60_000)),
    });
    expect((await read(orgId, at(4))).asOf).toBeDefined();
    const error = await expectDomainError(read(orgId, at(6)), "CLICK_VALIDATION_FAILED");
    expect(error.details).toMatchObject([{ field: "at", code: "FUTURE" }]);
  });
});

describe("where many users stand with a template", () => {
  const standing = async (template: FakeTemplate, userRefs: readonly string[], onlyOutstanding = false) => {
    const { templateId } = template;
    const request = { templateId, userRefs: [...userRefs], onlyOutstanding };
    const { users } = await click.client.listAgreementStates(request, as(orgOf(template)));
    return users.map(({ userRef, outstanding, agreement }) => [
      userRef,
      outstanding,
      agreement && `${agreement.status} ${agreement.revision}`,
    ]);
  };

  test("is told in the order asked, by the last decision of each", async () => {
    const template = addTemplate({ policyFlags: { allowDecline: true } });
    for (const userRef of ["old", "new", "declined"]) await acceptTemplate(template, { userRef });
    click.templates.revise(template, "<p>Second.</p>");
    click.clock.advance(1);
    await acceptTemplate(template, { userRef: "new" });
    await acceptTemplate(template, { userRef: "declined", decision: "DECLINE" });
    await acceptTemplate(click.templates.add(orgOf(template)), { userRef: "nobody" });
    const asked = ["nobody", "new", "old", "declined", "new", "a\u0000"];
    const expected = [
      ["nobody", true, undefined],
      ["new", false, "ACCEPTED 2"],
      ["old", true, "ACCEPTED 1"],
      ["declined", true, "DECLINED 2"],
      ["new", false, "ACCEPTED 2"],
      ["a\u0000", true, undefined],
    ];
    expect(await standing(template, asked)).toEqual(expected);
    expect(await standing(template, asked, true)).toEqual(expected.filter(([, outstanding]) => outstanding));
    template.archived = true;
    expect(await standing(template, ["old", "nobody"])).toEqual([
      ["old", false, "ACCEPTED 1"],
      ["nobody", false, undefined],
    ]);
  });

  test("is told for a thousand, who need not all be known", async () => {
    const template = addTemplate();
    await acceptTemplate(template, { userRef: "user-777" });
    const rows = await standing(
      template,
      Array.from({ length: 1_000 }, (_, n) => `user-${n}`),
      true,
    );
    expect([rows.length, rows.some(([userRef]) => userRef === "user-777")]).toEqual([999, false]);
  });

  test("follows the purposes that each of them granted", async () => {
    const template = addConsent(["news"]);
    for (const userRef of ["stays", "leaves"]) await acceptConsent(template, { news: true }, { userRef });
    await update(orgOf(template), { news: "WITHDRAW" }, { userRef: "leaves" });
    expect(await standing(template, ["stays", "leaves"])).toEqual([
      ["stays", false, "ACCEPTED 1"],
      ["leaves", true, "WITHDRAWN 1"],
    ]);
  });

  test("no longer tells of those who were erased", async () => {
    const template = addTemplate();
    await acceptTemplate(template, { userRef: "gone" });
    await click.client.eraseUser({ userRef: "gone", reason: "" }, as(orgOf(template)));
    expect(await standing(template, ["gone"])).toEqual([["gone", true, undefined]]);
  });

  test("tells another organization what it tells of an unknown template", async () => {
    const template = addTemplate();
    for (const [templateId, org] of [
      [template.templateId, newOrg()],
      [newId(), orgOf(template)],
      ["nonsense", orgOf(template)],
    ] as const) {
      const asked = click.client.listAgreementStates({ templateId, userRefs: ["user-1"] }, as(org));
      await expectDomainError(asked, "CLICK_TEMPLATE_NOT_FOUND");
    }
    const none = click.client.listAgreementStates({ templateId: template.templateId }, as(orgOf(template)));
    await expectDomainError(none, "VALIDATION_FAILED");
  });
});
