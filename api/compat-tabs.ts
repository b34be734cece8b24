import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Anchor,
  AnchorAlignment,
  AnchorSchema,
  AnchorUnit,
  type RadioButton,
  RadioButtonSchema,
  type Recipient,
  type Tab,
  TabSchema,
  TabStatus,
  TextStyleSchema,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { kindOf, type TabKind, tabKinds } from "./compat-tab-kinds.ts";
import {
  clearable,
  exact,
  type Fields,
  faceOf,
  filled,
  flag,
  mark,
  oneOf,
  point,
  type Spelling,
  type Spoken,
  size,
  type Written,
  whole,
  wholeAboveZero,
  words,
} from "./spelling.ts";

/** `size12`, or the number alone. */
const fontSize: Spelling<number> = {
  read: (from, name) => {
    const said = filled.read(from, name)?.trim().toLowerCase();
    if (said === undefined) return undefined;
    const digits = said.startsWith("size") ? said.slice("size".length) : said;
    const points = /^\d{1,3}(\.\d{1,2})?$/.test(digits) ? Number(digits) : 0;
    if (points > 0) return points;
    from.problem(name, "TYPE", "must be a size such as size12");
    return undefined;
  },
  write: (value) => (value === 0 ? undefined : `size${value}`),
};

const everyTab = faceOf(TabSchema, {
  tabId: ["tabId", words],
  documentId: ["documentId", filled],
  tooltip: ["tooltip", clearable],
  shared: ["shared", mark],
});
const labelled = faceOf(TabSchema, { tabLabel: ["label", filled], tabOrder: ["tabOrder", whole(1_000_000)] });
const conditional = faceOf(TabSchema, {
  conditionalParentLabel: ["conditionLabel", clearable],
  conditionalParentValue: ["conditionValue", words],
});
const placed = faceOf(TabSchema, {
  pageNumber: ["page", wholeAboveZero(1_000_000)],
  xPosition: ["x", point],
  yPosition: ["y", point],
  width: ["width", size],
  height: ["height", size],
});
const filledIn = faceOf(TabSchema, {
  required: ["required", flag],
  locked: ["locked", flag],
  maxLength: ["maxLength", whole(1_000_000)],
  validationPattern: ["validationPattern", clearable],
  validationMessage: ["validationMessage", clearable],
  concealValueOnDocument: ["conceal", flag],
});
const drawn = faceOf(TabSchema, { scaleValue: ["scale", exact(0.5, 2)] });
const styled = faceOf(TextStyleSchema, {
  font: ["font", filled],
  fontSize: ["size", fontSize],
  fontColor: ["color", filled],
  bold: ["bold", flag],
  italic: ["italic", flag],
  underline: ["underline", flag],
});
const units = { pixels: AnchorUnit.PIXELS, inches: AnchorUnit.INCHES, mms: AnchorUnit.MILLIMETERS };
const anchored = faceOf(AnchorSchema, {
  anchorString: ["text", words],
  anchorXOffset: ["xOffset", exact(-100_000, 100_000)],
  anchorYOffset: ["yOffset", exact(-100_000, 100_000)],
  anchorUnits: ["unit", oneOf({ ...units, cms: AnchorUnit.CENTIMETERS })],
  anchorIgnoreIfNotPresent: ["ignoreIfAbsent", flag],
  anchorCaseSensitive: ["caseSensitive", flag],
  anchorMatchWholeWord: ["wholeWord", flag],
  anchorHorizontalAlignment: ["alignment", oneOf({ left: AnchorAlignment.LEFT, right: AnchorAlignment.RIGHT })],
});
const radio = faceOf(RadioButtonSchema, {
  tabId: ["tabId", filled],
  value: ["value", words],
  pageNumber: ["page", wholeAboveZero(1_000_000)],
  xPosition: ["x", point],
  yPosition: ["y", point],
  selected: ["selected", flag],
});

export type TabInput = MessageInitShape<typeof TabSchema> & { readonly tabId?: string };
type Owner = Pick<Recipient, "id" | "recipientId">;

