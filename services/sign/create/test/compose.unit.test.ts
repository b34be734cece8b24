import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Agreement, Recipient } from "../../agreement/agreement.ts";
import {
  type Definition,
  type DocumentDefinition,
  emptyDefinition,
  type RecipientDefinition,
} from "../../agreement/definition.ts";
import type { Tab } from "../../agreement/tab.ts";
import {
  sampleButton,
  sampleContext,
  sampleDocument,
  sampleDraft,
  sampleRecipient,
  sampleTab,
} from "../../agreement/test/lifecycle-samples.ts";
import { compose, type LoadedComposition } from "../compose.ts";
import { createDraft } from "../make-agreement.ts";
import { tabDefaults } from "../tab-formats.ts";

const role = (recipientId: string, roleName: string, given: Partial<Recipient> = {}): Recipient =>
  sampleRecipient(recipientId, { name: "", email: "", roleName, ...given });

const templateOf = (recipients: readonly Recipient[], given: Partial<Agreement> = {}): Agreement =>
  sampleDraft(recipients, { status: "template", name: "NDA", ...given });

const definition = (given: Partial<Definition>): Definition => ({ ...emptyDefinition, ...given });

const person = (given: Partial<RecipientDefinition>): RecipientDefinition => ({ recipientId: "", tabs: [], ...given });

const part = (...layers: (Agreement | Partial<Definition>)[]): LoadedComposition => ({
  layers: layers.map((layer) =>
    "status" in layer
      ? { kind: "template", template: layer as Agreement }
      : { kind: "definition", definition: definition(layer as Partial<Definition>) },
  ),
});

const file = (documentId: string, given: Partial<DocumentDefinition> = {}): DocumentDefinition => ({
  documentId,
  name: `file ${documentId}`,
  source: { kind: "file", fileExtension: "pdf", content: Buffer.alloc(1) },
  ...given,
});

const namesOf = ({ documents }: Definition) => documents.map(({ documentId, name }) => `${documentId} ${name}`);
const tabsOf = ({ recipients }: Definition, at = 0) => recipients[at]?.tabs ?? [];
const placesOf = (composed: Definition, at = 0) => tabsOf(composed, at).map(({ documentId }) => documentId);
const peopleOf = ({ recipients }: Definition) =>
  recipients.map(({ recipientId, roleName, name }) => `${recipientId} ${roleName ?? ""} ${name ?? ""}`);

