import { describe, expect, test } from "@jest/globals";
import type { CheckedFile, DocumentDefinition, TabDefinition } from "../../agreement/definition.ts";
import type { Anchor, TabType } from "../../agreement/tab.ts";
import {
  refusalOf,
  sampleContext,
  sampleDocument,
  sampleRecipient,
  sampleTab,
} from "../../agreement/test/lifecycle-samples.ts";
import { newCustomFields } from "../custom-fields.ts";
import { withFieldTabs } from "../field-tabs.ts";
import { bytesOf, newDocuments, numberDocuments } from "../new-documents.ts";
import { newRecipients } from "../new-recipients.ts";
import { changedTab, newTab, newTabs } from "../new-tabs.ts";
import { tabDefaults } from "../tab-formats.ts";

const context = sampleContext();

const file = (documentId: string, given: Partial<DocumentDefinition> = {}): DocumentDefinition => ({
  documentId,
  name: `${documentId}.pdf`,
  source: { kind: "file", fileExtension: "pdf", content: Buffer.from(documentId) },
  ...given,
});

const checkedOf = ({ documentId, name }: DocumentDefinition): CheckedFile => ({
  documentId,
  name,
  bytes: Buffer.from(documentId),
  sha256: Buffer.alloc(32),
  pages: [{ width: 100, height: 100 }],
  sentSha256: Buffer.alloc(32, 9),
  isSigned: false,
  warnings: [],
});

const anchor: Anchor = {
  text: "/sn1/",
  xOffset: 0,
  yOffset: 0,
  unit: "pixels",
  ignoreIfAbsent: false,
  caseSensitive: false,
  wholeWord: false,
  alignment: "left",
};

const button = (value: string, selected = false) => ({ tabId: "", value, page: 1, x: 1, y: 1, anchor: null, selected });

describe("documents", () => {
  test("without an id get the lowest numbers that nobody has", () => {
    const ids = numberDocuments([file(""), file("2"), file(""), file("x")], ["1"]).map((one) => one.documentId);
    expect(ids).toEqual(["3", "2", "4", "x"]);
  });

  test("with an id that is given twice, or in use, are refused", () => {
    expect(refusalOf(() => numberDocuments([file("1"), file("1"), file("7")], ["7"]))).toEqual({
      code: "VALIDATION_FAILED",
      fields: ["documents[1].documentId DUPLICATE", "documents[2].documentId DUPLICATE"],
    });
  });

  test("have names that can be stored and shown", () => {
    const wrong = [file("1", { name: "x".repeat(256) }), file("\0")];
    expect(refusalOf(() => numberDocuments(wrong)).fields).toEqual([
      "documents[0].name TOO_LONG",
      "documents[1].name NOT_ALLOWED",
      "documents[1].documentId NOT_ALLOWED",
    ]);
    const [named] = newDocuments([file("5")], [{ ...checkedOf(file("5")), name: " " }], context);
    expect(named?.name).toBe("Document 5");
  });

  test("stand where they say, and those that say nothing after them in the order of the list", () => {
    const given = [file("a"), file("b", { order: 2 }), file("c"), file("d", { order: 1 }), file("e", { order: 2 })];
    const documents = newDocuments(given, given.map(checkedOf), context);
    expect(documents.map(({ documentId }) => documentId)).toEqual(["d", "b", "e", "a", "c"]);
  });

  test("of a template are new documents with the same bytes", () => {
    const stored = { ...sampleDocument("9"), sealedSha256: Buffer.alloc(32, 7) };
    const given: DocumentDefinition[] = [
      { documentId: "1", name: "Other.pdf", source: { kind: "stored", agreementId: "a", document: stored } },
      file("2"),
    ];
    const checked = given.slice(1).map(checkedOf);
    const documents = newDocuments(given, checked, context);
    const [copy, added] = documents;
    expect(copy).toEqual({ ...stored, id: copy?.id, documentId: "1", name: "Other.pdf", sealedSha256: null });
    expect(copy?.id).not.toBe(stored.id);
    expect([...bytesOf(documents, checked)]).toEqual([[added?.id, Buffer.from("2")]]);
  });
});

