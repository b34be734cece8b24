import { describe, expect, test } from "@jest/globals";
import type { Agreement, AgreementStatus, CustomField, RecipientStatus } from "../../agreement/agreement.ts";
import { emptyDefinition, type TabDefinition } from "../../agreement/definition.ts";
import {
  recipientOf,
  refusalOf,
  sampleContext,
  sampleDocument,
  sampleDraft,
  sampleRecipient,
  sampleTab,
} from "../../agreement/test/lifecycle-samples.ts";
import { changeCustomFields } from "../../create/custom-fields.ts";
import { noMatches } from "../../create/place-tabs.ts";
import { deleteAgreement } from "../../send/end-agreement.ts";
import { sendAgreement } from "../../send/send.ts";
import { correctAgreement } from "../corrections.ts";
import { putRecipients, removeRecipients } from "../edit-recipients.ts";
import { type ChangeTabs, changeTabs } from "../edit-tabs.ts";
import { updateAgreement } from "../update-agreement.ts";

const context = sampleContext(new Date("2026-11-03T08:00:00.000Z"));

const signature = sampleTab("signature");
const po = sampleTab("text", { label: "po", documentId: "2" });
const poAgain = sampleTab("text", { label: "po" });

const draft = (given: Partial<Agreement> = {}): Agreement =>
  sampleDraft([sampleRecipient("1", { tabs: [signature, po, poAgain] }), sampleRecipient("2")], {
    documents: [sampleDocument("1"), sampleDocument("2")],
    ...given,
  });

const keep = { replaceRecipients: false, replaceCustomFields: false };
const field = {
  fieldId: "",
  name: "order",
  value: "42",
  kind: "text",
  items: [],
  show: true,
  required: false,
} as const;

const commandFor = (recipientId: string, given: Partial<ChangeTabs>): ChangeTabs => ({
  ...{ recipientId, add: [], change: [], removeTabIds: [] },
  ...given,
});

const put = (agreement: Agreement, given: Partial<Parameters<typeof putRecipients>[1]["recipients"][number]>[]) =>
  putRecipients(
    agreement,
    { recipients: given.map((one) => ({ recipientId: "", tabs: [], ...one })), changeExisting: true },
    context,
  );

/** Every edit, as it would be made on recipient 1. */
const edits: readonly (readonly [string, (agreement: Agreement) => unknown])[] = [
  ["update", (agreement) => updateAgreement(agreement, { changes: emptyDefinition, ...keep }, context)],
  ["delete", (agreement) => deleteAgreement(agreement, context)],
  ["put recipients", (agreement) => put(agreement, [{ recipientId: "1", name: "Other" }])],
  ["add a recipient", (agreement) => put(agreement, [{ name: "Other" }])],
  ["remove recipients", (agreement) => removeRecipients(agreement, ["1"], context)],
  ["change tabs", (agreement) => changeTabs(agreement, commandFor("1", { add: [{ type: "text" }] }), context)],
  ["set custom fields", (agreement) => changeCustomFields(agreement, { set: [field], removeFieldIds: [] }, context)],
];

const ofRecipient = new Set(["put recipients", "remove recipients", "change tabs"]);

const sentStatuses = ["sent", "delivered", "completing", "completed", "declined", "voided", "expired"] as const;

describe("edits", () => {
  test.each(edits)("of a draft and of a template are recorded: %s", (_name, edit) => {
    for (const status of ["created", "template"] as const) {
      const kind = status === "template" ? "template" : "agreement";
      const result = edit(draft({ status })) as { change: unknown };
      const change = "change" in result ? result.change : result;
      expect(change).toMatchObject({
        agreement: { status, modifiedAt: context.now },
        audit: [{ action: expect.stringMatching(/^agreement\.(modified|deleted)$/), actor: context.actor }],
        events: [{ kind: expect.stringMatching(`^${kind}\\.(modified|deleted)$`) }],
        jobs: [],
      });
    }
  });

  const table = sentStatuses.flatMap((status) =>
    edits.flatMap(([name, edit]) =>
      (["sent", "completed"] as const).map((recipientStatus) => ({ status, name, edit, recipientStatus })),
    ),
  );

  test.each(table)("$name is refused when it is $status and the recipient $recipientStatus", (row) => {
    const agreement = inState(row.status, row.recipientStatus);
    const isSigned = row.recipientStatus === "completed" && ofRecipient.has(row.name);
    const code = isSigned ? "RECIPIENT_ALREADY_SIGNED" : "ENVELOPE_CANNOT_BE_MODIFIED";
    expect(refusalOf(() => row.edit(agreement)).code).toBe(code);
  });

  test("whether the recipient exists is looked at first, and values last", () => {
    const completed = inState("completed", "completed");
    expect(refusalOf(() => removeRecipients(completed, ["9"], context)).code).toBe("RECIPIENT_NOT_FOUND");
    expect(refusalOf(() => changeTabs(completed, commandFor("9", {}), context)).code).toBe("RECIPIENT_NOT_FOUND");
    const bad = { add: [{ type: "text", x: Number.NaN }] } as const;
    const sent = inState("sent", "sent");
    expect(refusalOf(() => changeTabs(sent, commandFor("1", bad), context)).code).toBe("ENVELOPE_CANNOT_BE_MODIFIED");
    const wrongTab = { ...bad, removeTabIds: ["x"] };
    expect(refusalOf(() => changeTabs(draft(), commandFor("1", wrongTab), context)).code).toBe("TAB_NOT_FOUND");
  });
});

