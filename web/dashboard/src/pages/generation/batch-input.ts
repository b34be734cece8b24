interface BatchRow {
  readonly ref?: string;
  readonly data: Record<string, unknown>;
}

/** What is wrong with what was pasted; lines begin with 1. */
export type InputProblem =
  | { readonly kind: "empty" | "no_list" | "bad_json" }
  | { readonly kind: "too_many"; readonly count: number }
  | { readonly kind: "bad_quotes" | "wrong_cells"; readonly line: number }
  | { readonly kind: "bad_item"; readonly index: number };

export type BatchInput = { readonly rows: readonly BatchRow[] } | { readonly problem: InputProblem };

export const maxRows = 500;
/** The column, and the part of a JSON item, that names the item. */
const refColumn = "ref";

/**
 * Rows from JSON (a list of objects) or from CSV whose first line names the values, such as "ref,customer.name,price".
 * Cells are texts; where the template takes a number or a truth value they become that.
 */
export function readBatchInput(text: string, fields: readonly DataField[]): BatchInput {
  const trimmed = text.trim();
  if (trimmed === "") return { problem: { kind: "empty" } };
  const read = trimmed.startsWith("[") || trimmed.startsWith("{") ? readJson(trimmed) : readCsv(trimmed, fields);
  if (!("rows" in read)) return read;
  if (read.rows.length === 0) return { problem: { kind: "empty" } };
  return read.rows.length > maxRows ? { problem: { kind: "too_many", count: read.rows.length } } : read;
}

function readJson(text: string): BatchInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: { kind: "bad_json" } };
  }
  if (!Array.isArray(value)) return { problem: { kind: "no_list" } };
  const wrong = value.findIndex((item) => !isObject(item));
  if (wrong !== -1) return { problem: { kind: "bad_item", index: wrong } };
  return { rows: value.map(rowOfItem) };
}

/** Either the data itself, or an item as the API takes it: { ref, data }. */
function rowOfItem(item: Record<string, unknown>): BatchRow {
  const { ref, data, ...others } = item;
  const name = typeof ref === "string" && ref !== "" ? { ref } : {};
  if (isObject(data) && Object.keys(others).length === 0) return { ...name, data };
  return { ...name, data: item };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readCsv(text: string, fields: readonly DataField[]): BatchInput {
  const lines = splitCsv(text);
  if (!Array.isArray(lines)) return { problem: lines };
  const [head, ...rest] = lines;
  if (head === undefined) return { problem: { kind: "empty" } };
  const names = head.cells.map((name) => name.trim());
  const wrong = rest.find(({ cells }) => cells.length !== names.length);
  if (wrong !== undefined) return { problem: { kind: "wrong_cells", line: wrong.line } };
  const types = new Map(fields.map(({ path, types }) => [path, types]));
  return { rows: rest.map(({ cells }) => rowOfCells(names, cells, types)) };
}

function rowOfCells(
  names: readonly string[],
  cells: readonly string[],
  types: ReadonlyMap<string, readonly string[]>,
): BatchRow {
  const data = new Map<string, unknown>();
  let ref = "";
  for (const [index, name] of names.entries()) {
    const cell = cells[index] ?? "";
    if (name === refColumn) ref = cell.trim();
    // An empty cell is a value that is not there.
    else if (name !== "" && cell !== "") put(data, name.split("."), valueIn(cell, types.get(name)));
  }
  return { ...(ref === "" ? {} : { ref }), data: plain(data) };
}

/** Maps first, so that a column of any name is no more than a name. */
function put(data: Map<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    data.set(name, value);
    return;
  }
  const inner = data.get(name);
  const within = inner instanceof Map ? inner : new Map<string, unknown>();
  data.set(name, within);
  put(within, rest, value);
}

const plain = (data: ReadonlyMap<string, unknown>): Record<string, unknown> =>
  Object.fromEntries([...data].map(([name, value]) => [name, value instanceof Map ? plain(value) : value]));