describe("layers of a composition", () => {
  const template = templateOf([role("1", "Signer", { routingOrder: 2 }), role("2", "cc", { role: "carbon-copy" })]);

  test("without compositions the definition stays what it is", () => {
    const given = definition({ emailSubject: "x", documents: [file("")] });
    expect(compose(given, [])).toBe(given);
  });

  test("fill roles by their names without case, and keep what they do not say", () => {
    const ann = person({ roleName: "SIGNER", name: "Ann", email: "ann@example.com", clientUserId: "7" });
    const composed = compose(emptyDefinition, [part(template, { recipients: [ann] })]);
    expect(composed.recipients[0]).toMatchObject({
      ...{ recipientId: "1", role: "signer", roleName: "SIGNER", routingOrder: 2 },
      ...{ name: "Ann", email: "ann@example.com", clientUserId: "7" },
    });
    expect(composed.recipients[1]).toMatchObject({ recipientId: "2", role: "carbon-copy", roleName: "cc" });
  });

  test("fill roles by recipientId where no role is named, but never another role", () => {
    const layer = { recipients: [person({ recipientId: "2", name: "Cara" })] };
    expect(peopleOf(compose(emptyDefinition, [part(template, layer)]))).toEqual(["1 Signer ", "2 cc Cara"]);
    const other = { recipients: [person({ recipientId: "1", roleName: "witness", name: "Will" })] };
    expect(peopleOf(compose(emptyDefinition, [part(template, other)]))).toEqual([
      "3 Signer ",
      "2 cc ",
      "1 witness Will",
    ]);
  });

  test("two people with one role name are two recipients", () => {
    const two = [person({ roleName: "signer", name: "Ann" }), person({ roleName: "signer", name: "Bob" })];
    expect(peopleOf(compose(definition({ recipients: two }), [part(template)]))).toEqual([
      "1 signer Ann",
      "2 cc ",
      "3 signer Bob",
    ]);
  });

  test("the recipientId that the request gives wins over those of the template", () => {
    const swapped = [person({ recipientId: "2", roleName: "signer", name: "Ann" })];
    expect(peopleOf(compose(definition({ recipients: swapped }), [part(template)]))).toEqual(["2 signer Ann", "1 cc "]);
  });

  test("a template over a person keeps the person", () => {
    const ann = { recipients: [person({ roleName: "signer", name: "Ann", email: "ann@example.com" })] };
    const composed = compose(emptyDefinition, [part(template, ann, template)]);
    expect(composed.recipients[0]).toMatchObject({ name: "Ann", email: "ann@example.com", routingOrder: 2 });
  });

  test("later subjects, custom fields and days go over earlier ones, and the definition over all", () => {
    const field = {
      fieldId: "1",
      name: "a",
      value: "1",
      kind: "text",
      items: [],
      show: false,
      required: false,
    } as const;
    const first = templateOf([], {
      emailSubject: "First",
      emailBlurb: "Hello",
      notification: { ...template.notification, reminderEnabled: true, reminderDelay: 3 },
      customFields: [field, { ...field, name: "b" }],
    });
    const second = templateOf([], { emailSubject: "", customFields: [{ ...field, value: "2" }] });
    const over = definition({
      notification: { reminderDelay: 5 },
      customFields: [{ ...field, name: "b", value: "3" }],
    });
    const composed = compose(over, [part(first), part(second, { emailSubject: "Inline" })]);
    expect(composed).toMatchObject({
      emailSubject: "Inline",
      emailBlurb: "Hello",
      notification: { reminderEnabled: true, reminderDelay: 5 },
    });
    expect(composed.customFields.map(({ name, value }) => name + value)).toEqual(["a2", "b3"]);
    expect(composed.name).toBeUndefined();
  });
});

describe("tabs of layers", () => {
  const text = sampleTab("text", { label: "po", x: 10, y: 20, value: "old" });
  const check = sampleTab("checkbox", { label: "agree" });
  const group = sampleTab("radio-group", { label: "color", buttons: [sampleButton("red"), sampleButton("white")] });
  const template = templateOf([role("1", "signer", { tabs: [text, text, check, group] })]);

  const withTabs = (tabs: RecipientDefinition["tabs"]) =>
    tabsOf(compose(definition({ recipients: [person({ roleName: "signer", tabs })] }), [part(template)]));

  test("set the values of all tabs with their label, and leave them where they are", () => {
    const tabs = withTabs([{ type: "text", label: "po", value: "new", locked: true, x: 0, documentId: "9" }]);
    const changed = { x: 10, y: 20, documentId: "1", value: "new", locked: true };
    expect(tabs.slice(0, 2)).toMatchObject([changed, changed]);
    expect(tabs).toHaveLength(4);
  });

  test("choose a button and check a box", () => {
    const choice = sampleButton("white", { page: 0, selected: true });
    const tabs = withTabs([
      { type: "checkbox", label: "agree", value: "true" },
      { type: "radio-group", label: "color", buttons: [choice] },
    ]);
    expect(tabs[2]?.value).toBe("true");
    expect(tabs[3]).toMatchObject({ value: "white", buttons: group.buttons });
  });

  test("are added with another label, another type or none", () => {
    const added = withTabs([
      { type: "text", label: "PO", value: "x" },
      { type: "number", label: "po" },
      { type: "text" },
    ]);
    expect(added).toHaveLength(7);
    expect(withTabs([{ label: "po", value: "any type" }])[0]?.value).toBe("any type");
  });
});