describe("recipients", () => {
  test("have ids of their own and the defaults of what is not given", () => {
    const existing = [sampleRecipient("1")];
    const [first, second] = newRecipients(
      [
        { recipientId: "", tabs: [] },
        { recipientId: "x", role: "in-person-signer", hostName: "Host", routingOrder: 3, tabs: [] },
      ],
      existing,
      context,
    );
    expect(first).toMatchObject({ recipientId: "2", role: "signer", routingOrder: 1, status: "created", name: "" });
    expect(second).toMatchObject({ recipientId: "x", role: "in-person-signer", routingOrder: 3, hostName: "Host" });
    expect(first?.id).not.toBe(second?.id);
  });

  test("are refused with ids that are in use, and with routing orders below 1", () => {
    const recipients = [{ recipientId: "1", tabs: [] }];
    expect(refusalOf(() => newRecipients(recipients, [sampleRecipient("1")], context)).fields).toEqual([
      "recipients[0].recipientId DUPLICATE",
    ]);
    const early = [{ recipientId: "1", routingOrder: 0, note: "\0", tabs: [] }];
    expect(refusalOf(() => newRecipients(early, [], context)).fields).toEqual([
      "recipients[0].note NOT_ALLOWED",
      "recipients[0].routingOrder OUT_OF_RANGE",
    ]);
  });
});