function inState(status: AgreementStatus, recipientStatus: RecipientStatus): Agreement {
  const agreement = draft({ status });
  const [first, ...others] = agreement.recipients;
  if (first === undefined) throw new Error("there is no recipient");
  return { ...agreement, recipients: [{ ...first, status: recipientStatus }, ...others] };
}

describe("putRecipients", () => {
  test("adds some and changes others, in the order of the request", () => {
    const before = draft();
    const { change, recipientIds } = put(before, [
      { name: "Cara", email: "cara@example.com" },
      { recipientId: "2", name: "Bob", routingOrder: 4 },
    ]);
    expect(recipientIds).toEqual(["3", "2"]);
    expect(change.agreement.recipients.map(({ recipientId, name }) => recipientId + name)).toEqual([
      "1Person 1",
      "2Bob",
      "3Cara",
    ]);
    const bob = recipientOf(change.agreement, "2");
    expect(bob).toEqual({ ...recipientOf(before, "2"), name: "Bob", routingOrder: 4 });
    expect(change.audit[0]?.details).toEqual({ recipientsPut: ["3", "2"] });
  });

  test("finds a recipient by its UUID too, which then keeps its own id", () => {
    const before = draft();
    const { recipientIds } = put(before, [{ recipientId: recipientOf(before, "2").id.toUpperCase(), name: "Bob" }]);
    expect(recipientIds).toEqual(["2"]);
  });

  test("puts tabs in place of those there were, and keeps the ones that are named", () => {
    const { change } = put(draft(), [
      { recipientId: "1", tabs: [{ tabId: po.tabId, value: "5" }, { type: "initials" }] },
    ]);
    const { tabs } = recipientOf(change.agreement, "1");
    expect(tabs).toMatchObject([{ tabId: po.tabId, label: "po", value: "5" }, { type: "initials" }]);
  });

  test("refuses an id that exists unless it is to change it, and one that is given twice", () => {
    const twice = [
      { recipientId: "2", tabs: [] },
      { recipientId: "5", tabs: [] },
      { recipientId: "5", tabs: [] },
    ];
    const add = () => putRecipients(draft(), { recipients: twice, changeExisting: false }, context);
    expect(refusalOf(add).fields).toEqual([
      "recipients[0].recipientId DUPLICATE",
      "recipients[2].recipientId DUPLICATE",
    ]);
    expect(refusalOf(() => put(draft(), twice)).fields).toEqual(["recipients[2].recipientId DUPLICATE"]);
  });

  test("names the recipient of the request whose address is wrong or taken", () => {
    const people = [
      { name: "Cara", email: "cara@example.com" },
      { name: "Ann", email: "PERSON1@example.com" },
    ];
    expect(refusalOf(() => put(draft(), people))).toEqual({
      code: "DUPLICATE_RECIPIENT",
      fields: ["recipients[1].email DUPLICATE_RECIPIENT"],
    });
    expect(refusalOf(() => put(draft(), [{ email: "nobody" }])).fields).toEqual(["recipients[0].email INVALID_EMAIL"]);
    // Who changes their own address has it once.
    expect(put(draft(), [{ recipientId: "1", email: "person1@example.com" }]).recipientIds).toEqual(["1"]);
  });
});

describe("removeRecipients", () => {
  test("removes them with their tabs", () => {
    const { agreement } = removeRecipients(draft(), ["1", "1"], context);
    expect(agreement.recipients.map(({ recipientId }) => recipientId)).toEqual(["2"]);
  });
});

describe("changeTabs", () => {
  const change = (given: Partial<ChangeTabs>) => changeTabs(draft(), commandFor("1", given), context);

  test("adds, changes and removes in one go", () => {
    const added: TabDefinition = { type: "checkbox", documentId: "1", x: 3 };
    const result = change({ add: [added], change: [{ tabId: po.tabId, x: 9 }], removeTabIds: [signature.tabId] });
    const { tabs } = recipientOf(result.change.agreement, "1");
    expect(tabs).toEqual([{ ...po, x: 9 }, poAgain, expect.objectContaining({ ...added, value: "false" })]);
    expect(result.tabIds).toEqual([tabs[2]?.tabId, po.tabId]);
  });

  test("gives a value to all tabs of one label", () => {
    const result = change({ change: [{ tabId: po.tabId, value: "7" }] });
    expect(recipientOf(result.change.agreement, "1").tabs.map(({ value }) => value)).toEqual(["", "7", "7"]);
  });

  test("names the tab that is wrong", () => {
    const wrong = () =>
      change({
        change: [
          { tabId: po.tabId, value: "1" },
          { tabId: signature.tabId, scale: 9 },
        ],
      });
    expect(refusalOf(wrong).fields).toEqual(["tabs[1].scale OUT_OF_RANGE"]);
  });

  test("refuses more tabs than a page can send back", () => {
    const many = Array.from({ length: 2_000 }, (): TabDefinition => ({ type: "text" }));
    expect(refusalOf(() => change({ add: many })).fields).toEqual(["tabs TOO_MANY"]);
  });
});

