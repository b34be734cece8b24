import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { AgreementStatus, RecipientRole, RecipientStatus, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { create, definition, outcomeOf, signer } from "./lifecycle-requests.ts";
import { type Organization, startLifecycle } from "./lifecycle-setup.ts";

let system: Awaited<ReturnType<typeof startLifecycle>>;
let organization: Organization;
beforeAll(async () => {
  system = await startLifecycle();
});
beforeEach(() => {
  organization = system.organization();
  Object.assign(system.fake, { searches: 0, onSearch: async () => {} });
  system.fake.texts.clear();
});
afterAll(() => system.stop());

const withAnchor = definition({
  recipients: [{ ...signer("1"), tabs: [{ type: TabType.SIGNATURE, anchor: { text: "/sn1/" } }] }],
});

const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();

describe("CreateAgreement", () => {
  test("makes a draft, or sends it in the same transaction", async () => {
    const draft = await create(organization);
    expect(draft.status).toBe(AgreementStatus.CREATED);
    expect(await organization.auditActions(draft.id)).toEqual(["agreement.created"]);
    const sent = await create(organization, definition(), true);
    expect(sent).toMatchObject({ status: AgreementStatus.SENT, currentRoutingOrder: 1 });
    expect(sent.recipients.map(({ status }) => status)).toEqual([RecipientStatus.SENT, RecipientStatus.SENT]);
    expect(await organization.auditActions(sent.id)).toEqual([
      "agreement.created",
      "agreement.sent",
      "recipient.sent",
      "recipient.sent",
    ]);
    expect(await organization.jobs(sent.id)).toEqual(["expiry"]);
  });

  test("creates nothing when it cannot be sent", async () => {
    await expectDomainError(create(organization, definition({ documents: [] }), true), "DOCUMENTS_REQUIRED");
    await expectDomainError(create(organization, definition({ recipients: [] }), true), "RECIPIENTS_REQUIRED");
    await expectDomainError(create(organization, withAnchor, true), "ANCHOR_TAB_STRING_NOT_FOUND");
    const twice = [signer("1"), { ...signer("2"), email: "PERSON1@example.com" }];
    await expectDomainError(create(organization, definition({ recipients: twice })), "DUPLICATE_RECIPIENT");
    expect(await organization.countAgreements()).toBe(0);
  });

  test("answers a repeated key with what the first call made", async () => {
    const keyed = { definition: definition(), send: true, idempotencyKey: "k1", requestHash: hashOf("a") };
    const calls = await Promise.all([organization.createAgreement(keyed), organization.createAgreement(keyed)]);
    expect(new Set(calls.map(({ agreement }) => agreement?.id)).size).toBe(1);
    expect(calls.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    const other = organization.createAgreement({ ...keyed, requestHash: hashOf("b") });
    await expectDomainError(other, "IDEMPOTENCY_KEY_REUSED");
    expect(await organization.countAgreements()).toBe(1);
  });

  test("fills the roles of a template and drops those for which nobody was named", async () => {
    system.fake.texts.add("/sn1/");
    const roles = ["Buyer", "Witness"].map((roleName, index) => ({
      recipientId: String(index + 1),
      role: RecipientRole.SIGNER,
      roleName,
      tabs: [{ type: TabType.SIGNATURE, anchor: { text: "/sn1/" } }],
    }));
    const { agreement: template } = await organization.createAgreement({
      definition: definition({ name: "Sale", recipients: roles }),
      isTemplate: true,
    });
    const filled = { recipients: [{ roleName: "buyer", name: "Ann", email: "ann@example.com" }] };
    const { agreement } = await organization.createAgreement({
      compositions: [
        {
          layers: [
            { source: { case: "templateId", value: template?.id ?? "" } },
            { source: { case: "definition", value: filled } },
          ],
        },
      ],
      send: true,
    });
    expect(agreement).toMatchObject({ status: AgreementStatus.SENT, emailSubject: "Please sign" });
    expect(agreement?.recipients.map(({ name, tabs }) => [name, tabs[0]?.x, tabs[0]?.y])).toEqual([["Ann", 100, 365]]);
  });
});

describe("SendAgreement", () => {
  test("sends once: of two calls at once one is told that it is sent already", async () => {
    const { id } = await create(organization);
    const calls = [organization.sendAgreement({ agreementId: id }), organization.sendAgreement({ agreementId: id })];
    expect((await Promise.all(calls.map(outcomeOf))).sort()).toEqual(["ENVELOPE_ALREADY_SENT", "ok"]);
    const actions = await organization.auditActions(id);
    expect(actions.filter((action) => action === "agreement.sent")).toHaveLength(1);
  });

  test("answers a repeated key, and refuses it for another request", async () => {
    const { id: agreementId } = await create(organization);
    const keyed = { agreementId, idempotencyKey: "s1", requestHash: hashOf("a") };
    const calls = await Promise.all([organization.sendAgreement(keyed), organization.sendAgreement(keyed)]);
    expect(calls.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    await expectDomainError(
      organization.sendAgreement({ ...keyed, requestHash: hashOf("b") }),
      "IDEMPOTENCY_KEY_REUSED",
    );
  });

  test("makes its changes first, or neither when it cannot be sent", async () => {
    const { id: agreementId } = await create(organization, definition({ emailSubject: "" }));
    const refused = organization.sendAgreement({ agreementId, changes: { emailSubject: "", emailBlurb: "Lost" } });
    await expectDomainError(refused, "VALIDATION_FAILED");
    const { agreement } = await organization.sendAgreement({ agreementId, changes: { emailSubject: "Now" } });
    expect(agreement).toMatchObject({ status: AgreementStatus.SENT, emailSubject: "Now", emailBlurb: "" });
  });

  test("looks for its anchors again when the draft has been changed meanwhile", async () => {
    system.fake.texts.add("/sn1/");
    const { id } = await create(organization, withAnchor);
    system.fake.onSearch = async () => {
      if (system.fake.searches > 2) return;
      await organization.decide(id, (agreement) => ({
        agreement: { ...agreement, emailBlurb: `${system.fake.searches}` },
        ...{ audit: [], events: [], jobs: [] },
      }));
    };
    const { agreement } = await organization.sendAgreement({ agreementId: id });
    expect(agreement).toMatchObject({ status: AgreementStatus.SENT, emailBlurb: "2" });
    expect(system.fake.searches).toBe(3);
  });

  test("gives up on a draft that never stays as it is", async () => {
    system.fake.texts.add("/sn1/");
    const { id } = await create(organization, withAnchor);
    system.fake.onSearch = async () => {
      await organization.decide(id, (agreement) => ({
        agreement: { ...agreement, emailBlurb: `${system.fake.searches}` },
        ...{ audit: [], events: [], jobs: [] },
      }));
    };
    await expectDomainError(organization.sendAgreement({ agreementId: id }), "SERVICE_UNAVAILABLE");
    expect(system.fake.searches).toBe(5);
  });

  test("does not find what is another organization's, or a template", async () => {
    const { id } = await create(organization);
    await expectDomainError(system.organization().sendAgreement({ agreementId: id }), "ENVELOPE_NOT_FOUND");
    const { agreement: template } = await organization.createAgreement({ definition: {}, isTemplate: true });
    await expectDomainError(organization.sendAgreement({ agreementId: template?.id ?? "" }), "ENVELOPE_NOT_FOUND");
  });
});
