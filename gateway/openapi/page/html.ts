import { micromark } from "micromark";
import { gfmTable, gfmTableHtml } from "micromark-extension-gfm-table";
import { escapeHtml } from "#platform/escape-html.ts";

/** A text as it may stand between tags and in quoted attributes. */
export const escaped = (value: unknown): string => escapeHtml(String(value));

/** Markdown as HTML. What looks like HTML in it is shown as text. */
export const markdown = (text: unknown): string =>
  micromark(String(text ?? ""), { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] });

/** Markdown that stands in a line: its only paragraph, without the element around it. */
export const inline = (text: unknown): string =>
  // Most have nothing to be read, and a page has thousands of them.
  marks.test(String(text)) ? markdown(text).replaceAll(/^<p>|<\/p>$/g, "") : escaped(text);

const marks = /[`*_[\]<>&\\\n]|^(\d+[.)]|[-+#])\s/;

export const code = (value: unknown): string => `<code>${escaped(value)}</code>`;

export const codeBlock = (text: string, label: string): string =>
  `<pre tabindex="0" aria-label="${escaped(label)}"><code>${escaped(text)}</code></pre>`;

export const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string => {
  if (rows.length === 0) return "";
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
};

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