describe("changeCustomFields", () => {
  const fields = [
    { ...field, fieldId: "11", value: "1" },
    { ...field, fieldId: "12", name: "b" },
  ];
  const change = (set: readonly CustomField[], removeFieldIds: string[] = []) =>
    changeCustomFields(draft({ customFields: fields }), { set, removeFieldIds }, context).agreement.customFields;

  test("finds those it changes by their ids, then by their names, and adds the others", () => {
    const changed = change([
      { ...field, fieldId: "12", name: "", value: "x" },
      { ...field, fieldId: "", value: "2" },
      { ...field, fieldId: "", name: "new" },
    ]);
    expect(changed.map(({ fieldId, name, value }) => [fieldId, name, value])).toEqual([
      ["11", "order", "2"],
      ["12", "b", "x"],
      [expect.stringMatching(/^[0-9]{11}$/), "new", "42"],
    ]);
  });

  test("a removed name can be given again", () => {
    const changed = change([{ ...field, fieldId: "", value: "2" }], ["11"]);
    expect(changed.map(({ name, value }) => name + value)).toEqual(["b42", "order2"]);
  });

  test("refuses unknown ids and names that exist", () => {
    expect(refusalOf(() => change([{ ...field, fieldId: "99" }], ["98"])).fields).toEqual([
      "customFields[0].fieldId NOT_FOUND",
      "fieldIds[0] NOT_FOUND",
    ]);
    expect(refusalOf(() => change([{ ...field, fieldId: "12" }])).fields).toEqual(["customFields[1].name DUPLICATE"]);
  });
});

describe("updateAgreement", () => {
  const update = (given: Partial<Parameters<typeof updateAgreement>[1]>, before = draft()) =>
    updateAgreement(before, { changes: emptyDefinition, ...keep, ...given }, context);

  test("changes what is given alone, and says what that was", () => {
    const before = draft({ metadata: { a: 1 } });
    const changes = { ...emptyDefinition, emailSubject: "New", notification: { reminderDelay: 3 }, metadata: null };
    const { agreement, audit } = update({ changes }, before);
    expect(agreement).toEqual({
      ...before,
      ...{ emailSubject: "New", metadata: null, modifiedAt: context.now },
      notification: { ...before.notification, reminderDelay: 3 },
    });
    expect(audit[0]?.details).toEqual({ changed: ["emailSubject", "notification", "metadata"] });
  });

  test("documents that go take their tabs with them, and those that are replaced keep theirs", () => {
    const { agreement } = update({ documents: [sampleDocument("2"), sampleDocument("3")] });
    expect(agreement.documents.map(({ documentId }) => documentId)).toEqual(["2", "3"]);
    expect(recipientOf(agreement, "1").tabs).toEqual([po]);
  });

  test("replaces recipients and custom fields only when asked to", () => {
    const recipients = [{ recipientId: "", name: "Only", tabs: [] }];
    const changes = { ...emptyDefinition, recipients, customFields: [field] };
    const before = draft();
    expect(update({ changes }, before).agreement).toMatchObject({ recipients: before.recipients, customFields: [] });
    const { agreement } = update({ changes, replaceRecipients: true, replaceCustomFields: true }, before);
    expect(agreement.recipients.map(({ recipientId, name }) => recipientId + name)).toEqual(["1Only"]);
    expect(agreement.customFields).toMatchObject([{ name: "order" }]);
  });

  test("refuses what is too long and an expiry without days", () => {
    const changes = { ...emptyDefinition, emailSubject: "x".repeat(101), name: "\0", notification: { expireAfter: 0 } };
    expect(refusalOf(() => update({ changes })).fields).toEqual([
      "emailSubject TOO_LONG",
      "name NOT_ALLOWED",
      "notification.expireAfter OUT_OF_RANGE",
    ]);
  });
});

test("a correction that hides a document is in the trail, and ends the pages that show it", () => {
  const draft = sampleDraft([sampleRecipient("1")], { documents: [sampleDocument("1"), sampleDocument("2")] });
  const { agreement } = sendAgreement(draft, noMatches, sampleContext());
  const given = { reason: "", texts: {}, notification: {}, removeRecipientIds: [], tabs: [] };
  const hide = (excludedDocuments: readonly string[]) =>
    correctAgreement(
      agreement,
      { ...given, recipients: [{ recipientId: "1", tabs: [], excludedDocuments }] },
      noMatches,
      sampleContext(),
    );
  const { change, ended } = hide(["2"]);
  expect(change.audit[0]?.details).toMatchObject({ recipientsChanged: [{ changed: ["excludedDocuments"] }] });
  expect(ended.pagesOf).toEqual([agreement.recipients[0]?.id]);
  expect(change.agreement.recipients[0]?.excludedDocuments).toEqual(["2"]);
  expect(() => hide(["1", "2"])).toThrow();
});