describe("tabs", () => {
  test.each(Object.keys(tabDefaults) as TabType[])("of type %s have a size and are called after it", (type) => {
    const tab = newTab({ type, label: "" }, "tab", context);
    expect(tab).toMatchObject({ type, label: type, ...tabDefaults[type], isPlaced: true, page: 1, status: "active" });
  });

  test("take what is given, and signatures grow with their scale", () => {
    const tab = newTab(
      { type: "signature", scale: 2, required: false, documentId: "1", page: 3, x: 5 },
      "tab",
      context,
    );
    expect(tab).toMatchObject({ width: 220, height: 70, required: false, documentId: "1", page: 3, x: 5, y: 0 });
    expect(newTab({ type: "signature", scale: 2, width: 50 }, "tab", context)).toMatchObject({ width: 50, height: 70 });
    expect(changedTab(tab, { scale: 1 }, "tab", context)).toMatchObject({ width: 110, height: 35 });
  });

  test("with an anchor are on no document until they are placed", () => {
    const tab = newTab({ type: "text", anchor, documentId: "1" }, "tab", context);
    expect(tab).toMatchObject({ documentId: null, isPlaced: false, anchor });
    const placed = changedTab(tab, { anchor: null, documentId: "1", x: 4 }, "tab", context);
    expect(placed).toMatchObject({ documentId: "1", isPlaced: true, anchor: null, x: 4 });
  });

  test("have the value of the selected item or button, unless a value is given", () => {
    const items = [
      { text: "A", value: "a", selected: false },
      { text: "B", value: "b", selected: true },
    ];
    expect(newTab({ type: "list", items }, "tab", context)).toMatchObject({ value: "b", originalValue: "b" });
    const list = newTab({ type: "list", items, value: "a" }, "tab", context);
    expect(list.items.map(({ selected }) => selected)).toEqual([true, false]);
    const group = newTab({ type: "radio-group", buttons: [button("x"), button("y", true)] }, "tab", context);
    expect(group.value).toBe("y");
    expect(new Set(group.buttons.map(({ tabId }) => tabId)).size).toBe(2);
    expect(newTab({ type: "checkbox" }, "tab", context).value).toBe("false");
  });

  test("keep their places when only a button is chosen", () => {
    const group = newTab({ type: "radio-group", buttons: [button("x"), button("y", true)] }, "tab", context);
    const choice = { ...button("x", true), page: 0, x: 0, y: 0 };
    const changed = changedTab(group, { buttons: [choice] }, "tab", context);
    expect(changed.value).toBe("x");
    expect(changed.buttons).toEqual(group.buttons.map((one) => ({ ...one, selected: one.value === "x" })));
  });

  test("change what is given alone", () => {
    const tab = sampleTab("text", { label: "po", x: 5, value: "1", required: false });
    expect(changedTab(tab, { value: "2", tooltip: "Number" }, "tab", context)).toEqual({
      ...tab,
      value: "2",
      originalValue: "2",
      tooltip: "Number",
    });
    expect(refusalOf(() => changedTab(tab, { type: "note" }, "tab", context)).fields).toEqual(["tab.type IMMUTABLE"]);
  });

  test.each<[TabDefinition, string]>([
    [{}, "tabs[0].type REQUIRED"],
    [{ type: "text", x: Number.NaN }, "tabs[0].x OUT_OF_RANGE"],
    [{ type: "text", y: Number.POSITIVE_INFINITY }, "tabs[0].y OUT_OF_RANGE"],
    [{ type: "text", width: 0 }, "tabs[0].width OUT_OF_RANGE"],
    [{ type: "text", height: Number.NaN }, "tabs[0].height OUT_OF_RANGE"],
    [{ type: "text", page: 0 }, "tabs[0].page OUT_OF_RANGE"],
    [{ type: "signature", scale: 3 }, "tabs[0].scale OUT_OF_RANGE"],
    [{ type: "text", label: "x".repeat(501) }, "tabs[0].label TOO_LONG"],
    [{ type: "text", documentId: "x".repeat(51) }, "tabs[0].documentId TOO_LONG"],
    [{ type: "text", tooltip: "\0" }, "tabs[0].tooltip NOT_ALLOWED"],
    [{ type: "text", validationPattern: "(?=a)" }, "tabs[0].validationPattern PATTERN"],
    [{ type: "checkbox", value: "yes" }, "tabs[0].value NOT_A_CHOICE"],
    [{ type: "list", value: "c", items: [{ text: "A", value: "a", selected: false }] }, "tabs[0].value NOT_A_CHOICE"],
    [{ type: "text", anchor: { ...anchor, text: " " } }, "tabs[0].anchor.text REQUIRED"],
    [{ type: "text", anchor: { ...anchor, xOffset: Number.NaN } }, "tabs[0].anchor OUT_OF_RANGE"],
    [{ type: "radio-group", buttons: [{ ...button("x"), x: Number.NaN }] }, "tabs[0].buttons[0] OUT_OF_RANGE"],
  ])("%j is refused", (definition, problem) => {
    expect(refusalOf(() => newTabs([definition], "tabs", context))).toEqual({
      code: "VALIDATION_FAILED",
      fields: [problem],
    });
  });
});

describe("custom fields", () => {
  const field = {
    fieldId: "",
    name: "order",
    value: "42",
    kind: "text",
    items: [],
    show: true,
    required: false,
  } as const;

  test("get ids of eleven digits, each another", () => {
    const fields = newCustomFields([field, { ...field, name: "b" }], { newId: () => "0".repeat(36) });
    expect(fields.map(({ fieldId }) => fieldId)).toEqual(["10000000000", "10000000001"]);
  });

  test("have names, values that can be chosen, and no two of one name", () => {
    const wrong = [field, field, { ...field, name: "" }, { ...field, name: "l", kind: "list", items: ["a"] }] as const;
    expect(refusalOf(() => newCustomFields(wrong, context)).fields).toEqual([
      "customFields[1].name DUPLICATE",
      "customFields[2].name REQUIRED",
      "customFields[3].value NOT_A_CHOICE",
    ]);
  });
});

