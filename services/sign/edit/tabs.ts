import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  AnchorAlignment,
  type AnchorSchema,
  AnchorUnit,
  type TabSchema,
  AnchorAlignment as WireAlignment,
  type Anchor as WireAnchor,
  type RadioButton as WireButton,
  TabStatus as WireStatus,
  type Tab as WireTab,
  TabType as WireType,
  AnchorUnit as WireUnit,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import type { TabDefinition } from "../agreement/definition.ts";
import { invalid, problem } from "../agreement/problems.ts";
import type { Anchor, RadioButton, Tab, TabType } from "../agreement/tab.ts";

/** The API message of a tab. */
export function tabMessage(tab: Tab): MessageInitShape<typeof TabSchema> {
  const { type, documentId, anchor, style, status, buttons, isPlaced, items, ...same } = tab;
  return {
    ...same,
    items: [...items],
    type: wireTabTypes[type],
    status: wireStatuses[status],
    buttons: buttons.map((button) => ({ ...button, ...anchorOf(button.anchor) })),
    ...(documentId === null ? {} : { documentId }),
    ...anchorOf(anchor),
    ...(style === null ? {} : { style }),
  };
}

const anchorOf = (anchor: Anchor | null) => ({ anchor: anchor === null ? undefined : anchorMessage(anchor) });

const anchorMessage = (anchor: Anchor): MessageInitShape<typeof AnchorSchema> => ({
  ...anchor,
  unit: wireUnits[anchor.unit],
  alignment: wireAlignments[anchor.alignment],
});

const wireTabTypes: Readonly<Record<TabType, WireType>> = {
  signature: WireType.SIGNATURE,
  initials: WireType.INITIALS,
  "date-signed": WireType.DATE_SIGNED,
  "full-name": WireType.FULL_NAME,
  "first-name": WireType.FIRST_NAME,
  "last-name": WireType.LAST_NAME,
  email: WireType.EMAIL,
  company: WireType.COMPANY,
  title: WireType.TITLE,
  text: WireType.TEXT,
  number: WireType.NUMBER,
  date: WireType.DATE,
  checkbox: WireType.CHECKBOX,
  "radio-group": WireType.RADIO_GROUP,
  list: WireType.LIST,
  note: WireType.NOTE,
  approve: WireType.APPROVE,
  decline: WireType.DECLINE,
  attachment: WireType.ATTACHMENT,
  "agreement-id": WireType.AGREEMENT_ID,
};

const wireStatuses: Readonly<Record<Tab["status"], WireStatus>> = {
  active: WireStatus.ACTIVE,
  signed: WireStatus.SIGNED,
  declined: WireStatus.DECLINED,
};

const wireUnits: Readonly<Record<Anchor["unit"], WireUnit>> = {
  pixels: WireUnit.PIXELS,
  inches: WireUnit.INCHES,
  millimeters: WireUnit.MILLIMETERS,
  centimeters: WireUnit.CENTIMETERS,
};

const wireAlignments: Readonly<Record<Anchor["alignment"], WireAlignment>> = {
  left: WireAlignment.LEFT,
  right: WireAlignment.RIGHT,
};

/** Parses tabs. Problems name fields by list position: `<field>[0].type`. Throws VALIDATION_FAILED. */
export const parseTabs = (messages: readonly WireTab[], field: string): readonly TabDefinition[] =>
  messages.map((message, index) => parseTab(message, `${field}[${index}]`));

function parseTab(message: WireTab, field: string): TabDefinition {
  // Read-only members are ignored in requests.
  const { originalValue, status, type, tabId, documentId, style, anchor, items, buttons, ...plain } = fieldsOf(message);
  return {
    ...defined({ ...plain, type: parseType(type, field) }),
    // Without a document the tab keeps its place, or has none yet.
    ...(documentId === undefined || documentId === "" ? {} : { documentId }),
    ...(tabId === "" ? {} : { tabId: tabId.toLowerCase() }),
    ...(style === undefined ? {} : { style: fieldsOf(style) }),
    // An anchor without a text removes the tab's anchor.
    ...(anchor === undefined ? {} : { anchor: parseAnchor(anchor) }),
    ...(items.length === 0 ? {} : { items: items.map(fieldsOf) }),
    ...(buttons.length === 0 ? {} : { buttons: buttons.map(parseButton) }),
  };
}

const types: ReadonlyMap<WireType, TabType> = new Map(
  Object.entries(wireTabTypes).map(([type, wire]) => [wire, type as TabType]),
);

function parseType(type: WireType, field: string): TabType | undefined {
  if (type === WireType.UNSPECIFIED) return undefined;
  const known = types.get(type);
  if (known === undefined) throw invalid(problem(`${field}.type`, "ENUM", "must be a known type"));
  return known;
}

const parseButton = ({ value, page, x, y, anchor, selected, tabId }: WireButton): RadioButton => ({
  ...{ value, page, x, y, selected, tabId: tabId.toLowerCase() },
  anchor: anchor === undefined ? null : parseAnchor(anchor),
});

const units: ReadonlyMap<AnchorUnit, Anchor["unit"]> = new Map([
  [AnchorUnit.INCHES, "inches"],
  [AnchorUnit.MILLIMETERS, "millimeters"],
  [AnchorUnit.CENTIMETERS, "centimeters"],
]);

function parseAnchor(message: WireAnchor): Anchor | null {
  const { text, xOffset, yOffset, ignoreIfAbsent, caseSensitive, wholeWord } = message;
  if (text === "") return null;
  return {
    ...{ text, xOffset, yOffset, ignoreIfAbsent, caseSensitive, wholeWord },
    unit: units.get(message.unit) ?? "pixels",
    alignment: message.alignment === AnchorAlignment.RIGHT ? "right" : "left",
  };
}

/** Drops the members that only protobuf messages have. */
function fieldsOf<T extends { readonly $typeName: string }>({ $typeName, ...fields }: T): Omit<T, "$typeName"> {
  const { $unknown, ...known } = fields as typeof fields & { $unknown?: unknown };
  return known as unknown as Omit<T, "$typeName">;
}
