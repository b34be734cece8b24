import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { InitOf } from "./kinds.ts";

type Enums<M> = { readonly [Name in keyof M]?: Readonly<Record<string, number>> };
type NameIn<Enum> = Exclude<keyof Enum & string, "UNSPECIFIED">;
type Kept<T> = T extends Timestamp ? Date : T extends undefined ? null : T;

/** A message as a service keeps it: times as dates, enums by their names, null for what is not there. */
export type RecordOf<M, E = unknown> = {
  -readonly [Name in keyof M as Name extends "$typeName" | "$unknown" ? never : Name]-?: Name extends keyof E
    ? NameIn<E[Name]> | null
    : Kept<M[Name]>;
};

/** What may be written: the members that the message has, and null or undefined for those that it shall not have. */
type Writable<M, E> = { readonly [Name in keyof M]?: WritableField<M, E, Name> };
type WritableField<M, E, Name extends keyof M> = Name extends keyof E
  ? NameIn<E[Name]> | null | undefined
  : M[Name] extends Timestamp | undefined
    ? Date | null | undefined
    : unknown;

export interface Records<D extends DescMessage, E> {
  read(message: MessageShape<D>): RecordOf<MessageShape<D>, E>;
  write(record: Writable<MessageShape<D>, E>): InitOf<D>;
  /** The members that a mask names as a whole, and by their holders the members of members that it names. */
  masked(message: MessageShape<D>, paths: readonly string[]): Masked<RecordOf<MessageShape<D>, E>>;
}

export interface Masked<R> {
  readonly changes: Partial<R>;
  readonly parts: Readonly<Record<string, readonly string[]>>;
  /** What the message has no field for. */
  readonly unknown: readonly string[];
}

/** Passes between messages of one type and records, by closures that are made once. */
export function recordsOf<D extends DescMessage, const E extends Enums<MessageShape<D>>>(
  desc: D,
  enums: E = {} as E,
): Records<D, E> {
  const fields = desc.fields.map((field) => fieldOf(field, (enums as Record<string, unknown>)[field.localName]));
  const byPath = new Map(fields.map((field) => [field.path, field]));
  const record = (message: Values, wanted: readonly Field[]) => {
    const values: Values = {};
    for (const { name, read } of wanted) values[name] = read(message[name]);
    return values;
  };
  return {
    read: (message) => record(message as Values, fields) as never,
    write: (values) => {
      const init: Values = {};
      for (const { name, write } of fields) {
        const value = (values as Values)[name];
        if (value !== undefined && value !== null) init[name] = write(value);
      }
      return init as never;
    },
    masked: (message, paths) => {
      const whole = paths.flatMap((path) => byPath.get(path) ?? []);
      const parts: Record<string, readonly string[]> = {};
      const unknown: string[] = [];
      for (const path of paths) {
        if (byPath.has(path)) continue;
        const [holder, part] = path.split(/\.(.*)/s, 2) as [string, string | undefined];
        const field = byPath.get(holder);
        const inner = field?.parts.get(part ?? "");
        if (field === undefined || inner === undefined) unknown.push(path);
        else parts[field.name] = [...(parts[field.name] ?? []), inner];
      }
      return { changes: record(message as Values, whole) as never, parts, unknown };
    },
  };
}

type Values = Record<string, unknown>;

interface Field {
  readonly name: string;
  readonly path: string;
  /** The names of the fields within, by their paths. */
  readonly parts: ReadonlyMap<string, string>;
  read(value: unknown): unknown;
  write(value: unknown): unknown;
}

function fieldOf(field: DescField, names: unknown): Field {
  const inner = field.fieldKind === "message" ? field.message.fields : [];
  const parts = new Map(inner.map(({ name, localName }) => [name, localName]));
  return { name: field.localName, path: field.name, parts, ...codecOf(field, names) };
}

function codecOf(field: DescField, names: unknown): Pick<Field, "read" | "write"> {
  if (field.fieldKind === "message" && field.message.typeName === "google.protobuf.Timestamp") {
    return {
      read: (time) => (time === undefined ? null : timestampDate(time as Timestamp)),
      write: (date) => timestampFromDate(date as Date),
    };
  }
  if (field.fieldKind === "enum" && names !== undefined) {
    const known = field.enum.values.filter(({ number }) => number !== 0);
    const byNumber = new Map(known.map(({ number, localName }) => [number, localName]));
    const byName = new Map(known.map(({ number, localName }) => [localName, number]));
    return { read: (number) => byNumber.get(number as number) ?? null, write: (name) => byName.get(name as string) };
  }
  return { read: (value) => value ?? null, write: (value) => value };
}
