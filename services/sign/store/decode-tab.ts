import type { Anchor, RadioButton, Tab, TextStyle } from "../domain/tab.ts";
import { blankTab } from "../domain/tab-defaults.ts";

/** A tab as it was written, maybe before all of today's members were there. */
export type StoredTab = Partial<Omit<Tab, "buttons" | "anchor" | "style">> & {
  readonly anchor?: Partial<Anchor> | null;
  readonly style?: Partial<TextStyle> | null;
  readonly buttons?: readonly StoredButton[];
};

type StoredButton = Partial<Omit<RadioButton, "anchor">> & { readonly anchor?: Partial<Anchor> | null };

/** The tab with defaults for whatever was not written; so members can be added without touching what is stored. */
export function decodeTab(stored: StoredTab): Tab {
  const { anchor, style, buttons = [] } = stored;
  return {
    ...blankTab,
    ...stored,
    anchor: decodeAnchor(anchor),
    style: style ? { ...defaultStyle, ...style } : null,
    buttons: buttons.map((button) => ({ ...defaultButton, ...button, anchor: decodeAnchor(button.anchor) })),
  };
}

const decodeAnchor = (anchor: Partial<Anchor> | null | undefined): Anchor | null =>
  anchor ? { ...defaultAnchor, ...anchor } : null;

const defaultAnchor: Anchor = {
  text: "",
  xOffset: 0,
  yOffset: 0,
  unit: "pixels",
  ignoreIfAbsent: false,
  caseSensitive: false,
  wholeWord: false,
  alignment: "left",
};

const defaultButton: RadioButton = { tabId: "", value: "", page: 1, x: 0, y: 0, anchor: null, selected: false };

const defaultStyle: TextStyle = { font: "", size: 0, color: "", bold: false, italic: false, underline: false };
