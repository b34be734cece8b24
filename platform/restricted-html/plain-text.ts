import { escapeHtml } from "./serialize.ts";

/**
 * A plain text as HTML: lines between blank lines become paragraphs, line ends within them line breaks. Nothing in the
 * text is markup.
 */
export function plainTextToHtml(text: string): string {
  const paragraphs: string[][] = [[]];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line.trim() === "") paragraphs.push([]);
    else paragraphs.at(-1)?.push(escapeHtml(line));
  }
  return paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => `<p>${lines.join("<br>\n")}</p>\n`)
    .join("");
}
