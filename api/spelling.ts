import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type InitOf, isoOf, type JsonSchema } from "./kinds.ts";

/** An object as clients of the compatible interface send it. What cannot be read is collected as a problem. */
export interface Spoken {
  text(name: string): string | undefined;
  flag(name: string): boolean | undefined;
  number(name: string, range?: Range): number | undefined;
  integer(name: string, range?: Range): number | undefined;
  choice<Value>(name: string, values: ReadonlyMap<string, Value>): Value | undefined;
  /** Undefined when there is none. */
  object(name: string): Spoken | undefined;
  objects(name: string): readonly Spoken[];
  texts(name: string): readonly string[];
  problem(name: string, code: string, message: string): void;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** A value of an answer of the compatible interface: texts, and what is made of them. */
export type Written = string | readonly Written[] | { readonly [name: string]: Written };
export type Fields = Readonly<Record<string, Written | undefined>>;

/** How the compatible interface spells a value: always as a text. What is undefined is left out. */
export interface Spelling<Value> {
  read(from: Spoken, name: string): Value | undefined;
  write(value: Value): string | undefined;
}

const unlessEmpty = <Value>(value: Value, empty: Value): Value | undefined => (value === empty ? undefined : value);

export const words: Spelling<string> = { read: (from, name) => from.text(name), write: (value) => value };
/** An empty text is sent to take away what was there, and not shown. */
export const clearable: Spelling<string> = { ...words, write: (value) => unlessEmpty(value, "") };
/** An empty text says nothing. */
export const filled: Spelling<string> = {
  read: (from, name) => unlessEmpty(from.text(name), ""),
  write: (value) => unlessEmpty(value, ""),
};
export const flag: Spelling<boolean> = { read: (from, name) => from.flag(name), write: (value) => String(value) };
/** Shown only while it is true. */
export const mark: Spelling<boolean> = { ...flag, write: (value) => (value ? "true" : undefined) };

/** Without the space around it, as ids are written. */
export const trimmed: Spelling<string> = { ...words, read: (from, name) => from.text(name)?.trim() };
/** A moment of an answer: ISO 8601 in UTC with seven digits of a second. */
export const moment: Spelling<Timestamp> = {
  read: () => undefined,
  write: (value) => isoOf(value).replace("Z", "0000Z"),
};

/** A number that is shown whatever it is. */
export const amount = (max: number): Spelling<number> => ({
  read: (from, name) => from.integer(name, { min: 0, max }),
  write: String,
});
/** A number that is as good as absent when it is zero. */
export const whole = (max: number): Spelling<number> => ({
  read: (from, name) => from.integer(name, { min: 0, max }),
  write: (value) => (value === 0 ? undefined : String(value)),
});
/** The same for what says zero when nothing is meant, as old tools do of pages. */
export const wholeAboveZero = (max: number): Spelling<number> => ({
  ...whole(max),
  read: (from, name) => unlessEmpty(from.integer(name, { min: 0, max }), 0),
});
export const exact = (min: number, max: number): Spelling<number> => ({
  read: (from, name) => from.number(name, { min, max }),
  write: String,
});
const farthest = 100_000;
/** A place on a page: without the noise of floating point. */
export const point: Spelling<number> = {
  read: (from, name) => from.number(name, { min: -farthest, max: farthest }),
  write: (value) => String(Math.round(value * 100) / 100),
};
/** Many answers say 0 for the usual size, and come back as requests. */
export const size: Spelling<number> = {
  ...point,
  read: (from, name) => unlessEmpty(from.number(name, { min: 0, max: farthest }), 0),
};

/** A value of an enum; the first one is meant when nothing is said, and written for what has no name here. */
export function oneOf<Value extends number>(names: Readonly<Record<string, Value>>): Spelling<Value> {
  const values = new Map(Object.entries(names));
  const [[usualName, usual]] = [...values] as [[string, Value]];
  const byValue = new Map([...values].map(([name, value]) => [value, name]));
  return {
    read: (from, name) => from.choice(name, values) ?? usual,
    write: (value) => byValue.get(value) ?? usualName,
  };
}

/** Where a property stands in the message, how it is spelled, an example, and whether answers may be without it. */
type Places<M> = {
  [Name in keyof M & string]: readonly [Name, Spelling<NonNullable<M[Name]>>, string?, "sometimes"?];
}[keyof M & string];

/** What the compatible interface calls the fields of a message. */
export interface Face<D extends DescMessage> {
  read(from: Spoken): InitOf<D>;
  write(message: Partial<MessageShape<D>>): { readonly [name: string]: Written };
  /** Of what is written. */
  readonly schema: JsonSchema;
}

/** Throws when the message has no such field; `others` are what whoever answers adds. */
export function faceOf<D extends DescMessage>(
  desc: D,
  table: Readonly<Record<string, Places<MessageShape<D>>>>,
  others: Readonly<Record<string, JsonSchema>> = {},
): Face<D> {
  const rows = Object.entries(table).map(([property, [field, spelling, example, presence]]) => {
    if (desc.field[field] === undefined) throw new Error(`${desc.typeName} has no ${field}`);
    return { property, field, spelling: spelling as Spelling<unknown>, example, presence };
  });
  const shown = rows.map(({ property, example }) => [property, { type: "string", examples: [example] }] as const);
  return {
    schema: {
      type: "object",
      properties: { ...Object.fromEntries(shown), ...others },
      required: rows.flatMap(({ property, presence }) => (presence === undefined ? [property] : [])),
    },
    read: (from) => {
      const init: Record<string, unknown> = {};
      for (const { property, field, spelling } of rows) {
        const value = spelling.read(from, property);
        if (value !== undefined) init[field] = value;
      }
      return init as never;
    },
    write: (message) => {
      const written: Record<string, Written> = {};
      for (const { property, field, spelling } of rows) {
        const value = (message as Readonly<Record<string, unknown>>)[field];
        const said = value === undefined ? undefined : spelling.write(value);
        if (said !== undefined) written[property] = said;
      }
      return written;
    },
  };
}

/** An example, what an answer says of a message, and whether answers may be without it. */
type Told<M> = readonly [example: string, tell: (of: M) => string | undefined, presence?: "sometimes"];

/** What answers of the compatible interface say of a message in texts of their own. What is undefined is left out. */
export function tellingOf<M>(table: Readonly<Record<string, Told<M>>>) {
  const rows = Object.entries(table);
  return {
    examples: Object.fromEntries(rows.map(([name, [example]]) => [name, example])),
    required: rows.flatMap(([name, [, , presence]]) => (presence === undefined ? [name] : [])),
    write: (message: M): { readonly [name: string]: Written } => {
      const written: Record<string, Written> = {};
      for (const [name, [, tell]] of rows) {
        const text = tell(message);
        if (text !== undefined) written[name] = text;
      }
      return written;
    },
  };
}

/** Texts that are the same in every answer. */
export const always = (texts: Readonly<Record<string, string>>): Readonly<Record<string, Told<unknown>>> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, [text, () => text]]));

export const sampleId = "01961234-5678-7abc-8def-0123456789ab";
export const sampleTime = "2026-11-20T17:00:00.1230000Z";
