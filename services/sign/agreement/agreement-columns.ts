import type pg from "pg";
import { blankTab } from "../create/tab-formats.ts";
import type { Anchor, RadioButton, Tab, TextStyle } from "./tab.ts";

/** What a member of a record is in the database. */
type ColumnType = "uuid" | "text" | "integer" | "boolean" | "jsonb" | "bytea" | "timestamptz(3)";

/** The columns of a table by the members of the records that it holds; a column has the name of its member. */
export type Columns<T> = { readonly [member in keyof T]-?: ColumnType };

/** How records of one kind travel to and from a table, as JSON. */
interface RecordColumns<T> {
  /** `a, b` */
  readonly names: string;
  /** `a uuid, b text`: what json_to_record is to make. */
  readonly definitions: string;
  /** `a = from.a, b = from.b` */
  assignments(from: string): string;
  /** `'a', of.a, 'b', of.b`: what json_build_object takes. */
  members(of: string): string;
  /** What json_to_record takes. */
  encode(record: T): Record<string, unknown>;
  /** Makes dates and bytes of what json_build_object has answered; changes the object and answers it. */
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

/** Adds a value to those of a statement and answers how the statement names it. */
export type Parameter = (value: unknown) => string;

/** A statement that writes, and can be a part of a larger one. */
export interface Write {
  /** The same name always has the same text. Short: the database knows statements by 63 characters. */
  readonly name: string;
  text(parameter: Parameter): string;
}

/**
 * Runs writes of different tables as one statement, in one round trip: foreign keys are checked at its end. Answers how
 * many rows the first one has written. All of them see the tables as they were before.
 */
export async function writeTogether(client: pg.PoolClient, writes: readonly Write[]): Promise<number> {
  if (writes.length === 0) return 0;
  const values: unknown[] = [];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  const steps = writes.map(
    ({ text }, index) => `w${index} as (${text(parameter)}${index === 0 ? " returning 1" : ""})`,
  );
  const { rows } = await client.query<{ written: number }>({
    name: `sign-${writes.map(({ name }) => name).join("-")}`,
    text: `with ${steps.join(",\n")} select count(*)::integer as written from w0`,
    values,
  });
  return rows[0]?.written ?? 0;
}
