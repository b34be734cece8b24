import {
  type Anchor,
  AnchorAlignment,
  AnchorUnit,
  type RadioButton,
  type Tab,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { anchorAlignments, anchorUnits, tabStatuses, tabTypes } from "./names.ts";
import { textOrNull } from "./texts.ts";

export const tabView = (tab: Tab) => ({
  tabId: tab.tabId,
  type: tabTypes.nameOf(tab.type),
  label: tab.label ?? null,
  documentId: textOrNull(tab.documentId),
  page: tab.page ?? null,
  x: tab.x ?? null,
  y: tab.y ?? null,
  width: tab.width ?? null,
  height: tab.height ?? null,
  anchor: anchorView(tab.anchor),
  required: tab.required ?? false,
  locked: tab.locked ?? false,
  value: tab.value ?? null,
  items: tab.items.map(({ text, value, selected }) => ({ text, value, selected })),
  buttons: tab.buttons.map(buttonView),
  tooltip: textOrNull(tab.tooltip),
  maxLength: tab.maxLength === 0 ? null : (tab.maxLength ?? null),
  validationPattern: textOrNull(tab.validationPattern),
  validationMessage: textOrNull(tab.validationMessage),
  scale: tab.scale ?? null,
  condition:
    (tab.conditionLabel ?? "") === ""
      ? null
      : { label: tab.conditionLabel ?? null, value: textOrNull(tab.conditionValue) },
  shared: tab.shared ?? false,
  status: tabStatuses.nameOf(tab.status),
});

const anchorView = (anchor: Anchor | undefined) =>
  anchor === undefined
    ? null
    : {
        text: anchor.text,
        xOffset: anchor.xOffset,
        yOffset: anchor.yOffset,
        unit: anchorUnits.nameOf(anchor.unit || AnchorUnit.PIXELS),
        alignment: anchorAlignments.nameOf(anchor.alignment || AnchorAlignment.LEFT),
        caseSensitive: anchor.caseSensitive,
        wholeWord: anchor.wholeWord,
        ignoreIfAbsent: anchor.ignoreIfAbsent,
      };

const buttonView = ({ tabId, value, page, x, y, anchor, selected }: RadioButton) => ({
  tabId: textOrNull(tabId),
  value,
  page: page === 0 ? null : page,
  x,
  y,
  anchor: anchorView(anchor),
  selected,
});
