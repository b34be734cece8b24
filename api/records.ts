import { type DescField, type DescMessage, type MessageShape, ScalarType } from "@bufbuild/protobuf";
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
type Writable<D extends DescMessage, E, M = MessageShape<D>> = {
  readonly [Name in keyof M]?: WritableField<D, E, Name> | null | undefined;
};
type WritableField<D extends DescMessage, E, Name> = Name extends keyof E
  ? NameIn<E[Name]>
  : Name extends keyof MessageShape<D> & keyof InitOf<D>
    ? MessageShape<D>[Name] extends Timestamp | undefined
      ? Date
      : MessageShape<D>[Name] extends bigint | undefined
        ? bigint | number
        : Fixed<InitOf<D>[Name]>
    : never;
type Fixed<T> = T extends readonly (infer Item)[] ? readonly Fixed<Item>[] : T extends object ? Readonly<T> : T;

export interface Records<D extends DescMessage, E> {
  read(message: MessageShape<D>): RecordOf<MessageShape<D>, E>;
  write(record: Writable<D, E>): InitOf<D>;
  /** The members that a mask names as a whole, and by their holders the members of members that it names. */
  masked(message: MessageShape<D>, paths: readonly string[]): Masked<RecordOf<MessageShape<D>, E>>;
}

export interface Masked<R> {
  readonly changes: Partial<R>;
  readonly parts: Readonly<Record<string, readonly string[]>>;
  /** What the message has no field for. */
  readonly unknown: readonly string[];
}

/**
 * Passes between messages of one type and records, by closures that are made once. `enums` has the names of the numbers:
 * the contract's own, or those that the service uses.
 */
export function recordsOf<D extends DescMessage, const E extends Enums<MessageShape<D>> = Record<never, never>>(
  desc: D,
  enums?: E,
): Records<D, E> {
  const fields = desc.fields.map((field) =>
    fieldOf(field, (enums as Record<string, unknown> | undefined)?.[field.localName]),
  );
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
    const numbers = names as Readonly<Record<string, number>>;
    const read = nameReader(numbers);
    return { read: (number) => read(number as number) ?? null, write: (name) => numbers[name as string] };
  }
  const is64 = field.fieldKind === "scalar" && longTypes.has(field.scalar);
  const write = (value: unknown) => (typeof value === "number" ? BigInt(value) : value);
  return { read: (value) => value ?? null, write: is64 ? write : (value) => value };
}

const longTypes: ReadonlySet<ScalarType> = new Set([ScalarType.INT64, ScalarType.UINT64]);

/** Finds the name of a number: undefined for that of UNSPECIFIED, and for those of a later contract. */
export function nameReader<Name extends string>(
  numbers: Readonly<Record<Name, number>>,
): (number: number | undefined) => Exclude<Name, "UNSPECIFIED"> | undefined {
  // The enums of the generated code have the names of their numbers, too.
  const named = Object.entries<number | string>(numbers).filter(
    ([, number]) => number !== 0 && typeof number === "number",
  );
  const names = new Map(named.map(([name, number]) => [number, name]));
  return (number) => names.get(number ?? 0) as Exclude<Name, "UNSPECIFIED"> | undefined;
}
