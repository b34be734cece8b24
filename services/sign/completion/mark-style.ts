import type { TextStyle } from "../domain/tab.ts";
import type { MarkStyle } from "./mark.ts";

/** The nearest that can be drawn to how a tab wants its value written. */
export const markStyle = (style: TextStyle | null): MarkStyle => ({
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

/** The colours that integrations name. */
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