describe("documents of compositions", () => {
  const tab = (documentId: string) => sampleTab("signature", { documentId });
  const signer = (...ids: string[]) => role("1", "signer", { tabs: ids.map(tab) });

  test("are renumbered where they collide, with the tabs of their composition", () => {
    const first = templateOf([signer("1", "2")], { documents: [sampleDocument("1"), sampleDocument("2")] });
    const second = templateOf([role("1", "other", { tabs: [tab("1"), tab("3")] })], {
      documents: [sampleDocument("1"), sampleDocument("3")],
    });
    const composed = compose(emptyDefinition, [part(first), part(second)]);
    expect(namesOf(composed)).toEqual(["1 Document 1.pdf", "2 Document 2.pdf", "4 Document 1.pdf", "3 Document 3.pdf"]);
    expect(placesOf(composed, 0)).toEqual(["1", "2"]);
    expect(placesOf(composed, 1)).toEqual(["4", "3"]);
  });

  test("the same person in two compositions is one recipient with the tabs of both", () => {
    const ann = { recipients: [person({ recipientId: "1", roleName: "signer", name: "Ann", email: "a@example.com" })] };
    const again = {
      recipients: [person({ recipientId: "1", roleName: "signer", name: "Ann", email: "A@example.com" })],
    };
    const composed = compose(emptyDefinition, [
      part(templateOf([signer("1")]), ann),
      part(templateOf([signer("1")]), again),
    ]);
    expect(peopleOf(composed)).toEqual(["1 signer Ann"]);
    expect(placesOf(composed)).toEqual(["1", "2"]);
  });

  test("different people with one recipientId are told apart", () => {
    const one = { recipients: [person({ recipientId: "1", name: "Ann", email: "a@example.com" })] };
    const other = { recipients: [person({ recipientId: "1", name: "Bob", email: "b@example.com" })] };
    expect(peopleOf(compose(emptyDefinition, [part(one), part(other)]))).toEqual(["1  Ann", "2  Bob"]);
  });

  test("roles that nobody has filled are one when they are called the same, and are filled together", () => {
    const parts = [part(templateOf([signer("1")])), part(templateOf([{ ...signer("1"), recipientId: "5" }]))];
    const composed = compose(definition({ recipients: [person({ roleName: "Signer", name: "Ann" })] }), parts);
    expect(peopleOf(composed)).toEqual(["1 Signer Ann"]);
    expect(placesOf(composed)).toEqual(["1", "2"]);
  });

  const two = templateOf([signer("1", "2")], { documents: [sampleDocument("1"), sampleDocument("2")] });

  test("a document takes the place of those of the templates, and the tabs of the first stand on it", () => {
    const composed = compose(emptyDefinition, [{ ...part(two), document: file("9") }]);
    expect(namesOf(composed)).toEqual(["9 file 9"]);
    expect(placesOf(composed)).toEqual(["9"]);
    const sameId = compose(emptyDefinition, [{ ...part(two), document: file("2") }]);
    expect([namesOf(sameId), placesOf(sameId)]).toEqual([["2 file 2"], ["2"]]);
    const noId = compose(emptyDefinition, [{ ...part(two), document: file("") }]);
    expect([namesOf(noId), placesOf(noId)]).toEqual([["1 file "], ["1"]]);
  });

  test("a document without templates is added", () => {
    const inline = {
      recipients: [person({ recipientId: "1", name: "Ann", tabs: [{ type: "signature", documentId: "1" }] })],
    };
    const composed = compose(emptyDefinition, [part(two), { ...part(inline), document: file("1") }]);
    expect(namesOf(composed)).toEqual(["1 Document 1.pdf", "2 Document 2.pdf", "3 file 1"]);
    expect(placesOf(composed, 1)).toEqual(["3"]);
  });

  test("those of the definition replace the ones with their id, and are added otherwise", () => {
    const composed = compose(definition({ documents: [file("2"), file("", { order: 1 })] }), [part(two)]);
    expect(namesOf(composed)).toEqual(["3 file ", "1 Document 1.pdf", "2 file 2"]);
    expect(placesOf(composed)).toEqual(["1", "2"]);
  });
});

