import type { AdoptedSignature, Agreement, Recipient } from "../agreement/agreement.ts";
import type { Tab, TextStyle } from "../agreement/tab.ts";
import type { Mark, MarkStyle } from "./mark.ts";
import { mayRunRightToLeft } from "./text-lines.ts";

/** The marks to draw on a document when everybody has signed. */
export const marksOf = (agreement: Agreement, documentId: string): Mark[] =>
  agreement.recipients
    .filter(({ status }) => status === "completed")
    .flatMap((recipient) =>
      recipient.tabs
        .filter((tab) => tab.isPlaced && tab.documentId === documentId && !tab.conceal)
        .flatMap((tab) => marksOfTab(tab, recipient, agreement)),
    );

function marksOfTab(tab: Tab, recipient: Recipient, agreement: Agreement): Mark[] {
  switch (tab.type) {
    case "signature":
      return signatureMarks(tab, recipient, recipient.signature);
    case "initials":
      return signatureMarks(tab, recipient, recipient.initials);
    case "checkbox":
      return tab.value === "true" ? [{ kind: "check", isRound: false, ...boxOf(tab) }] : [];
    case "radio-group":
      return radioMarks(tab);
    case "list":
      return textMark(tab, tab.items.find(({ value }) => value === tab.value)?.text ?? tab.value);
    case "agreement-id":
      return textMark(tab, agreement.id);
    // Buttons are for acting and are not part of the signed document.
    case "approve":
    case "decline":
    case "note":
    case "attachment":
      return [];
    default:
      return textMark(tab, tab.value);
  }
}

const boxOf = ({ page, x, y, width, height }: Tab) => ({ page, x, y, width, height });

const textMark = (tab: Tab, text: string): Mark[] =>
  text === "" ? [] : [{ kind: "text", text, style: markStyle(tab.style), ...boxOf(tab) }];

/** An optional tab that was left empty draws nothing. */
function signatureMarks(tab: Tab, recipient: Recipient, adopted: AdoptedSignature | null): Mark[] {
  if (adopted === null || tab.status !== "signed") return [];
  const caption = `${isolated(recipient.name)}, ${recipient.completedAt?.toISOString().slice(0, 16).replace("T", " ") ?? ""} UTC`;
  const typed = { text: adopted.typed || recipient.name, font: adopted.font, caption, ...boxOf(tab) };
  return [
    adopted.drawnPng === "" ? { kind: "signature", ...typed } : { kind: "image", png: adopted.drawnPng, ...typed },
  ];
}

/** Isolates the name, so that a right-to-left name does not reorder the text beside it (UAX #9). */
const isolated = (name: string): string => (mayRunRightToLeft(name) ? `\u200e\u2068${name}\u2069` : name);

const radioMarks = (tab: Tab): Mark[] =>
  tab.buttons
    .filter(({ value }) => tab.value !== "" && value === tab.value)
    .map(({ page, x, y }) => ({ kind: "check", isRound: true, page, x, y, width: radioSize, height: radioSize }));

const radioSize = 12;

/** The closest style we can draw for a tab's text style. */
const markStyle = (style: TextStyle | null): MarkStyle => ({
  family: familyOf(style?.font.toLowerCase() ?? ""),
  size: Math.min(Math.max(style?.size ?? 0, 0), 72),
  color: colorOf(style?.color.toLowerCase() ?? ""),
  bold: style?.bold ?? false,
  italic: style?.italic ?? false,
  underline: style?.underline ?? false,
});

function familyOf(font: string): MarkStyle["family"] {
  if (font.includes("courier") || font.includes("console") || font.includes("ocr")) return "mono";
  const isSerif = ["times", "georgia", "garamond", "bookantiqua", "mincho"].some((name) => font.includes(name));
  return isSerif ? "serif" : "sans";
}

/** Colours that integrations may name. */
const colors: ReadonlyMap<string, string> = new Map([
  ["black", "#000000"],
  ["white", "#ffffff"],
  ["brightblue", "#0000ff"],
  ["brightred", "#ff0000"],
  ["darkgreen", "#006400"],
  ["darkred", "#8b0000"],
  ["gold", "#ffd700"],
  ["green", "#008000"],
  ["navyblue", "#000080"],
  ["purple", "#800080"],
]);

function colorOf(color: string): MarkStyle["color"] {
  const hex = colors.get(color) ?? color;
  if (hex.length !== 7 || !/^#[0-9a-f]{6}$/.test(hex)) return [0, 0, 0];
  const part = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}
