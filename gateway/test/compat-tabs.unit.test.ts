import { createRequire } from "node:module";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  bulkListView,
  customFieldsView,
  notificationView,
  readCopy,
  readCustomFields,
  readNotification,
} from "#api/compat-records.ts";
import { tabKinds, unsupportedTabs } from "#api/compat-tab-kinds.ts";
import { readTabIds, tabsView } from "#api/compat-tabs.ts";
import {
  AnchorAlignment,
  AnchorUnit,
  CustomFieldSchema,
  NotificationSchema,
  RadioButtonSchema,
  type Tab,
  TabSchema,
  TabStatus,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { BulkCopySchema, BulkListSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import { readWith } from "../compat/read/reader.ts";
import { readSupportedTabs as readTabs } from "../compat/read/recipients.ts";

/** Has no types. */
const docusign = createRequire(import.meta.url)("docusign-esign");

const owner = { id: "0197f0c0-0000-7000-8000-000000000001", recipientId: "1" };
const point = fc.integer({ min: 0, max: 200_000 }).map((hundredths) => hundredths / 100);
const size = point.filter((value) => value > 0);
const name = fc.string({ minLength: 1, maxLength: 20 });
const flag = fc.boolean();

const anchor = fc.record({
  text: name,
  xOffset: point,
  yOffset: point,
  unit: fc.constantFrom(AnchorUnit.PIXELS, AnchorUnit.INCHES, AnchorUnit.MILLIMETERS, AnchorUnit.CENTIMETERS),
  ignoreIfAbsent: flag,
  caseSensitive: flag,
  wholeWord: flag,
  alignment: fc.constantFrom(AnchorAlignment.LEFT, AnchorAlignment.RIGHT),
});

const style = fc.record({
  font: name,
  size: fc.integer({ min: 1, max: 72 }),
  color: name,
  bold: flag,
  italic: flag,
  underline: flag,
});

/** A tab of any kind, with everything that its kind can say. */
const anyTab = fc.constantFrom(...tabKinds).chain((kind) => {
  const values = fc.uniqueArray(name, { minLength: 1, maxLength: 4 });
  return fc
    .record({
      common: fc.record({
        tabId: fc.uuid(),
        label: name,
        documentId: name,
        tooltip: name,
        conditionLabel: name,
        conditionValue: fc.string(),
      }),
      placed: fc.record({
        page: fc.integer({ min: 1, max: 2_000 }),
        x: point,
        y: point,
        width: size,
        height: size,
        name,
        tabOrder: fc.integer({ min: 1, max: 999 }),
        anchor,
      }),
      input: fc.record({
        required: flag,
        locked: flag,
        maxLength: fc.integer({ min: 1, max: 4_000 }),
        validationPattern: name,
        validationMessage: name,
        conceal: flag,
      }),
      buttons: fc.array(fc.record({ page: fc.integer({ min: 1, max: 9 }), x: point, y: point, anchor }), {
        minLength: 4,
        maxLength: 4,
      }),
      style,
      values,
      text: fc.string(),
      scale: fc.integer({ min: 5, max: 20 }).map((tenths) => tenths / 10),
      flags: fc.tuple(flag, flag),
    })
    .map(({ common, placed, input, buttons, style: written, values: choices, text, scale, flags }): Tab => {
      const chosen = choices[0] ?? "";
      const value = { none: undefined, text, selected: String(flags[0]), items: chosen, buttons: chosen }[kind.value];
      const isGroup = kind.value === "buttons";
      return create(TabSchema, {
        ...common,
        ...(isGroup ? { required: flags[0], locked: flags[1] } : placed),
        ...(kind.isInput ? input : {}),
        ...(kind.isInput || kind.value === "text" ? { style: written } : {}),
        ...(kind.isDrawn ? { scale, required: flags[0] } : {}),
        ...(value === undefined ? {} : { value }),
        items:
          kind.value === "items"
            ? choices.map((one) => ({ text: `Choice ${one}`, value: one, selected: one === chosen }))
            : [],
        buttons: isGroup
          ? choices.map((one, index) => ({
              ...buttons[index],
              tabId: crypto.randomUUID(),
              value: one,
              selected: one === chosen,
            }))
          : [],
        type: kind.type,
        ...(kind.variant === "" ? {} : { variant: kind.variant }),
        status: TabStatus.ACTIVE,
      });
    });
});

/** What comes back: not what only the service says, and where anchors were found in whole points. */
function asRead(tab: Tab): Tab {
  const buttons = tab.buttons.map((button) => create(RadioButtonSchema, { ...button }));
  const read = create(TabSchema, { ...tab, buttons, status: TabStatus.UNSPECIFIED });
  for (const placed of [read, ...read.buttons]) {
    if (placed.anchor === undefined) continue;
    if (placed.x !== undefined) placed.x = Math.round(placed.x) + 0;
    if (placed.y !== undefined) placed.y = Math.round(placed.y) + 0;
  }
  return read;
}

const readBack = (written: unknown): Tab[] => readWith(written, readTabs).map((tab) => create(TabSchema, tab as never));

describe("tabs", () => {
  test("are read as they were written, whatever their kind", () => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    fc.assert(
      fc.property(fc.array(anyTab, { maxLength: 8 }), (tabs) => {
        const written = JSON.parse(JSON.stringify(tabsView(tabs, owner)));
        const byId = (one: Tab, other: Tab): number => (one.tabId < other.tabId ? -1 : 1);
        expect(readBack(written).sort(byId)).toEqual(tabs.map(asRead).sort(byId));
        expect(new Set(readWith(written, readTabIds))).toEqual(new Set(tabs.map(({ tabId }) => tabId)));
      }),
      { seed, numRuns: 200 },
    );
  });

  test("go through the models of the SDK unchanged", () => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    fc.assert(
      fc.property(fc.array(anyTab, { maxLength: 4 }), (tabs) => {
        const written = JSON.parse(JSON.stringify(tabsView(tabs, owner)));
        const read = JSON.parse(JSON.stringify(docusign.Tabs.constructFromObject(written)));
        expect(Object.keys(read).sort()).toEqual(Object.keys(written).sort());
        for (const [property, list] of Object.entries<object[]>(read)) {
          // The SDK's model of groups knows no tabId, that of others no selectedOriginal.
          list.forEach((tab, index) => {
            expect(written[property][index]).toMatchObject(tab);
          });
        }
      }),
      { seed, numRuns: 50 },
    );
  });

  test("are read however they are spelled: numbers, capitals, a radio's id for its group's", () => {
    const body = {
      SignHereTabs: [
        { DocumentId: 1, PageNumber: 1, XPosition: 100, yPosition: "148.5", optional: "TRUE", height: "0" },
      ],
      checkboxTabs: [{ tabLabel: "ck", selected: true, tabOrder: "", anchorString: "x", anchorUnits: "Pixels" }],
      textTabs: [{ tabLabel: "t", value: 12, fontSize: "Size12", required: "false", tooltip: null }],
      radioGroupTabs: [
        {
          groupName: "g",
          radios: [
            { tabId: "r1", value: "a" },
            { value: "b", selected: "true" },
          ],
        },
      ],
      viewTabs: [],
      tabGroups: null,
      somethingElse: 1,
    };
    const [sign, text, box, group] = readBack(body);
    expect(sign).toMatchObject({ documentId: "1", page: 1, x: 100, y: 148.5, required: false });
    expect(sign?.height).toBeUndefined();
    expect(box).toMatchObject({ label: "ck", value: "true", anchor: { text: "x", unit: AnchorUnit.PIXELS } });
    expect(text).toMatchObject({ value: "12", style: { size: 12 }, required: false });
    expect(group).toMatchObject({ tabId: "r1", label: "g", value: "b" });
  });

  test.each(unsupportedTabs.map((property) => [property]))("of the kind %s are refused by name", (property) => {
    expect(() => readWith({ [property]: [{ tabLabel: "x" }] }, readTabs)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ field: property, code: "NOT_SUPPORTED" })] }),
    );
  });
});

