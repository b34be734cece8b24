import {
  type Anchor,
  AnchorAlignment,
  AnchorUnit,
  type Recipient,
  type Tab,
  TabStatus,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { filled, flagText, pointText, present, type Written } from "./scalars.ts";
import { kindOf, type TabKind } from "./tab-kinds.ts";

type Fields = Readonly<Record<string, Written | undefined>>;
type Owner = Pick<Recipient, "id" | "recipientId">;

/** The `Tabs` object of a recipient: arrays for the kinds that there are. */
export function tabsView(tabs: readonly Tab[], owner: Owner): { readonly [name: string]: Written } {
  const kinds = new Map<string, Written[]>();
  for (const tab of tabs) {
    const kind = kindOf(tab.type, tab.variant ?? "");
    if (kind === undefined) continue;
    const written = kinds.get(kind.property) ?? [];
    written.push(tabView(tab, kind, owner));
    kinds.set(kind.property, written);
  }
  return Object.fromEntries(kinds);
}

function tabView(tab: Tab, kind: TabKind, owner: Owner): Written {
  if (kind.value === "buttons") return groupView(tab, owner);
  return present({
    ...commonFields(tab, kind, owner),
    ...placeFields(tab),
    ...(kind.isInput || kind.value === "text" ? styleFields(tab) : {}),
    ...(kind.isInput ? inputFields(tab) : {}),
    ...(kind.isDrawn ? drawnFields(tab) : {}),
    ...valueFields(tab, kind),
  });
}

const commonFields = (tab: Tab, { name: tabType, property }: TabKind, { id, recipientId }: Owner): Fields => ({
  tabId: tab.tabId,
  tabType,
  tabLabel: tab.label,
  [property === "approveTabs" || property === "declineTabs" ? "buttonText" : "name"]: filled(tab.name),
  tooltip: filled(tab.tooltip),
  documentId: filled(tab.documentId),
  recipientId,
  recipientIdGuid: id,
  status: statuses.get(tab.status) ?? "active",
  templateLocked: "false",
  templateRequired: "false",
  ...conditionFields(tab),
  tabOrder: tab.tabOrder === undefined || tab.tabOrder === 0 ? undefined : String(tab.tabOrder),
  shared: tab.shared === true ? "true" : undefined,
});

const conditionFields = ({ conditionLabel, conditionValue }: Tab): Fields =>
  conditionLabel === undefined || conditionLabel === ""
    ? {}
    : { conditionalParentLabel: conditionLabel, conditionalParentValue: conditionValue };

const statuses: ReadonlyMap<TabStatus, string> = new Map([
  [TabStatus.ACTIVE, "active"],
  [TabStatus.SIGNED, "signed"],
  [TabStatus.DECLINED, "declined"],
]);

/** Anchors stay visible after the tab has been placed, beside where it was placed. */
const placeFields = ({ page, x, y, width, height, anchor }: Tab): Fields => ({
  pageNumber: page === undefined || page === 0 ? undefined : String(page),
  xPosition: placeText(x, anchor),
  yPosition: placeText(y, anchor),
  width: optionalPoint(width),
  height: optionalPoint(height),
  ...anchorFields(anchor),
});

/** Where anchors were found is said in whole points, as DocuSign says it: many clients read integers. */
const placeText = (value: number | undefined, anchor: Anchor | undefined): string | undefined =>
  optionalPoint(value === undefined || anchor === undefined ? value : Math.round(value));

const optionalPoint = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : pointText(value);

const unitNames: ReadonlyMap<AnchorUnit, string> = new Map([
  [AnchorUnit.INCHES, "inches"],
  [AnchorUnit.MILLIMETERS, "mms"],
  [AnchorUnit.CENTIMETERS, "cms"],
]);

const anchorFields = (anchor: Anchor | undefined): Fields =>
  anchor === undefined
    ? {}
    : {
        anchorString: anchor.text,
        anchorXOffset: String(anchor.xOffset),
        anchorYOffset: String(anchor.yOffset),
        anchorUnits: unitNames.get(anchor.unit) ?? "pixels",
        anchorIgnoreIfNotPresent: flagText(anchor.ignoreIfAbsent),
        anchorCaseSensitive: flagText(anchor.caseSensitive),
        anchorMatchWholeWord: flagText(anchor.wholeWord),
        anchorHorizontalAlignment: anchor.alignment === AnchorAlignment.RIGHT ? "right" : "left",
      };

const styleFields = ({ style }: Tab): Fields =>
  style === undefined
    ? {}
    : {
        font: filled(style.font),
        fontSize: style.size === 0 ? undefined : `size${style.size}`,
        fontColor: filled(style.color),
        bold: flagText(style.bold),
        italic: flagText(style.italic),
        underline: flagText(style.underline),
      };

const inputFields = (tab: Tab): Fields => ({
  required: optionalFlag(tab.required),
  locked: optionalFlag(tab.locked),
  maxLength: tab.maxLength === undefined || tab.maxLength === 0 ? undefined : String(tab.maxLength),
  validationPattern: filled(tab.validationPattern),
  validationMessage: filled(tab.validationMessage),
  concealValueOnDocument: optionalFlag(tab.conceal),
});

const optionalFlag = (flag: boolean | undefined): string | undefined =>
  flag === undefined ? undefined : flagText(flag);

const drawnFields = ({ scale, required }: Tab): Fields => ({
  scaleValue: scale === undefined ? undefined : String(scale),
  optional: required === undefined ? undefined : flagText(!required),
});

function valueFields({ value, originalValue, items }: Tab, { value: how }: TabKind): Fields {
  switch (how) {
    case "none":
    case "buttons":
      return {};
    case "text":
      return { value: value ?? "", originalValue: filled(originalValue) };
    case "selected":
      return { selected: value === "true" ? "true" : "false", selectedOriginal: filled(originalValue) };
    case "items":
      return {
        value: value ?? "",
        originalValue: filled(originalValue),
        listItems: items.map((item) => ({
          text: item.text,
          value: item.value,
          selected: flagText(value === undefined ? item.selected : item.value === value),
        })),
      };
  }
}

const groupView = (tab: Tab, { id, recipientId }: Owner): Written =>
  present({
    tabId: tab.tabId,
    tabType: "radiogroup",
    groupName: tab.label,
    documentId: filled(tab.documentId),
    recipientId,
    recipientIdGuid: id,
    value: tab.value ?? "",
    originalValue: filled(tab.originalValue),
    tooltip: filled(tab.tooltip),
    shared: tab.shared === true ? "true" : undefined,
    templateLocked: "false",
    templateRequired: "false",
    ...conditionFields(tab),
    radios: tab.buttons.map((button) =>
      present({
        tabId: filled(button.tabId),
        value: button.value,
        pageNumber: button.page === 0 ? undefined : String(button.page),
        xPosition: placeText(button.x, button.anchor),
        yPosition: placeText(button.y, button.anchor),
        ...anchorFields(button.anchor),
        selected: flagText(tab.value === undefined || tab.value === "" ? button.selected : button.value === tab.value),
        required: optionalFlag(tab.required),
        locked: optionalFlag(tab.locked),
        status: statuses.get(tab.status) ?? "active",
      }),
    ),
  });
