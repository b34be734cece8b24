import { micromark } from "micromark";
import { gfmTable, gfmTableHtml } from "micromark-extension-gfm-table";
import { escapeHtml } from "#platform/escape-html.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The properties of a schema as a table, those of objects within it too. */
export const propertiesHtml = (schema: Json): string =>
  table(
    ["Field", "Type", "Meaning"],
    rowsOf(schema, "").map(({ path, type, isRequired, description }) => [
      `${code(path)}${isRequired ? "" : ' <small class="optional">optional</small>'}`,
      type,
      inline(description),
    ]),
  );

/** The name of a named schema, for the address of its section. */
export const schemaId = (name: string): string => `schema-${escaped(name)}`;

interface Row {
  readonly path: string;
  /** As HTML. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: unknown;
}

function rowsOf(schema: Json, path: string): Row[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).flatMap(([name, property]) => {
    const own = path === "" ? name : `${path}.${name}`;
    const row: Row = {
      path: own,
      type: typeHtml(property),
      isRequired: required.includes(name),
      description: property.description ?? "",
    };
    const { items, additionalProperties } = property as { items?: Json; additionalProperties?: Json };
    return [
      row,
      ...rowsOf(property, own),
      ...(items === undefined ? [] : rowsOf(items, `${own}[]`)),
      ...(typeof additionalProperties === "object" ? rowsOf(additionalProperties, `${own}.*`) : []),
    ];
  });
}

/** What a value may be, in a few words. */
export function typeHtml(schema: Json): string {
  if (typeof schema.$ref === "string") return linkTo(schema.$ref);
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (schema.type === undefined && Array.isArray(choices)) return choices.map(typeHtml).join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(value)).join(" | ");
  const types = [schema.type ?? "any value"].flat().map((type) => oneTypeHtml(String(type), schema));
  return [types.join(" or "), ...limitsOf(schema)].join(", ");
}

function oneTypeHtml(type: string, { format, items }: Json): string {
  if (type === "array") return `list of ${typeHtml((items ?? {}) as Json)}`;
  return type === "string" && typeof format === "string" ? escaped(format) : escaped(type);
}

const digits = new Intl.NumberFormat("en");
const grouped = (value: unknown): string => digits.format(Number(value));

function limitsOf({ minLength, maxLength, minimum, maximum, maxItems }: Json): string[] {
  const range = (from: unknown, to: unknown, unit: string): string[] =>
    to === undefined ? [] : [`${grouped(from ?? 0)}–${grouped(to)}${unit}`];
  return [
    ...range(minLength, maxLength, " characters"),
    ...range(minimum, maximum, ""),
    ...(maxItems === undefined ? [] : [`at most ${grouped(maxItems)}`]),
  ];
}

function linkTo(reference: string): string {
  const name = reference.replace("#/components/schemas/", "");
  return `<a href="#${schemaId(name)}">${escaped(name)}</a>`;
}

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
