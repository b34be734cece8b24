import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { DomainError, type FieldProblem } from "#platform/errors.ts";

/**
 * Reads an object tolerantly, as clients of the compatible interface send it: property names in any case,
 * numbers and booleans in place of texts and vice versa. Null counts as absent. Unreadable values are reported
 * as problems and count as absent.
 */
export interface Reader {
  /** Where the object stands: `recipients.signers[0]`; empty for the body itself. */
  readonly path: string;
  /** The place of a property, for problems and errors. */
  at(name: string): string;
  has(name: string): boolean;
  raw(name: string): unknown;
  text(name: string): string | undefined;
  /** Absent when empty; for numbers, dates and choices. */
  flag(name: string): boolean | undefined;
  number(name: string, range?: Range): number | undefined;
  integer(name: string, range?: Range): number | undefined;
  date(name: string): Timestamp | undefined;
  /** By keys in lower case. */
  choice<Value>(name: string, values: ReadonlyMap<string, Value>): Value | undefined;
  object(name: string): Reader | undefined;
  /** Empty when absent. */
  objects(name: string): readonly Reader[];
  texts(name: string): readonly string[];
  problem(name: string, code: string, message: string): void;
}

export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** Reads a value with a reader. Throws VALIDATION_FAILED with all problems found. */
export function readWith<Result>(value: unknown, read: (reader: Reader) => Result): Result {
  const problems: FieldProblem[] = [];
  const result = read(createReader(value, "", problems));
  if (problems.length > 0) throw new DomainError("VALIDATION_FAILED", { details: problems });
  return result;
}

function createReader(value: unknown, path: string, problems: FieldProblem[]): Reader {
  const properties = propertiesOf(value);
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const addProblem = (field: string, code: string, message: string): undefined => {
    problems.push({ field, code, message });
  };
  const raw = (name: string): unknown => properties.get(name.toLowerCase());
  const refuse = (name: string, expected: string): undefined => addProblem(at(name), "TYPE", `must be ${expected}`);
  const text = (name: string): string | undefined => {
    const found = raw(name);
    if (found === undefined) return undefined;
    return textOf(found) ?? refuse(name, "a text");
  };
  const number = (name: string, range: Range = {}, isWhole = false): number | undefined => {
    const said = text(name)?.trim();
    if (said === undefined || said === "") return undefined;
    const found = numberOf(said);
    if (found === undefined || (isWhole && !Number.isInteger(found))) {
      return refuse(name, isWhole ? "an integer" : "a number");
    }
    const { min = -Number.MAX_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range;
    return found >= min && found <= max ? found : addProblem(at(name), "RANGE", `must be from ${min} to ${max}`);
  };
  const list = (name: string): readonly unknown[] => {
    const found = raw(name);
    if (found === undefined) return [];
    if (Array.isArray(found)) return found;
    refuse(name, "an array");
    return [];
  };
  return {
    path,
    at,
    raw,
    text,
    number,
    has: (name) => raw(name) !== undefined,
    integer: (name, range) => number(name, range, true),
    flag: (name) => {
      const said = text(name)?.trim().toLowerCase();
      if (said === undefined || said === "") return undefined;
      return flags.get(said) ?? refuse(name, "true or false");
    },
    date: (name) => {
      const said = text(name)?.trim();
      if (said === undefined || said === "") return undefined;
      return readDate(said) ?? refuse(name, "a date and time such as 2026-11-20T17:00:00Z");
    },
    choice: (name, values) => {
      const said = text(name)?.trim().toLowerCase();
      if (said === undefined || said === "") return undefined;
      const found = values.get(said);
      return found === undefined ? refuse(name, `one of ${[...values.keys()].join(", ")}`) : found;
    },
    object: (name) => {
      const found = raw(name);
      if (found === undefined) return undefined;
      return isObject(found) ? createReader(found, at(name), problems) : refuse(name, "an object");
    },
    objects: (name) =>
      list(name).flatMap((item, index) => {
        const place = `${at(name)}[${index}]`;
        if (isObject(item)) return [createReader(item, place, problems)];
        if (item !== null) addProblem(place, "TYPE", "must be an object");
        return [];
      }),
    texts: (name) =>
      list(name).flatMap((item, index) => {
        const said = textOf(item);
        if (said === undefined) addProblem(`${at(name)}[${index}]`, "TYPE", "must be a text");
        return said === undefined ? [] : [said];
      }),
    problem: (name, code, message) => addProblem(at(name), code, message),
  };
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** By lower-case name; if several spellings are present, the documented one wins. */
function propertiesOf(value: unknown): ReadonlyMap<string, unknown> {
  const properties = new Map<string, unknown>();
  if (!isObject(value)) return properties;
  for (const [name, found] of Object.entries(value)) {
    if (found === null || found === undefined) continue;
    const key = name.toLowerCase();
    const isDocumented = name.charAt(0) === key.charAt(0);
    if (isDocumented || !properties.has(key)) properties.set(key, found);
  }
  return properties;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

const numberOf = (text: string): number | undefined =>
  text.length <= 30 && /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text) ? Number(text) : undefined;

const isoPattern = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+ -]\d\d:?\d\d)?)?$/i;
const slashPattern = /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/;
const usPattern = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: (\d{1,2}):(\d\d)(?::(\d\d))?(?: ?(AM|PM))?)?$/i;

/**
 * The time of a text as clients write it: `2026-10-21` or `2026/10/21`, ISO 8601 with or without fraction and zone,
 * `10/21/2026` with or without a time. UTC where no zone is given; undefined for anything else.
 */
function readDate(text: string): Timestamp | undefined {
  if (text.length > 40) return undefined;
  const milliseconds = readIso(text) ?? readSlashes(text) ?? readUs(text);
  return milliseconds === undefined ? undefined : timestampFromMs(milliseconds);
}

function readIso(text: string): number | undefined {
  const match = isoPattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const millisecond = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const utc = utcOf([year, month, day, hour, minute, second], millisecond);
  const zone = zoneMinutes(match[8]);
  return utc === undefined || zone === undefined ? undefined : utc - zone * 60_000;
}

type Six = [number, number, number, number, number, number];

function readSlashes(text: string): number | undefined {
  const match = slashPattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  return utcOf([year, month, day, 0, 0, 0], 0);
}

function readUs(text: string): number | undefined {
  const match = usPattern.exec(text);
  if (match === null) return undefined;
  const [month, day, year, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const half = match[7]?.toUpperCase();
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  const hours = half === undefined ? hour : (hour % 12) + (half === "PM" ? 12 : 0);
  return utcOf([year, month, day, hours, minute, second], 0);
}

/** Undefined for an impossible date or time. */
function utcOf([year, month, day, hour, minute, second]: Six, millisecond: number): number | undefined {
  if (year < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** An unencoded plus sign arrives as a space. */
function zoneMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
