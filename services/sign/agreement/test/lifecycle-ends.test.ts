import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { openAgreement } from "../../send/open.ts";
import { create, definition, outcomeOf, sign, signer } from "./lifecycle-requests.ts";
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
