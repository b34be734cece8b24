import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { type ErrorCode, type FieldProblem, fromConnectError } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions } from "../../test/actions.ts";
import { type ClickHarness, startClick } from "../../test/harness.ts";
import { openedAcceptance } from "../../test/stored-acceptances.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, acceptTemplate } = clientActions(() => click);

async function expectRefusal(promise: Promise<unknown>, code: ErrorCode): Promise<readonly FieldProblem[]> {
  return (await expectDomainError(promise, code)).details;
}

describe("what an acceptance says", () => {
  test("the client's time may be five minutes ahead, not more", async () => {
    const ahead = (seconds: number) => new Date(click.clock.now().getTime() + seconds * 1000).toISOString();
    const acceptedAt = ahead(290);
    const { receipt } = await acceptTemplate(addTemplate(), { acceptedAt });
    expect(receipt.clientAcceptedAt).toBe(acceptedAt);
    expect(receipt.acceptedAt < acceptedAt).toBe(true);
    const details = await expectRefusal(
      acceptTemplate(addTemplate(), { acceptedAt: ahead(310) }),
      "CLICK_VALIDATION_FAILED",
    );
    expect(details).toMatchObject([{ field: "acceptedAt", code: "FUTURE" }]);
  });

  test("the policy refuses with a detail for each flag", async () => {
    const policyFlags = { requireScroll: true, requireView: true, requireTypedName: true };
    const template = addTemplate({ policyFlags });
    const details = await expectRefusal(acceptTemplate(template), "CLICK_POLICY_NOT_SATISFIED");
    expect(details.map((detail) => detail.field)).toEqual(["requireScroll", "requireView", "requireTypedName"]);
    const presentation = { scrolledToEnd: true, documentsOpened: ["terms.pdf"] };
    await acceptTemplate(template, { presentation, typedName: "Ann" });
  });

  test("a template that wants sessions takes no direct acceptance", async () => {
    const template = addTemplate({ policyFlags: { allowDirectAccept: false } });
    const details = await expectRefusal(acceptTemplate(template), "CLICK_POLICY_NOT_SATISFIED");
    expect(details[0]?.field).toBe("allowDirectAccept");
  });

  test("a render token cannot be right as long as none is made", async () => {
    const template = addTemplate({ policyFlags: { requireRenderToken: true } });
    await expectRefusal(acceptTemplate(template, { renderToken: "a.b.c" }), "CLICK_RENDER_TOKEN_INVALID");
  });

  test("a verification that the template requires", async () => {
    const template = addTemplate({ policyFlags: { requireAuthenticatedUser: true } });
    await expectRefusal(acceptTemplate(template), "CLICK_VERIFICATION_REQUIRED");
    const verification = [{ method: "CUSTOMER_SESSION", verifiedAt: "2026-11-20T16:59:00Z", reference: "sid" }];
    const { receipt } = await acceptTemplate(template, { verification });
    expect(receipt.verification).toEqual([{ method: "CUSTOMER_SESSION", verifiedAt: "2026-11-20T16:59:00Z" }]);
  });

  test("a decline is recorded only when it is offered", async () => {
    await expectRefusal(acceptTemplate(addTemplate(), { decision: "DECLINE" }), "CLICK_POLICY_NOT_SATISFIED");
    const unrecorded = addTemplate({ policyFlags: { allowDecline: true, recordDecline: false } });
    await expectRefusal(acceptTemplate(unrecorded, { decision: "DECLINE" }), "CLICK_POLICY_NOT_SATISFIED");
    const template = addTemplate({ policyFlags: { allowDecline: true, requireScroll: true } });
    expect((await acceptTemplate(template, { decision: "DECLINE" })).receipt.decision).toBe("DECLINE");
  });

  test("one acceptance per user and revision, also when two come at once", async () => {
    const template = addTemplate({ policyFlags: { oneAcceptancePerRevision: true } });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => acceptTemplate(template)));
    const refusals = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [fromConnectError(outcome.reason)] : [],
    );
    expect(refusals.map((error) => error?.code)).toEqual(Array(19).fill("CLICK_ALREADY_ACCEPTED"));
    await acceptTemplate(template, { userRef: "user-2" });
    click.templates.revise(template, "<p>New terms.</p>");
    await acceptTemplate(template);
    await expectRefusal(acceptTemplate(template), "CLICK_ALREADY_ACCEPTED");
  });

  test("one acceptance per revision sees those from before the flag was set", async () => {
    const template = addTemplate();
    await acceptTemplate(template);
    await acceptTemplate(template);
    template.policyFlags = { oneAcceptancePerRevision: true };
    await expectRefusal(acceptTemplate(template), "CLICK_ALREADY_ACCEPTED");
  });

  test("addresses are stored as the policy says", async () => {
    const template = addTemplate({ policyFlags: { captureIp: "TRUNCATED", captureUserAgent: "NONE" } });
    const { receipt } = await acceptTemplate(template, { context: { ip: "198.51.100.7", userAgent: "Firefox/1" } });
    const { evidence } = await openedAcceptance(click, receipt.receiptId);
    expect(evidence).toMatchObject({
      claimed: { ip: "198.51.100.0" },
      observed: { ip: "203.0.113.0", userAgent: null, clientId: "cl_test", requestId: "req-1" },
    });
    expect(JSON.stringify(evidence)).not.toContain("Firefox");
  });
});

