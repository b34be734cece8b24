import type {
  Anchor as WireAnchor,
  RadioButton as WireButton,
  Tab as WireTab,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { AnchorAlignment, AnchorUnit, TabType as WireType } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { TabDefinition } from "../domain/definition.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { Anchor, RadioButton, TabType } from "../domain/tab.ts";
import { given } from "./given.ts";
import { wireTabTypes } from "./tab-messages.ts";

/** Names problems after the place in the list: `<field>[0].type`. Throws VALIDATION_FAILED. */
export const parseTabs = (messages: readonly WireTab[], field: string): readonly TabDefinition[] =>
  messages.map((message, index) => parseTab(message, `${field}[${index}]`));

function parseTab(message: WireTab, field: string): TabDefinition {
  // What only the service says of a tab is not taken from anybody.
  const { originalValue, status, type, tabId, documentId, style, anchor, items, buttons, ...plain } = fieldsOf(message);
  return {
    ...given({ ...plain, type: parseType(type, field) }),
    // Without a document it is where it was, or nowhere yet.
    ...(documentId === undefined || documentId === "" ? {} : { documentId }),
    ...(tabId === "" ? {} : { tabId: tabId.toLowerCase() }),
    ...(style === undefined ? {} : { style: fieldsOf(style) }),
    // Without a text there is no anchor, which takes away the one that was there.
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

/** Without what only messages have. */
function fieldsOf<T extends { readonly $typeName: string }>({ $typeName, ...fields }: T): Omit<T, "$typeName"> {
  const { $unknown, ...known } = fields as typeof fields & { $unknown?: unknown };
  return known as unknown as Omit<T, "$typeName">;
}
