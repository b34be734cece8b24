import type { MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type Agreement,
  type AgreementDefinitionSchema,
  AgreementStatus,
  RecipientRole,
  TabType,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import type { TargetSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import type { ErrorCode } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { smallestPdf as pdf } from "../../intake/merge-pdfs.ts";
import { writtenAnew } from "../../intake/test/pdfs.ts";
import { type Organization, startEditing } from "./edit-setup.ts";

let sign: Awaited<ReturnType<typeof startEditing>>;
let organization: Organization;

beforeAll(async () => {
  sign = await startEditing();
  organization = sign.organization();
});

afterAll(async () => {
  await sign.stop();
});

type DefinitionInit = MessageInitShape<typeof AgreementDefinitionSchema>;
type Target = MessageInitShape<typeof TargetSchema>;

const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error("the answer lacks it");
  return value;
};

const create = async (definition: DefinitionInit, isTemplate = false): Promise<Agreement> =>
  present((await organization.createAgreement({ definition, isTemplate })).agreement);

const read = async (target: Target): Promise<Agreement> =>
  present((await organization.getAgreement({ target })).agreement);

const agreementTarget = (id: string): Target => ({ id: { case: "agreementId", value: id } });
const templateTarget = (id: string): Target => ({ id: { case: "templateId", value: id } });

const pdfDocument = (documentId: string, name: string) => ({
  ...{ documentId, name, fileExtension: "pdf" },
  source: { case: "content", value: pdf } as const,
});

const template = (name: string): Promise<Agreement> =>
  create(
    {
      ...{ name, emailSubject: `Please sign ${name}` },
      documents: [pdfDocument("1", `${name}.pdf`)],
      recipients: [
        {
          ...{ roleName: "Signer", role: RecipientRole.SIGNER, routingOrder: 2 },
          tabs: [
            { type: TabType.SIGNATURE, documentId: "1", page: 1, x: 10, y: 20 },
            { type: TabType.TEXT, label: "po", documentId: "1", x: 10, y: 100, value: "none" },
          ],
        },
        { roleName: "cc", role: RecipientRole.CARBON_COPY },
      ],
    },
    true,
  );

const draftWithPeople = (): Promise<Agreement> =>
  create({
    emailSubject: "Please sign",
    recipients: [
      { recipientId: "1", name: "Ann", email: "ann@example.com", tabs: [{ type: TabType.SIGNATURE, documentId: "1" }] },
      { recipientId: "2", name: "Bob", email: "bob@example.com" },
    ],
    customFields: [{ name: "order", value: "42" }],
  });

test("an agreement can be read without its tabs", async () => {
  const { id } = await template("Short");
  const { agreement } = await organization.getAgreement({ target: templateTarget(id), withoutTabs: true });
  const whole = await read(templateTarget(id));
  expect(whole.recipients[0]?.tabs).toHaveLength(2);
  expect(agreement).toEqual({ ...whole, recipients: whole.recipients.map((one) => ({ ...one, tabs: [] })) });
});

describe("an agreement of a template", () => {
  test("has its documents, tabs and routing, and the people of the request", async () => {
    const { id } = await template("NDA");
    const ann = {
      ...{ roleName: "signer", name: "Ann", email: "ann@example.com", clientUserId: "7" },
      tabs: [{ type: TabType.TEXT, label: "po", value: "42" }],
    };
    const made = await organization.createAgreement({
      definition: { recipients: [ann] },
      compositions: [{ layers: [{ source: { case: "templateId", value: id } }] }],
    });
    const agreement = await read(agreementTarget(present(made.agreement).id));
    expect(agreement).toMatchObject({ status: AgreementStatus.CREATED, emailSubject: "Please sign NDA", name: "" });
    const document = await writtenAnew(pdf);
    expect(agreement.documents).toMatchObject([{ documentId: "1", name: "NDA.pdf", bytes: BigInt(document.length) }]);
    expect(agreement.recipients).toMatchObject([
      { recipientId: "1", name: "Ann", clientUserId: "7", routingOrder: 2, tabs: [{ x: 10 }, { value: "42", y: 100 }] },
      { recipientId: "2", roleName: "cc", role: RecipientRole.CARBON_COPY, email: "" },
    ]);
    const { file } = await organization.getDocumentContent({ target: agreementTarget(agreement.id), documentId: "1" });
    expect(document.equals(present(file).content)).toBe(true);
    // The template is what it was, and its bytes are still there when the agreement has gone.
    await organization.deleteAgreement({ target: agreementTarget(agreement.id) });
    const kept = await organization.getDocumentContent({ target: templateTarget(id), documentId: "1" });
    expect(present(kept.file).content).toHaveLength((await writtenAnew(pdf)).length);
  });

  test("of two templates has both documents, and each tab on its own", async () => {
    const [first, second] = [await template("First"), await template("Second")];
    const ann = { roleName: "Signer", recipientId: "1", name: "Ann", email: "ann@example.com" };
    const compositions = [first, second].map(({ id }) => ({
      layers: [
        { source: { case: "templateId" as const, value: id } },
        { source: { case: "definition" as const, value: { recipients: [ann] } } },
      ],
    }));
    const made = present((await organization.createAgreement({ compositions })).agreement);
    expect(made.documents.map(({ documentId, name }) => documentId + name)).toEqual(["1First.pdf", "2Second.pdf"]);
    const [signer, cc, ...others] = made.recipients;
    expect(signer?.tabs.map(({ documentId }) => documentId)).toEqual(["1", "1", "2", "2"]);
    expect([cc?.roleName, others]).toEqual(["cc", []]);
  });

  test("is not made of what is no template of the organization", async () => {
    const { id } = await template("Foreign");
    const draft = await draftWithPeople();
    const compose = (who: Organization, templateId: string) =>
      who.createAgreement({ compositions: [{ layers: [{ source: { case: "templateId", value: templateId } }] }] });
    await expectDomainError(compose(sign.organization(), id), "TEMPLATE_NOT_FOUND");
    await expectDomainError(compose(organization, draft.id), "TEMPLATE_NOT_FOUND");
  });
});

describe("a draft", () => {
  test("that somebody else has changed meanwhile stays as it is, unless the last one is to win", async () => {
    const { id, modifiedAt } = await draftWithPeople();
    const target = agreementTarget(id);
    const update = (emailSubject: string, ifModifiedAt = modifiedAt) =>
      organization.updateAgreement({ target, changes: { emailSubject }, ...(ifModifiedAt && { ifModifiedAt }) });
    const both = await Promise.allSettled([update("One"), update("Another")]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expectDomainError(update("Late"), "ENVELOPE_CONFLICT");
    const { agreement } = await organization.updateAgreement({ target, changes: { emailSubject: "Whatever" } });
    expect((await update("After it", agreement?.modifiedAt)).agreement?.emailSubject).toBe("After it");
  });

  test("takes every edit, and its audit trail tells them", async () => {
    const { id } = await draftWithPeople();
    const target = agreementTarget(id);
    await organization.updateAgreement({
      target,
      changes: { emailSubject: "New", metadataJson: '{"a":1}', documents: [pdfDocument("", "One.pdf")] },
      replaceDocuments: true,
    });
    const put = await organization.putRecipients({
      ...{ target, changeExisting: true },
      recipients: [
        { recipientId: "2", name: "Bill" },
        { name: "Cara", email: "cara@example.com" },
      ],
    });
    expect(put.recipientIds).toEqual(["2", "3"]);
    const { tabIds } = await organization.changeTabs({
      ...{ target, recipientId: "3" },
      add: [{ type: TabType.CHECKBOX, documentId: "1", x: 4 }],
    });
    await organization.changeTabs({ target, recipientId: "3", change: [{ tabId: present(tabIds[0]), value: "true" }] });
    await organization.changeCustomFields({
      target,
      set: [
        { name: "order", value: "43" },
        { name: "b", value: "1" },
      ],
    });
    await organization.removeRecipients({ target, recipientIds: ["1"] });
    const agreement = await read(target);
    expect(agreement).toMatchObject({
      ...{ emailSubject: "New", metadataJson: '{"a":1}', documents: [{ documentId: "1", name: "One.pdf" }] },
      recipients: [{ name: "Bill" }, { name: "Cara", tabs: [{ tabId: tabIds[0], value: "true", x: 4 }] }],
    });
    expect(agreement.customFields.map(({ name, value }) => name + value)).toEqual(["order43", "b1"]);
    const { events } = await organization.listAuditEvents({ agreementId: id });
    expect(events.map(({ action }) => action)).toEqual(["agreement.created", ...Array(6).fill("agreement.modified")]);
  });

  test("keeps every one of many edits at the same time", async () => {
    const { id } = await draftWithPeople();
    const target = agreementTarget(id);
    const numbers = Array.from({ length: 12 }, (_, index) => String(index));
    await Promise.all(
      numbers.flatMap((number) => [
        organization.putRecipients({ target, recipients: [{ email: `p${number}@example.com` }] }),
        organization.changeTabs({ target, recipientId: "1", add: [{ type: TabType.TEXT, label: number }] }),
        organization.changeCustomFields({ target, set: [{ name: number, value: number }] }),
      ]),
    );
    const { recipients, customFields } = await read(target);
    const ids = recipients.map(({ recipientId }) => recipientId);
    expect([ids.length, new Set(ids).size]).toEqual([14, 14]);
    expect(recipients[0]?.tabs).toHaveLength(13);
    expect(customFields).toHaveLength(13);
    const { events } = await organization.listAuditEvents({ agreementId: id });
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 37 }, (_, index) => index + 1));
  });

  test("stays what it is when an edit is refused", async () => {
    const before = await draftWithPeople();
    const target = agreementTarget(before.id);
    const taken = { target, recipients: [{ name: "Cara" }, { email: "ANN@example.com" }] };
    await expectDomainError(organization.putRecipients(taken), "DUPLICATE_RECIPIENT");
    const unknown = { target, recipientId: "1", removeTabIds: [before.id] };
    await expectDomainError(organization.changeTabs(unknown), "TAB_NOT_FOUND");
    const long = { target, changes: { emailSubject: "x".repeat(101), emailBlurb: "new" } };
    await expectDomainError(organization.updateAgreement(long), "VALIDATION_FAILED");
    const text = {
      target,
      changes: { documents: [{ name: "a.doc", source: { case: "content", value: pdf } as const }] },
    };
    await expectDomainError(
      organization.updateAgreement({ ...text, replaceDocuments: true }),
      "INVALID_DOCUMENT_FORMAT",
    );
    expect(await read(target)).toEqual(before);
  });

  test("that is deleted is not found, as one of another organization or kind", async () => {
    const { id } = await draftWithPeople();
    const target = agreementTarget(id);
    await expectDomainError(sign.organization().deleteAgreement({ target }), "ENVELOPE_NOT_FOUND");
    await expectDomainError(organization.deleteAgreement({ target: templateTarget(id) }), "TEMPLATE_NOT_FOUND");
    await organization.deleteAgreement({ target });
    await expectDomainError(organization.getAgreement({ target }), "ENVELOPE_NOT_FOUND");
    await expectDomainError(organization.deleteAgreement({ target }), "ENVELOPE_NOT_FOUND");

    // A repeated request made nothing else, and says so in the words of what it asked for.
    for (const isTemplate of [false, true]) {
      const keyed = {
        definition: {},
        isTemplate,
        idempotencyKey: `key-${isTemplate}`,
        requestHash: new Uint8Array(32),
      };
      const made = present((await organization.createAgreement(keyed)).agreement).id;
      await organization.deleteAgreement({ target: isTemplate ? templateTarget(made) : agreementTarget(made) });
      const code = isTemplate ? "TEMPLATE_NOT_FOUND" : "ENVELOPE_NOT_FOUND";
      await expectDomainError(organization.createAgreement(keyed), code);
    }
  });
});