const numberForm = /^-?\d{1,15}(\.\d{1,15})?$/;

function valueIn(cell: string, types: readonly string[] = ["string"]): unknown {
  if (types.includes("string") || types.includes("date")) return cell;
  const text = cell.trim();
  if (types.includes("number") && numberForm.test(text)) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return cell;
}

interface CsvLine {
  readonly line: number;
  readonly cells: readonly string[];
}

/** RFC 4180, separated by what the first line is separated by: comma, semicolon or tab. Empty lines count as not there. */
function splitCsv(text: string): CsvLine[] | InputProblem {
  const separator = separatorOf(text);
  const lines: CsvLine[] = [];
  let row: { line: number; cells: string[] } = { line: 1, cells: [] };
  let line = 1;
  for (let at = 0; at <= text.length; at += 1) {
    const { cell, end } = readCell(text, at, separator);
    if (end === unclosed) return { kind: "bad_quotes", line };
    line += linesIn(text, at, end);
    row.cells.push(cell);
    at = end;
    if (text[end] === separator) continue;
    if (row.cells.length > 1 || row.cells[0] !== "") lines.push(row);
    line += 1;
    row = { line, cells: [] };
  }
  return lines;
}

const unclosed = -1;

/** The cell that begins here, and where the character is that ends it. */
function readCell(text: string, from: number, separator: string): { readonly cell: string; readonly end: number } {
  if (text[from] === '"') return readQuoted(text, from, separator);
  const end = endOfPlain(text, from, separator);
  return { cell: withoutReturn(text.slice(from, end)), end };
}

function readQuoted(text: string, from: number, separator: string): { readonly cell: string; readonly end: number } {
  let close = text.indexOf('"', from + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1) return { cell: "", end: unclosed };
  const end = endOfPlain(text, close + 1, separator);
  const quoted = text.slice(from + 1, close).replaceAll('""', '"');
  return { cell: quoted + withoutReturn(text.slice(close + 1, end)), end };
}

function endOfPlain(text: string, from: number, separator: string): number {
  for (let at = from; at < text.length; at += 1) if (text[at] === separator || text[at] === "\n") return at;
  return text.length;
}

const withoutReturn = (cell: string): string => (cell.endsWith("\r") ? cell.slice(0, -1) : cell);

const linesIn = (text: string, from: number, to: number): number => text.slice(from, to).split("\n").length - 1;

function separatorOf(text: string): string {
  const [head = ""] = text.split("\n", 1);
  const count = (separator: string) => head.split(separator).length;
  return [",", ";", "\t"].reduce((best, other) => (count(other) > count(best) ? other : best));
}

/** A value that a template takes. */
export interface DataField {
  /** Such as "customer.name", or "items[].price" for each of a list. */
  readonly path: string;
  /** As JSON Schema names them; "date" for a text that is one. */
  readonly types: readonly string[];
  readonly isRequired: boolean;
}

interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly format?: string;
  readonly anyOf?: readonly Node[];
}

/** What a schema asks for, in the order in which it names it. Only what holds values, not what holds those. */
export function fieldsOf(schema: unknown): DataField[] {
  const fields: DataField[] = [];
  collect((schema ?? {}) as Node, "", true, fields);
  return fields;
}

function collect(node: Node, path: string, isRequired: boolean, fields: DataField[]): void {
  const { properties, items } = node;
  if (properties !== undefined) {
    const needed = new Set(node.required);
    for (const [name, child] of Object.entries(properties)) {
      collect(child, path === "" ? name : `${path}.${name}`, isRequired && needed.has(name), fields);
    }
  } else if (items !== undefined) collect(items, `${path}[]`, isRequired, fields);
  else if (path !== "") fields.push({ path, types: typesOf(node), isRequired });
}

function typesOf({ type, format, anyOf = [] }: Node): string[] {
  if ([format, ...anyOf.map((one) => one.format)].includes("date")) return ["date"];
  return typeof type === "string" ? [type] : [...(type ?? [])];
}