describe("consent", () => {
  const purpose = (key: string, more: object = {}) => ({
    key,
    name: key,
    legalBasis: "CONSENT",
    required: false,
    ...more,
  });
  const addConsent = (policyFlags = {}) =>
    addTemplate({
      type: TemplateType.CONSENT,
      typeConfig: {
        purposes: [purpose("newsletter"), purpose("terms", { required: true }), purpose("ads", { saleOrShare: true })],
      },
      policyFlags,
    });
  const granted = (...purposes: string[]) => ({ purposes: purposes.map((one) => ({ purpose: one, granted: true })) });

  test("records what was decided for each purpose", async () => {
    const purposes = [
      { purpose: "terms", granted: true },
      { purpose: "newsletter", granted: false },
    ];
    const { receipt } = await acceptTemplate(addConsent({ consentExpiresAfterDays: 365 }), { purposes });
    expect(receipt.purposes).toEqual(purposes);
    expect(Date.parse(receipt.expiresAt ?? "") - Date.parse(receipt.acceptedAt)).toBe(365 * 86_400_000);
  });

  test("an unknown purpose, or one that is decided twice, is a bad request", async () => {
    const details = await expectRefusal(
      acceptTemplate(addConsent(), granted("terms", "spam")),
      "CLICK_VALIDATION_FAILED",
    );
    expect(details).toMatchObject([{ field: "purposes[1].purpose", code: "UNKNOWN" }]);
    await expectRefusal(acceptTemplate(addConsent(), granted("terms", "terms")), "CLICK_VALIDATION_FAILED");
    await expectRefusal(acceptTemplate(addTemplate(), granted("terms")), "CLICK_VALIDATION_FAILED");
  });

  test("no purposes, and a required one that is not granted", async () => {
    await expectRefusal(acceptTemplate(addConsent()), "CLICK_POLICY_NOT_SATISFIED");
    await expectRefusal(acceptTemplate(addConsent(), { purposes: [] }), "CLICK_POLICY_NOT_SATISFIED");
    const details = await expectRefusal(
      acceptTemplate(addConsent(), granted("newsletter")),
      "CLICK_POLICY_NOT_SATISFIED",
    );
    expect(details).toMatchObject([{ field: "purposes", code: "NOT_GRANTED" }]);
  });

  test("a box that was ticked beforehand is no consent", async () => {
    const body = { ...granted("terms"), presentation: { checkboxInitiallyChecked: true } };
    await expectRefusal(acceptTemplate(addConsent(), body), "CLICK_POLICY_NOT_SATISFIED");
  });

  test("Global Privacy Control denies what is sold or shared, when the policy honours it", async () => {
    const body = { ...granted("terms", "ads"), context: { gpc: true } };
    const { receipt } = await acceptTemplate(addConsent({ honorGpc: true }), body);
    expect(receipt.purposes).toEqual([
      { purpose: "terms", granted: true },
      { purpose: "ads", granted: false },
    ]);
    expect((await acceptTemplate(addConsent(), body)).receipt.purposes[1]?.granted).toBe(true);
  });
});