describe("a template with nothing over it", () => {
  const words = fc.string({ maxLength: 10 }).filter((text) => !text.includes("\0") && text.isWellFormed());
  const types = fc.constantFrom(...(Object.keys(tabDefaults) as Tab["type"][]).filter((type) => type !== "checkbox"));
  const tabs = fc.array(
    fc
      .record({ type: types, label: words, x: fc.integer({ min: 0, max: 600 }), value: words, required: fc.boolean() })
      .map(({ type, value, label, ...given }) =>
        sampleTab(type, { ...given, value, originalValue: value, label: label || type }),
      ),
    { maxLength: 4 },
  );
  const recipients = fc
    .array(
      fc.record({ roleName: words, name: words, routingOrder: fc.integer({ min: 1, max: 9 }), note: words, tabs }),
      {
        maxLength: 5,
      },
    )
    .map((all) => all.map((given, index) => sampleRecipient(String(index + 1), { ...given, email: "" })));
  const templates = fc.record({
    recipients,
    documents: fc
      .uniqueArray(fc.constantFrom("1", "2", "3", "a"), { maxLength: 4 })
      .map((ids) => ids.map(sampleDocument)),
    emailSubject: words,
    emailBlurb: words,
    reminderDelay: fc.integer({ min: 0, max: 999 }),
    expireEnabled: fc.boolean(),
  });

  test("makes the parts of the template", () => {
    fc.assert(
      fc.property(templates, ({ reminderDelay, expireEnabled, ...given }) => {
        const usual = templateOf([]);
        const notification = { ...usual.notification, reminderDelay, expireEnabled };
        const template = { ...usual, ...given, notification };
        const composed = compose(emptyDefinition, [part(template)]);
        const options = { isTemplate: false, sender: usual.sender };
        const { agreement } = createDraft(composed, [], options, sampleContext());
        expect(withoutIds(agreement)).toEqual(withoutIds(template));
      }),
      { numRuns: 200 },
    );
  });
});

describe("any compositions", () => {
  const ids = fc.uniqueArray(fc.constantFrom("1", "2", "3", "x"), { minLength: 1, maxLength: 4 });
  const documentsOfParts = fc.array(fc.tuple(ids, fc.constantFrom("1", "2"), fc.boolean()), { maxLength: 6 });

  test("leave every tab on its document, and give every document and recipient an id of its own", () => {
    fc.assert(
      fc.property(documentsOfParts, (given) => {
        const parts = given.map(([documentIds, recipientId, isFilled], index) => {
          const documents = documentIds.map(sampleDocument);
          // The label tells which document the tab stands on.
          const tabs = documents.map(({ id, documentId }) => sampleTab("text", { documentId, label: id }));
          const template = templateOf([role(recipientId, isFilled ? "signer" : `role ${index}`, { tabs })], {
            documents,
          });
          const ann = person({ roleName: "Signer", recipientId, name: "Ann", email: "ann@example.com" });
          return part(template, { recipients: isFilled ? [ann] : [] });
        });
        const composed = compose(emptyDefinition, parts);
        const byId = new Map(composed.documents.map(({ documentId, source }) => [documentId, source]));
        expect(byId.size).toBe(given.flatMap(([documentIds]) => documentIds).length);
        const tabs = composed.recipients.flatMap((recipient) => recipient.tabs);
        expect(tabs).toHaveLength(byId.size);
        for (const { documentId = "", label } of tabs) {
          expect(byId.get(documentId)).toMatchObject({ kind: "stored", document: { id: label } });
        }
        const recipientIds = composed.recipients.map(({ recipientId }) => recipientId);
        expect(new Set(recipientIds).size).toBe(recipientIds.length);
      }),
    );
  });
});

/** What an agreement is made of, without what is another one in every agreement. */
const withoutIds = ({ documents, recipients, emailSubject, emailBlurb, notification }: Agreement) => ({
  ...{ emailSubject, emailBlurb, notification },
  documents: documents.map(({ id, ...rest }) => rest),
  recipients: recipients.map(({ id, tabs, ...rest }) => ({ ...rest, tabs: tabs.map(({ tabId, ...tab }) => tab) })),
});
