import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  AnchorAlignment,
  type AnchorSchema,
  AnchorUnit,
  type RadioButtonSchema,
  type TabSchema,
  type TextStyleSchema,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { type TabKind, tabKinds, unsupportedTabs } from "../../../views/compat/tab-kinds.ts";
import type { Reader } from "./reader.ts";
import { refuseMeaningful } from "./refuse.ts";

export type TabInput = MessageInitShape<typeof TabSchema> & { readonly tabId?: string };
type AnchorInput = MessageInitShape<typeof AnchorSchema>;

/** The tabs of a `Tabs` object: one array for each kind. */
export function readTabs(tabs: Reader | undefined): TabInput[] {
  if (tabs === undefined) return [];
  refuseMeaningful(tabs, unsupportedTabs);
  return tabKinds.flatMap((kind) => tabs.objects(kind.property).map((tab) => readTab(tab, kind)));
}

/** The ids of the tabs of a `Tabs` object. */
export const readTabIds = (tabs: Reader): string[] =>
  tabKinds.flatMap(({ property, value }) =>
    tabs.objects(property).flatMap((tab) => {
      const tabId = tab.text("tabId") ?? (value === "buttons" ? groupId(tab) : undefined);
      if (tabId === undefined || tabId === "") tab.problem("tabId", "REQUIRED", "is required");
      return tabId === undefined ? [] : [tabId];
    }),
  );

/** Groups have no id of their own in DocuSign: that of a radio stands for it. */
const groupId = (group: Reader): string | undefined => {
  for (const radio of group.objects("radios")) {
    const tabId = radio.text("tabId");
    if (tabId !== undefined && tabId !== "") return tabId;
  }
  return undefined;
};

function readTab(tab: Reader, kind: TabKind): TabInput {
  const { type, variant } = kind;
  return defined({
    ...commonFields(tab),
    ...placeFields(tab),
    ...(kind.isInput || kind.value === "text" ? styleField(tab) : {}),
    ...(kind.isInput ? inputFields(tab) : {}),
    ...(kind.isDrawn ? drawnFields(tab) : {}),
    ...valueFields(tab, kind),
    type,
    ...(variant === "" ? {} : { variant }),
  });
}

const commonFields = (tab: Reader) => ({
  tabId: tab.text("tabId"),
  label: filledText(tab, "tabLabel"),
  documentId: filledText(tab, "documentId"),
  name: tab.text("name") ?? tab.text("buttonText"),
  tooltip: tab.text("tooltip"),
  tabOrder: tab.integer("tabOrder", { min: 0, max: 1_000_000 }),
  conditionLabel: tab.text("conditionalParentLabel"),
  conditionValue: tab.text("conditionalParentValue"),
  shared: tab.flag("shared"),
});

const filledText = (reader: Reader, name: string): string | undefined => {
  const text = reader.text(name);
  return text === "" ? undefined : text;
};

const placeFields = (tab: Reader) => ({
  page: pageOf(tab),
  x: tab.number("xPosition", places),
  y: tab.number("yPosition", places),
  width: sizeOf(tab, "width"),
  height: sizeOf(tab, "height"),
  anchor: readAnchor(tab),
});

const places = { min: -100_000, max: 100_000 };

/** Templates of old tools say page 0 for no page. */
function pageOf(tab: Reader): number | undefined {
  const page = tab.integer("pageNumber", { min: 0, max: 1_000_000 });
  return page === 0 ? undefined : page;
}

/** Many answers say 0 for the usual size, and come back as requests. */
function sizeOf(tab: Reader, name: string): number | undefined {
  const size = tab.number(name, { min: 0, max: 100_000 });
  return size === 0 ? undefined : size;
}

const units: ReadonlyMap<string, AnchorUnit> = new Map([
  ["pixels", AnchorUnit.PIXELS],
  ["inches", AnchorUnit.INCHES],
  ["mms", AnchorUnit.MILLIMETERS],
  ["cms", AnchorUnit.CENTIMETERS],
]);

const alignments: ReadonlyMap<string, AnchorAlignment> = new Map([
  ["left", AnchorAlignment.LEFT],
  ["right", AnchorAlignment.RIGHT],
]);

