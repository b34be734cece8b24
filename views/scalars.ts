import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isoOf } from "#api/kinds.ts";

/** ISO 8601 in UTC with milliseconds; null when absent. */
export const isoTime = (timestamp: Timestamp | undefined): string | null =>
  timestamp === undefined ? null : isoOf(timestamp);

/** The time of a text that a schema has let through; undefined when absent. */
export const timestampOf = (iso: string | null | undefined): Timestamp | undefined =>
  iso === null || iso === undefined ? undefined : timestampFromDate(new Date(iso));

/** The name of an enum value without its prefix; null for UNSPECIFIED and for values we do not know. */
export function enumName(values: Readonly<Record<string, number>>, value: number): string | null {
  if (value === 0) return null;
  return Object.keys(values).find((name) => values[name] === value) ?? null;
}

/** The value of a name that a schema has let through. */
export function enumValue<Value extends number>(values: Readonly<Record<string, Value>>, name: string): Value {
  const value = values[name];
  if (value === undefined) throw new Error(`the enum has no value ${name}`);
  return value;
}
