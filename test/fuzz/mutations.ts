import fc from "fast-check";
import { hostileTexts } from "./texts.ts";

/** Values from which a few things are missing, or in which a few things are not what they should be. */
export const mutated = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(values, fc.array(changes, { minLength: 1, maxLength: 2 })).map(([value, list]) => list.reduce(apply, value));

interface Change {
  /** Which place, of as many as there are. */
  readonly at: number;
  readonly kind: "replace" | "remove" | "add" | "repeat";
  readonly value: unknown;
  readonly key: string;
}

const hostileNumbers = fc.constantFrom(
  0,
  -0,
  -1,
  0.5,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 53) - 2,
  2 ** 63,
  1e21,
);

const nestedLists = (levels: number): unknown => {
  let value: unknown = [];
  for (let i = 0; i < levels; i += 1) value = i % 2 === 0 ? [value] : { a: value };
  return value;
};

/** What stands where something else should. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], { id: null }), weight: 3 },
  { arbitrary: hostileTexts, weight: 5 },
  { arbitrary: hostileNumbers, weight: 3 },
  { arbitrary: fc.constantFrom(10, 29, 31, 32, 33, 200).map(nestedLists), weight: 1 },
  { arbitrary: fc.constant(Array.from({ length: 2_000 }, (_item, n) => n)), weight: 1 },
  { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 2 },
);

const extraKeys = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "prototype",
    "hasOwnProperty",
    "",
    "organizationId",
    "id",
    "status",
    "\0",
    "\ud800",
  ),
  hostileTexts,
);

const changes: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("replace", "replace", "replace", "remove", "remove", "add", "repeat"),
  value: hostileValues,
  key: extraKeys,
});

function apply(value: unknown, change: Change): unknown {
  const places = placesOf(value);
  const place = places[change.at % places.length] ?? [];
  return changeAt(value, place, change);
}

type Place = readonly (string | number)[];

/** Where something stands: the value itself, and whatever is in it. */
function placesOf(value: unknown, here: Place = []): Place[] {
  if (!isContainer(value)) return [here];
  const parts = Array.isArray(value) ? value.map((item, n) => [n, item] as const) : Object.entries(value);
  return [here, ...parts.flatMap(([key, part]) => placesOf(part, [...here, key]))];
}

/** Objects that are no plain ones stand for a value and are left whole. */
function isContainer(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.hasOwn(prototype, "hasOwnProperty");
}

function changeAt(value: unknown, [key, ...rest]: Place, change: Change): unknown {
  if (key === undefined) return changed(value, change);
  if (Array.isArray(value)) {
    if (rest.length === 0 && change.kind === "remove") return value.filter((_item, n) => n !== key);
    return value.map((item, n) => (n === key ? changeAt(item, rest, change) : item));
  }
  const entries = Object.entries(value as object);
  const isRemoved = rest.length === 0 && change.kind === "remove";
  // Made from entries, `__proto__` is a key as any other.
  return Object.fromEntries(
    isRemoved
      ? entries.filter(([name]) => name !== key)
      : entries.map(([name, part]) => [name, name === key ? changeAt(part, rest, change) : part]),
  );
}

function changed(value: unknown, { kind, value: hostile, key }: Change): unknown {
  if (kind === "repeat") return [value, value];
  if (kind !== "add" || !isContainer(value)) return hostile;
  if (Array.isArray(value)) return [...value, hostile];
  return Object.fromEntries([...Object.entries(value), [key, hostile]]);
}