function readAnchor(tab: Reader): AnchorInput | undefined {
  const text = filledText(tab, "anchorString");
  if (text === undefined) return undefined;
  return {
    text,
    xOffset: tab.number("anchorXOffset", places) ?? 0,
    yOffset: tab.number("anchorYOffset", places) ?? 0,
    unit: tab.choice("anchorUnits", units) ?? AnchorUnit.PIXELS,
    ignoreIfAbsent: tab.flag("anchorIgnoreIfNotPresent") ?? false,
    caseSensitive: tab.flag("anchorCaseSensitive") ?? false,
    wholeWord: tab.flag("anchorMatchWholeWord") ?? false,
    alignment: tab.choice("anchorHorizontalAlignment", alignments) ?? AnchorAlignment.LEFT,
  };
}

function styleField(tab: Reader): { style?: MessageInitShape<typeof TextStyleSchema> } {
  const style = defined({
    font: filledText(tab, "font"),
    size: fontSize(tab),
    color: filledText(tab, "fontColor"),
    bold: tab.flag("bold"),
    italic: tab.flag("italic"),
    underline: tab.flag("underline"),
  });
  return Object.keys(style).length === 0 ? {} : { style };
}

/** `size12`, or the number alone. */
function fontSize(tab: Reader): number | undefined {
  const said = filledText(tab, "fontSize")?.trim().toLowerCase();
  if (said === undefined) return undefined;
  const digits = said.startsWith("size") ? said.slice("size".length) : said;
  const size = /^\d{1,3}(\.\d{1,2})?$/.test(digits) ? Number(digits) : 0;
  if (size > 0) return size;
  tab.problem("fontSize", "TYPE", "must be a size such as size12");
  return undefined;
}

const inputFields = (tab: Reader) => ({
  required: tab.flag("required"),
  locked: tab.flag("locked"),
  maxLength: tab.integer("maxLength", { min: 0, max: 1_000_000 }),
  validationPattern: tab.text("validationPattern"),
  validationMessage: tab.text("validationMessage"),
  conceal: tab.flag("concealValueOnDocument"),
});

function drawnFields(tab: Reader) {
  const optional = tab.flag("optional");
  return {
    scale: tab.number("scaleValue", { min: 0.5, max: 2 }),
    required: optional === undefined ? tab.flag("required") : !optional,
  };
}

function valueFields(tab: Reader, { value }: TabKind) {
  switch (value) {
    case "none":
      return {};
    case "text":
      return { value: tab.text("value") ?? tab.text("numericalValue") };
    case "selected": {
      const selected = tab.flag("selected");
      return { value: selected === undefined ? undefined : String(selected) };
    }
    case "items":
      return listFields(tab);
    case "buttons":
      return groupFields(tab);
  }
}

function listFields(list: Reader) {
  const items = list.objects("listItems").map((item) => {
    const text = item.text("text") ?? item.text("value") ?? "";
    return { text, value: item.text("value") ?? text, selected: item.flag("selected") ?? false };
  });
  const chosen = items.find(({ selected }) => selected)?.value;
  return { items, value: chosen ?? list.text("value") ?? list.text("listSelectedValue") };
}

function groupFields(group: Reader) {
  const radios = group.objects("radios");
  const buttons = radios.map(readButton);
  const chosen = buttons.find(({ selected }) => selected)?.value;
  return {
    tabId: group.text("tabId") ?? groupId(group),
    label: filledText(group, "groupName") ?? filledText(group, "tabLabel"),
    buttons,
    value: chosen ?? group.text("value"),
    required: anyFlag(radios, "required"),
    locked: anyFlag(radios, "locked"),
  };
}

function readButton(radio: Reader) {
  const anchor = readAnchor(radio);
  return {
    value: radio.text("value") ?? "",
    page: pageOf(radio) ?? 0,
    x: radio.number("xPosition", places) ?? 0,
    y: radio.number("yPosition", places) ?? 0,
    selected: radio.flag("selected") ?? false,
    tabId: radio.text("tabId") ?? "",
    ...(anchor === undefined ? {} : { anchor }),
  } satisfies MessageInitShape<typeof RadioButtonSchema>;
}

function anyFlag(readers: readonly Reader[], name: string): boolean | undefined {
  const said = readers.map((reader) => reader.flag(name)).filter((flag) => flag !== undefined);
  return said.length === 0 ? undefined : said.includes(true);
}

/** Without the properties that are undefined. */
export const defined = <Value extends object>(
  value: Value,
): { [Name in keyof Value]: Exclude<Value[Name], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, found]) => found !== undefined)) as never;
