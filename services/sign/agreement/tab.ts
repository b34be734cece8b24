import type { Tab as TabMessage } from "#gen/assent/sign/v1/agreement_pb.ts";

/** Of a recipient. One finish request carries the values of all tabs, so this is also its limit of values. */
export const maxTabs = 2_000;

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

/** Members that the service stores in its own form, or sets itself. */
type Own = "type" | "documentId" | "anchor" | "items" | "buttons" | "style" | "status";
type Said = {
  readonly [Name in Exclude<keyof TabMessage, Own | "$typeName" | "$unknown">]-?: Exclude<TabMessage[Name], undefined>;
};

/**
 * A field of a recipient: the members of the API with defaults filled in. Points from the upper left corner of
 * the page as displayed.
 */
export interface Tab extends Said {
  readonly type: TabType;
  /** The integration's document id; null while only an anchor gives the position. */
  readonly documentId: string | null;
  /** Kept after the tab is placed, so that the API can return it; isPlaced tells whether it is. */
  readonly anchor: Anchor | null;
  readonly isPlaced: boolean;
  readonly items: readonly ListItem[];
  readonly buttons: readonly RadioButton[];
  readonly style: TextStyle | null;
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
  /** Points; 0 for the default size. */
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

/** A match of a text. Points from the upper left corner of the page as displayed. */
export interface TextMatch {
  readonly documentId: string;
  /** Starts at 1. */
  readonly page: number;
  /** The left and right ends of the text, and its baseline. */
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
}