/** The tabs of a `Tabs` object: one array for each kind. */
export const readTabs = (tabs: Spoken): TabInput[] =>
  tabKinds.flatMap((kind) => tabs.objects(kind.property).map((tab) => readTab(tab, kind)));

/** The ids of the tabs of a `Tabs` object. */
export const readTabIds = (tabs: Spoken): string[] =>
  tabKinds.flatMap(({ property, value }) =>
    tabs.objects(property).flatMap((tab) => {
      const tabId = tab.text("tabId") ?? (value === "buttons" ? groupId(tab) : undefined);
      if (tabId === undefined || tabId === "") tab.problem("tabId", "REQUIRED", "is required");
      return tabId === undefined ? [] : [tabId];
    }),
  );

/** The `Tabs` object of a recipient: arrays for the kinds that there are. */
export function tabsView(tabs: readonly Tab[], owner: Owner): { readonly [name: string]: Written } {
  const kinds = new Map<string, Written[]>();
  for (const tab of tabs) {
    const kind = kindOf(tab.type, tab.variant ?? "");
    if (kind === undefined) continue;
    const written = kinds.get(kind.property) ?? [];
    written.push(defined(kind.value === "buttons" ? groupView(tab, owner) : tabView(tab, kind, owner)));
    kinds.set(kind.property, written);
  }
  return Object.fromEntries(kinds);
}

function readTab(tab: Spoken, kind: TabKind): TabInput {
  const { type, variant } = kind;
  const name = tab.text("name") ?? tab.text("buttonText");
  const style = hasStyle(kind) ? styled.read(tab) : {};
  const required = requiredOf(tab);
  return {
    ...everyTab.read(tab),
    ...labelled.read(tab),
    ...conditional.read(tab),
    ...placed.read(tab),
    ...readAnchor(tab),
    ...(name === undefined ? {} : { name }),
    ...(Object.keys(style).length === 0 ? {} : { style }),
    ...(kind.isInput ? filledIn.read(tab) : {}),
    ...(kind.isDrawn ? drawn.read(tab) : {}),
    ...(kind.isDrawn && required !== undefined ? { required } : {}),
    ...defined(readValue(tab, kind)),
    type,
    ...(variant === "" ? {} : { variant }),
  };
}

function tabView(tab: Tab, kind: TabKind, { id, recipientId }: Owner): Fields {
  const isDecision = kind.property === "approveTabs" || kind.property === "declineTabs";
  return {
    ...everyTab.write(tab),
    ...labelled.write(tab),
    tabType: kind.name,
    [isDecision ? "buttonText" : "name"]: clearable.write(tab.name ?? ""),
    recipientId,
    recipientIdGuid: id,
    status: statuses.get(tab.status) ?? "active",
    templateLocked: "false",
    templateRequired: "false",
    ...conditionView(tab),
    ...placed.write(inWholePoints(tab)),
    ...anchorView(tab),
    ...(hasStyle(kind) && tab.style !== undefined ? styled.write(tab.style) : {}),
    ...(kind.isInput ? filledIn.write(tab) : {}),
    ...(kind.isDrawn ? drawn.write(tab) : {}),
    ...(kind.isDrawn && tab.required !== undefined ? { optional: String(!tab.required) } : {}),
    ...valueView(tab, kind),
  };
}

/** Tabs that show text on the page have a style for it. */
const hasStyle = ({ isInput, value }: TabKind): boolean => isInput || value === "text";

/** What is drawn is said to be optional rather than required. */
function requiredOf(tab: Spoken): boolean | undefined {
  const optional = tab.flag("optional");
  return optional === undefined ? tab.flag("required") : !optional;
}

const conditionView = (tab: Tab): Fields => ((tab.conditionLabel ?? "") === "" ? {} : conditional.write(tab));

const statuses: ReadonlyMap<TabStatus, string> = new Map([
  [TabStatus.ACTIVE, "active"],
  [TabStatus.SIGNED, "signed"],
  [TabStatus.DECLINED, "declined"],
]);

