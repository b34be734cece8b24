import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { AgreementStatus, PauseReason, RecipientStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { openAgreement } from "../../send/open.ts";
import { resumeWhenDue } from "../../workflow/resume.ts";
import type { Agreement } from "../agreement.ts";
import type { DecisionContext } from "../change.ts";
import { create, type Definition, definition, outcomeOf, sign, signer } from "./lifecycle-requests.ts";
import { recipientOf } from "./lifecycle-samples.ts";
import { type Organization, startLifecycle } from "./lifecycle-setup.ts";

let system: Awaited<ReturnType<typeof startLifecycle>>;
let organization: Organization;
beforeAll(async () => {
  system = await startLifecycle();
});
beforeEach(() => {
  organization = system.organization();
});
afterAll(() => system.stop());

describe("VoidAgreement and RemindAgreement", () => {
  test("hold for what has been sent and is not over", async () => {
    const { id: agreementId } = await create(organization);
    await expectDomainError(organization.voidAgreement({ agreementId, reason: "Mistake" }), "INVALID_ENVELOPE_STATUS");
    await expectDomainError(organization.remindAgreement({ agreementId }), "INVALID_ENVELOPE_STATUS");
    await organization.sendAgreement({ agreementId });
    await organization.remindAgreement({ agreementId });
    await expectDomainError(organization.voidAgreement({ agreementId, reason: "" }), "VALIDATION_FAILED");
    const { agreement } = await organization.voidAgreement({ agreementId, reason: "Mistake" });
    expect(agreement).toMatchObject({ status: AgreementStatus.VOIDED, voidedReason: "Mistake" });
    expect((await organization.auditActions(agreementId)).slice(-2)).toEqual([
      "agreement.reminded",
      "agreement.voided",
    ]);
    await expectDomainError(organization.sendAgreement({ agreementId }), "INVALID_ENVELOPE_STATUS");
  });

  test("void and the last signature at once: one of them wins", async () => {
    const { id: agreementId } = await create(organization, definition({ recipients: [signer("1")] }), true);
    const calls = [
      organization.decide(agreementId, sign("1")),
      organization.voidAgreement({ agreementId, reason: "Mistake" }),
    ];
    expect((await Promise.all(calls.map(outcomeOf))).sort()).toEqual(["INVALID_ENVELOPE_STATUS", "ok"]);
  });

  test("void and send at once never leave half of either", async () => {
    const { id: agreementId } = await create(organization);
    const [sent, voided] = await Promise.all([
      outcomeOf(organization.sendAgreement({ agreementId })),
      outcomeOf(organization.voidAgreement({ agreementId, reason: "Mistake" })),
    ]);
    expect(sent).toBe("ok");
    const last = (await organization.auditActions(agreementId)).at(-1);
    expect([voided, last]).toEqual(
      voided === "ok" ? ["ok", "agreement.voided"] : ["INVALID_ENVELOPE_STATUS", "recipient.sent"],
    );
  });
});

describe("ResumeAgreement", () => {
  const paused = (orders: readonly number[] = [2]) =>
    definition({
      recipients: [signer("1"), { ...signer("2"), routingOrder: 2 }],
      routing: { pauses: orders.map((beforeRoutingOrder) => ({ beforeRoutingOrder })) },
    });

  test("asks those before whom it paused, once", async () => {
    const { id: agreementId } = await create(organization, paused(), true);
    await expectDomainError(organization.resumeAgreement({ agreementId }), "INVALID_ENVELOPE_STATUS");
    await organization.decide(agreementId, sign("1"));
    // There is nobody to remind, and nothing of it in the trail.
    const { agreement: before } = await organization.remindAgreement({ agreementId });
    expect(before?.paused).toMatchObject({ reason: PauseReason.PAUSE, beforeRoutingOrder: 2 });
    const key = { agreementId, idempotencyKey: "once", requestHash: Buffer.alloc(32, 1) };
    const resumed = await organization.resumeAgreement(key);
    expect([resumed.agreement?.paused, resumed.agreement?.recipients[1]?.status]).toEqual([
      undefined,
      RecipientStatus.SENT,
    ]);
    expect((await organization.resumeAgreement(key)).replayed).toBe(true);
    await expectDomainError(organization.resumeAgreement({ agreementId }), "INVALID_ENVELOPE_STATUS");
    expect((await organization.auditActions(agreementId)).slice(-3)).toEqual([
      "agreement.paused",
      "agreement.resumed",
      "recipient.sent",
    ]);
    await expectDomainError(system.organization().resumeAgreement({ agreementId }), "ENVELOPE_NOT_FOUND");
  });

  test("and void at the same moment, 200 times: a voided agreement asks nobody", async () => {
    for (let round = 0; round < 200; round += 1) {
      const isScheduled = round % 2 === 0;
      const { id: agreementId } = isScheduled
        ? await create(organization, definition({ schedule: { delaySeconds: 3_600 } }), true)
        : await create(organization, paused(), true);
      if (!isScheduled) await organization.decide(agreementId, sign("1"));
      const due = (agreement: Agreement, context: DecisionContext) =>
        resumeWhenDue(agreement, { ...context, now: new Date(context.now.getTime() + 7_200_000) });
      const resumption = isScheduled
        ? organization.decide(agreementId, due)
        : organization.resumeAgreement({ agreementId });
      const [resumed, voided] = await Promise.all([
        outcomeOf(resumption),
        outcomeOf(organization.voidAgreement({ agreementId, reason: "Mistake" })),
      ]);
      const actions = await organization.auditActions(agreementId);
      // What is resumed can be voided afterwards; what was voided first is not resumed, and asks nobody.
      const isFirst = actions.includes(isScheduled ? "agreement.sent" : "agreement.resumed");
      expect([voided, actions.at(-1)]).toEqual(["ok", "agreement.voided"]);
      expect(resumed).toBe(isFirst || isScheduled ? "ok" : "INVALID_ENVELOPE_STATUS");
      const asked = actions.filter((action) => action === "recipient.sent");
      expect(asked).toHaveLength(isScheduled ? (isFirst ? 2 : 0) : isFirst ? 2 : 1);
    }
  });

  test("two at once resume one pause", async () => {
    const { id: agreementId } = await create(organization, paused([1, 2]), true);
    const twice = [organization.resumeAgreement({ agreementId }), organization.resumeAgreement({ agreementId })];
    expect((await Promise.all(twice.map(outcomeOf))).sort()).toEqual(["INVALID_ENVELOPE_STATUS", "ok"]);
  });

  test.each([
    ["schedule.sendAt", { schedule: { sendAt: timestampFromDate(new Date(0)) } }],
    ["schedule.delaySeconds", { schedule: { delaySeconds: 366 * 86_400 + 1 } }],
    ["routing.pauses[0].beforeRoutingOrder", { routing: { pauses: [{ beforeRoutingOrder: 3 }] } }],
    [
      "routing.pauses[1].beforeRoutingOrder",
      { routing: { pauses: [{ beforeRoutingOrder: 1 }, { beforeRoutingOrder: 1 }] } },
    ],
    [
      "routing.pauses[0].resumeAt",
      {
        routing: {
          pauses: [{ beforeRoutingOrder: 1, resumeAt: timestampFromDate(new Date(Date.now() + 400 * 86_400_000)) }],
        },
      },
    ],
  ] satisfies [string, Definition][])("%s that cannot be is refused", async (field, changes) => {
    const { details } = await expectDomainError(create(organization, definition(changes), true), "VALIDATION_FAILED");
    expect(details).toEqual([expect.objectContaining({ field })]);
  });
});

describe("two last signers in the same instant", () => {
  test("complete the agreement once", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await create(organization, definition(), true);
      await Promise.all(
        ["1", "2"].map((who) =>
          organization.decide(id, (agreement, context) =>
            openAgreement(agreement, recipientOf(agreement, who).id, context),
          ),
        ),
      );
      const ends = await Promise.all(["1", "2"].map((who) => organization.decide(id, sign(who))));
      expect(ends.map(({ status }) => status).sort()).toEqual(["completing", "delivered"]);
      const actions = await organization.auditActions(id);
      expect(actions.filter((action) => action === "agreement.completing")).toHaveLength(1);
      expect(actions.filter((action) => action === "recipient.signed")).toHaveLength(2);
      expect(await organization.jobs(id)).toEqual(["completion", "expiry"]);
    }
  });

  test("a signer who finishes twice at once signs once", async () => {
    const { id } = await create(organization, definition(), true);
    const twice = [organization.decide(id, sign("1")), organization.decide(id, sign("1"))];
    expect((await Promise.all(twice.map(outcomeOf))).sort()).toEqual(["RECIPIENT_ALREADY_SIGNED", "ok"]);
  });
});
