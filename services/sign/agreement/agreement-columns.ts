import type pg from "pg";
import { blankTab } from "../create/tab-formats.ts";
import type { Anchor, RadioButton, Tab, TextStyle } from "./tab.ts";

/** The database type of a record's member. */
type ColumnType = "uuid" | "text" | "integer" | "boolean" | "jsonb" | "bytea" | "timestamptz(3)";

/** Columns keyed by record member; each column has the same name as its member. */
export type Columns<T> = { readonly [member in keyof T]-?: ColumnType };

/** Encodes and decodes the records of one table as JSON. */
interface RecordColumns<T> {
  /** `a, b` */
  readonly names: string;
  /** `a uuid, b text`: the column definitions for json_to_record. */
  readonly definitions: string;
  /** `a = from.a, b = from.b` */
  assignments(from: string): string;
  /** `'a', of.a, 'b', of.b`: the arguments of json_build_object. */
  members(of: string): string;
  /** The input of json_to_record. */
  encode(record: T): Record<string, unknown>;
  /**
   * Turns the strings in json_build_object's output back into dates and bytes. Changes the object in place and
   * returns it.
   */
  decode(parsed: Record<string, unknown>): T;
}

export function recordColumns<T>(columns: Columns<T>): RecordColumns<T> {
  const all = Object.entries<ColumnType>(columns).map(([member, type]) => ({ member, type, name: columnName(member) }));
  const converted = all.filter(({ type }) => type === "bytea" || type === "timestamptz(3)");
  return {
    names: all.map(({ name }) => name).join(", "),
    definitions: all.map(({ name, type }) => `${name} ${type}`).join(", "),
    assignments: (from) => all.map(({ name }) => `${name} = ${from}.${name}`).join(", "),
    members: (of) =>
      all.map(({ member, name, type }) => `'${member}', ${readExpression(`${of}.${name}`, type)}`).join(", "),
    encode: (record) =>
      Object.fromEntries(all.map(({ member, name, type }) => [name, encodeValue(type, record[member as keyof T])])),
    decode: (parsed) => {
      for (const { member, type } of converted) parsed[member] = decodeValue(type, parsed[member]);
      return parsed as T;
    },
  };
}

const columnName = (member: string): string => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const readExpression = (column: string, type: ColumnType): string =>
  type === "bytea" ? `encode(${column}, 'hex')` : column;

const encodeValue = (type: ColumnType, value: unknown): unknown =>
  type === "bytea" && Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value;

function decodeValue(type: ColumnType, value: unknown): unknown {
  if (typeof value !== "string") return null;
  return type === "bytea" ? Buffer.from(value, "hex") : new Date(value);
}

/** A stored tab. Older rows may lack members that were added later. */
export type StoredTab = Partial<Omit<Tab, "buttons" | "anchor" | "style">> & {
  readonly anchor?: Partial<Anchor> | null;
  readonly style?: Partial<TextStyle> | null;
  readonly buttons?: readonly StoredButton[];
};

type StoredButton = Partial<Omit<RadioButton, "anchor">> & { readonly anchor?: Partial<Anchor> | null };

/** Fills in defaults for missing members, so that a new member needs no migration of stored tabs. */
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

/** Adds a value to a statement's parameters and returns its placeholder. */
export type Parameter = (value: unknown) => string;

/** A write that can run alone or as part of a larger statement. */
export interface Write {
  /** The same name always has the same text. Keep it short: Postgres cuts statement names at 63 characters. */
  readonly name: string;
  text(parameter: Parameter): string;
}

/**
 * Runs writes to different tables as one statement, in one round trip; foreign keys are checked at its end.
 * Returns how many rows the first write changed. Every write sees the tables as they were before the statement.
 */
export async function writeTogether(client: pg.PoolClient, writes: readonly Write[]): Promise<number> {
  if (writes.length === 0) return 0;
  const values: unknown[] = [];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  const steps = writes.map(
    ({ text }, index) => `w${index} as (${text(parameter)}${index === 0 ? " returning 1" : ""})`,
  );
  const { rows } = await client.query<{ written: number }>({
    // 63 characters at most.
    name: `sign-${writes.map(({ name }) => name.slice(0, 4)).join("-")}`,
    text: `with ${steps.join(",\n")} select count(*)::integer as written from w0`,
    values,
  });
  return rows[0]?.written ?? 0;
}