const readAnchor = (from: Spoken): { readonly anchor?: MessageInitShape<typeof AnchorSchema> } =>
  filled.read(from, "anchorString") === undefined ? {} : { anchor: anchored.read(from) };

/** Anchors stay visible after the tab has been placed, beside where it was placed. */
const anchorView = ({ anchor }: { readonly anchor?: Anchor | undefined }): Fields =>
  anchor === undefined ? {} : anchored.write(anchor);

/** Where anchors were found is said in whole points, as DocuSign says it: many clients read integers. */
function inWholePoints<T extends Pick<Tab | RadioButton, "x" | "y" | "anchor">>(of: T): T {
  if (of.anchor === undefined) return of;
  const { x, y } = of;
  return { ...of, ...defined({ x: x && Math.round(x), y: y && Math.round(y) }) };
}

function readValue(tab: Spoken, { value }: TabKind) {
  switch (value) {
    case "none":
      return {};
    case "text":
      return { value: tab.text("value") ?? tab.text("numericalValue") };
    case "selected":
      return { value: tab.flag("selected")?.toString() };
    case "items":
      return readItems(tab);
    case "buttons":
      return readGroup(tab);
  }
}

function valueView({ value, originalValue, items }: Tab, { value: how }: TabKind): Fields {
  const original = clearable.write(originalValue);
  switch (how) {
    case "none":
    case "buttons":
      return {};
    case "text":
      return { value: value ?? "", originalValue: original };
    case "selected":
      return { selected: String(value === "true"), selectedOriginal: original };
    case "items": {
      const isChosen = (item: Tab["items"][number]) => (value === undefined ? item.selected : item.value === value);
      const listItems = items.map((item) => ({
        text: item.text,
        value: item.value,
        selected: String(isChosen(item)),
      }));
      return { value: value ?? "", originalValue: original, listItems };
    }
  }
}

function readItems(list: Spoken) {
  const items = list.objects("listItems").map((item) => {
    const text = item.text("text") ?? item.text("value") ?? "";
    return { text, value: item.text("value") ?? text, selected: item.flag("selected") ?? false };
  });
  const chosen = items.find(({ selected }) => selected)?.value;
  return { items, value: chosen ?? list.text("value") ?? list.text("listSelectedValue") };
}

/** Groups have no id of their own in DocuSign: that of a radio stands for it. */
const groupId = (group: Spoken): string | undefined =>
  group.objects("radios").flatMap((one) => filled.read(one, "tabId") ?? [])[0];

/** Whether radios are required or locked is said of each of them, and holds for the group. */
function readGroup(group: Spoken) {
  const radios = group.objects("radios");
  const buttons = radios.map((one) => ({ ...radio.read(one), ...readAnchor(one) }));
  const anyFlag = (name: string): boolean | undefined => {
    const said = radios.flatMap((one) => one.flag(name) ?? []);
    return said.length === 0 ? undefined : said.includes(true);
  };
  return {
    tabId: group.text("tabId") ?? groupId(group),
    label: filled.read(group, "groupName") ?? filled.read(group, "tabLabel"),
    buttons,
    value: buttons.find(({ selected }) => selected)?.value ?? group.text("value"),
    required: anyFlag("required"),
    locked: anyFlag("locked"),
  };
}

function groupView(tab: Tab, { id, recipientId }: Owner): Fields {
  const isChosen = ({ value, selected }: RadioButton) => ((tab.value ?? "") === "" ? selected : value === tab.value);
  const { required, locked } = filledIn.write(tab);
  return {
    ...everyTab.write(tab),
    tabType: "radiogroup",
    groupName: tab.label,
    recipientId,
    recipientIdGuid: id,
    value: tab.value ?? "",
    originalValue: clearable.write(tab.originalValue),
    templateLocked: "false",
    templateRequired: "false",
    ...conditionView(tab),
    radios: tab.buttons.map((button) =>
      defined({
        ...radio.write(inWholePoints(button)),
        ...anchorView(button),
        selected: String(isChosen(button)),
        required,
        locked,
        status: statuses.get(tab.status) ?? "active",
      }),
    ),
  };
}
