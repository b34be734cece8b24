import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  AnchorSchema,
  TabSchema,
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

const tabTypes = {
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
} as const satisfies Record<TabType, WireType>;

export const wireTabType = (type: TabType): WireType => tabTypes[type];

const statuses = {
  active: WireStatus.ACTIVE,
  signed: WireStatus.SIGNED,
  declined: WireStatus.DECLINED,
} as const satisfies Record<Tab["status"], WireStatus>;

const units = {
  pixels: WireUnit.PIXELS,
  inches: WireUnit.INCHES,
  millimeters: WireUnit.MILLIMETERS,
  centimeters: WireUnit.CENTIMETERS,
} as const satisfies Record<Anchor["unit"], WireUnit>;

const alignments = { left: WireAlignment.LEFT, right: WireAlignment.RIGHT } as const satisfies Record<
  Anchor["alignment"],
  WireAlignment
>;

const tabs = recordsOf(TabSchema, { type: tabTypes, status: statuses });
const anchors = recordsOf(AnchorSchema, { unit: units, alignment: alignments });

/** The API message of a tab. */
export const tabMessage = ({ buttons, anchor, ...tab }: Tab): MessageInitShape<typeof TabSchema> =>
  tabs.write({
    ...tab,
    anchor: anchor && anchors.write(anchor),
    buttons: buttons.map((button) => ({
      ...button,
      anchor: button.anchor === null ? undefined : anchors.write(button.anchor),
    })),
  });

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

const typeOf = nameReader(tabTypes);

function parseType(type: WireType, field: string): TabType | undefined {
  if (type === WireType.UNSPECIFIED) return undefined;
  const known = typeOf(type);
  if (known === undefined) throw invalid(problem(`${field}.type`, "ENUM", "must be a known type"));
  return known;
}

const parseButton = ({ value, page, x, y, anchor, selected, tabId }: WireButton): RadioButton => ({
  ...{ value, page, x, y, selected, tabId: tabId.toLowerCase() },
  anchor: anchor === undefined ? null : parseAnchor(anchor),
});

const unitOf = nameReader(units);
const alignmentOf = nameReader(alignments);

function parseAnchor(message: WireAnchor): Anchor | null {
  const { text, xOffset, yOffset, ignoreIfAbsent, caseSensitive, wholeWord } = message;
  if (text === "") return null;
  return {
    ...{ text, xOffset, yOffset, ignoreIfAbsent, caseSensitive, wholeWord },
    unit: unitOf(message.unit) ?? "pixels",
    alignment: alignmentOf(message.alignment) ?? "left",
  };
}

/** Drops the members that only protobuf messages have. */
function fieldsOf<T extends { readonly $typeName: string }>({ $typeName, ...fields }: T): Omit<T, "$typeName"> {
  const { $unknown, ...known } = fields as typeof fields & { $unknown?: unknown };
  return known as unknown as Omit<T, "$typeName">;
}