/** Every edit, as it would be made on recipient 1. */
const edits: readonly (readonly [string, boolean, (target: Target) => Promise<unknown>])[] = [
  ["update", false, (target) => organization.updateAgreement({ target, changes: { emailSubject: "x".repeat(200) } })],
  [
    "replace documents",
    false,
    (target) => organization.updateAgreement({ target, changes: { documents: [{}] }, replaceDocuments: true }),
  ],
  ["delete", false, (target) => organization.deleteAgreement({ target })],
  ["add a recipient", false, (target) => organization.putRecipients({ target, recipients: [{ email: "wrong" }] })],
  [
    "put recipients",
    true,
    (target) =>
      organization.putRecipients({ target, recipients: [{ recipientId: "1", email: "wrong" }], changeExisting: true }),
  ],
  ["remove recipients", true, (target) => organization.removeRecipients({ target, recipientIds: ["2", "1"] })],
  ["change tabs", true, (target) => organization.changeTabs({ target, recipientId: "1", add: [{}] })],
  ["set custom fields", false, (target) => organization.changeCustomFields({ target, set: [{ name: "" }] })],
];

describe("what has been sent", () => {
  const statuses = ["sent", "delivered", "completing", "completed", "declined", "voided", "expired"] as const;

  test.each(statuses)("refuses every edit while it is %s, whatever is wrong with it", async (status) => {
    const { id } = await draftWithPeople();
    for (const recipientStatus of ["sent", "completed"]) {
      await force(id, status, recipientStatus);
      for (const [, isOfRecipient, edit] of edits) {
        const isSigned = isOfRecipient && recipientStatus === "completed";
        const code: ErrorCode = isSigned ? "RECIPIENT_ALREADY_SIGNED" : "ENVELOPE_CANNOT_BE_MODIFIED";
        await expectDomainError(edit(agreementTarget(id)), code);
      }
    }
    const { events } = await organization.listAuditEvents({ agreementId: id });
    expect(events).toHaveLength(1);
  });
});

/** Puts an agreement and its first recipient into a state, as a long way would. */
async function force(id: string, status: string, recipientStatus: string): Promise<void> {
  await sign.superuser.query(
    `update sign.agreement set status = $2, sent_at = now(), completed_at = case when $2 = 'completed' then now() end
      where id = $1`,
    [id, status],
  );
  await sign.superuser.query(`update sign.recipient set status = $2 where agreement_id = $1 and recipient_id = '1'`, [
    id,
    recipientStatus,
  ]);
}
