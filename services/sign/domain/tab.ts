export type TabType =
  | "signature"
  | "initials"
  | "date-signed"
  | "full-name"
  | "first-name"
  | "last-name"
  | "email"
  | "company"
  | "title"
  | "text"
  | "number"
  | "date"
  | "checkbox"
  | "radio-group"
  | "list"
  | "note"
  | "approve"
  | "decline"
  | "attachment"
  | "agreement-id";

/** A field of a recipient. Points from the upper left corner of the page as it is shown. */
export interface Tab {
  /** UUID. */
  readonly tabId: string;
  readonly type: TabType;
  /** Tabs of a recipient with one label share their value. */
  readonly label: string;
  /** As the integration calls it; null while only an anchor says where the tab is. */
  readonly documentId: string | null;
  /** From 1. */
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Stays after the tab has been placed, so that it can be shown; isPlaced tells. */
  readonly anchor: Anchor | null;
  readonly isPlaced: boolean;
  readonly required: boolean;
  readonly locked: boolean;
  /** "true" or "false" of checkboxes; the chosen value of lists and radio groups. */
  readonly value: string;
  readonly originalValue: string;
  readonly items: readonly ListItem[];
  readonly buttons: readonly RadioButton[];
  readonly tooltip: string;
  readonly name: string;
  /** 0 for no limit. */
  readonly maxLength: number;
  readonly validationPattern: string;
  readonly validationMessage: string;
  readonly scale: number;
  readonly conditionLabel: string;
  readonly conditionValue: string;
  readonly variant: string;
  readonly style: TextStyle | null;
  readonly shared: boolean;
  /** 0 when nobody has said it. */
  readonly tabOrder: number;
  readonly conceal: boolean;
  readonly status: "active" | "signed" | "declined";
}

export interface ListItem {
  readonly text: string;
  readonly value: string;
  readonly selected: boolean;
}

export interface RadioButton {
  readonly tabId: string;
  readonly value: string;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly anchor: Anchor | null;
  readonly selected: boolean;
}

export interface TextStyle {
  readonly font: string;
  /** Points; 0 for the default. */
  readonly size: number;
  readonly color: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
}

export interface Anchor {
  readonly text: string;
  readonly xOffset: number;
  readonly yOffset: number;
  readonly unit: "pixels" | "inches" | "millimeters" | "centimeters";
  readonly ignoreIfAbsent: boolean;
  readonly caseSensitive: boolean;
  readonly wholeWord: boolean;
  readonly alignment: "left" | "right";
}

/** Where a text was found. Points from the upper left corner of the page as it is shown. */
export interface TextMatch {
  readonly documentId: string;
  /** From 1. */
  readonly page: number;
  /** The left and right ends of the text and its baseline. */
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
}