describe("what answers say of other parts of an envelope means the same when it is sent", () => {
  const days = fc.integer({ min: 0, max: 999 });
  const notification = fc.record({
    reminderEnabled: flag,
    reminderDelay: days,
    reminderFrequency: days,
    expireEnabled: flag,
    expireAfter: days,
    expireWarn: days,
  });
  const line = fc.string({ maxLength: 20 });
  const field = fc.record({
    fieldId: fc.integer({ min: 1 }).map(String),
    name: line,
    value: line,
    show: flag,
    required: flag,
  });
  const fields = fc.record({
    texts: fc.array(field.map((one) => ({ ...one, isList: false, items: [] }))),
    lists: fc.array(
      fc.record({ one: field, items: fc.array(name) }).map(({ one, items }) => ({ ...one, isList: true, items })),
    ),
  });
  const recipient = fc.record(
    {
      recipientId: fc.integer({ min: 1 }).map(String),
      ...{ name: line, email: line, roleName: line, clientUserId: line, note: line, hostName: line, hostEmail: line },
      tabs: fc.array(fc.record({ label: line, value: line })),
    },
    { requiredKeys: ["recipientId", "tabs"] },
  );
  const copy = fc.record(
    {
      emailSubject: line,
      emailBlurb: line,
      recipients: fc.array(recipient),
      customFields: fc.array(fc.record({ name: line, value: line, show: fc.constant(true) })),
    },
    { requiredKeys: ["recipients", "customFields"] },
  );

  test("of reminders, custom fields and copies of bulk lists", () => {
    fc.assert(
      fc.property(notification, fields, fc.array(copy), (reminding, { texts, lists }, copies) => {
        const said = create(NotificationSchema, reminding);
        expect(create(NotificationSchema, readWith(notificationView(said), readNotification))).toEqual(said);
        const all = [...texts, ...lists].map((one) => create(CustomFieldSchema, one));
        const again = readWith(customFieldsView(all), readCustomFields);
        expect(again.map((one) => create(CustomFieldSchema, one))).toEqual(all);
        const list = create(BulkListSchema, { id: "1", name: "a", copies });
        const { bulkCopies } = bulkListView(list) as unknown as { readonly bulkCopies: readonly object[] };
        expect(bulkCopies.map((one) => create(BulkCopySchema, readWith(one, readCopy)))).toEqual(list.copies);
      }),
      { seed: Number(process.env.SEED ?? Date.now() % 2 ** 31), numRuns: 200 },
    );
  });
});