describe("form fields that became tabs", () => {
  const field = (label: string, given: TabDefinition = {}): TabDefinition => ({
    ...{ type: "text", label, page: 1, x: 10, y: 20, width: 80, height: 15, required: false, tabOrder: 1 },
    ...given,
  });
  const form = (tabs: readonly TabDefinition[], recipientId = "", documentId = "1") => ({
    ...{ documentId, form: { tabs, recipientId } },
  });
  const labels = (recipients: ReturnType<typeof withFieldTabs>) =>
    recipients.map(({ tabs }) => tabs.map(({ label }) => label));

  test("belong to the first who signs, or to the one who is named", () => {
    const people = [
      sampleRecipient("1", { role: "carbon-copy" }),
      sampleRecipient("2", { routingOrder: 2 }),
      sampleRecipient("3", { routingOrder: 1 }),
    ];
    expect(labels(withFieldTabs(people, [form([field("a")])], context))).toEqual([[], [], ["a"]]);
    const [, second] = withFieldTabs(people, [form([field("a", { value: "x" })], "2")], context);
    expect(second?.tabs).toMatchObject([
      { label: "a", documentId: "1", value: "x", originalValue: "x", isPlaced: true },
    ]);
  });

  test("need somebody who signs", () => {
    const copy = sampleRecipient("1", { role: "carbon-copy" });
    const given = (recipientId = "") =>
      refusalOf(() => withFieldTabs([copy], [form([field("a")], recipientId)], context));
    expect(given()).toEqual({ code: "VALIDATION_FAILED", fields: ["documents[0].pdfFields REQUIRED"] });
    expect(given("1").fields).toEqual(["documents[0].pdfFieldsRecipientId UNKNOWN_RECIPIENT"]);
    expect(withFieldTabs([copy], [{ documentId: "1" }], context)).toEqual([copy]);
  });

  test("are not added a second time, and come after those that have an order", () => {
    const files = [form([field("a"), field("b", { tabOrder: 2 })]), form([field("a")], "", "2")];
    const once = withFieldTabs([sampleRecipient("1")], files, context);
    expect(once[0]?.tabs.map(({ documentId, label, tabOrder }) => [documentId, label, tabOrder])).toEqual([
      ["1", "a", 1],
      ["1", "b", 2],
      ["2", "a", 3],
    ]);
    expect(withFieldTabs(once, files, context)).toEqual(once);
  });

  test("give their places and values to tabs that have their names and no places", () => {
    const waiting = sampleTab("initials", { documentId: null, label: "DocuSignInitialHere1", required: false });
    const filled = sampleTab("text", { documentId: null, label: "a", value: "mine" });
    const all = sampleTab("text", { documentId: "1", label: "\\*h.line\\*" });
    const elsewhere = sampleTab("text", { documentId: "1", label: "c", x: 5, y: 5 });
    const people = [sampleRecipient("1"), sampleRecipient("2", { tabs: [waiting, filled, all, elsewhere] })];
    const tabs = [
      field("DocuSignInitialHere1", { type: "initials", width: 30 }),
      ...[field("a", { value: "theirs", maxLength: 9 }), field("a", { page: 2 })],
      ...[field("h.line1", { value: "1" }), field("h.line2", { y: 70 }), field("c"), field("rest")],
    ];
    const [first, second] = withFieldTabs(people, [form(tabs)], context);
    expect(first?.tabs.map(({ label }) => label)).toEqual(["rest"]);
    expect(second?.tabs).toMatchObject([
      { type: "initials", tabId: waiting.tabId, documentId: "1", x: 10, y: 20, width: 30, required: false },
      { tabId: filled.tabId, value: "mine", maxLength: 9, page: 1 },
      { label: "a", value: "mine", page: 2 },
      { tabId: all.tabId, label: "h.line1", value: "1" },
      { label: "h.line2", y: 70 },
      { tabId: elsewhere.tabId, x: 5 },
    ]);
    expect(new Set(second?.tabs.map(({ tabId }) => tabId)).size).toBe(6);
  });

  test("are at most as many as a recipient may have", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => field(`f${index}`));
    const person = sampleRecipient("1", { tabs: [sampleTab("signature")] });
    expect(refusalOf(() => withFieldTabs([person], [form(many)], context)).fields).toEqual(["documents TOO_MANY"]);
  });
});
