import type { FilterArgument, FilterInput, FilterSpec } from "./filter-spec.ts";
import { type FilterCall, isNothing, propertyOf, take, toList, toNumber, toText } from "./filter-values.ts";

type ListFunction = (list: readonly unknown[], ...args: unknown[]) => unknown;

/** A filter of a list. */
const onList = (change: ListFunction, args: readonly FilterArgument[] = [], required = args.length): FilterSpec => ({
  input: "list",
  arguments: args,
  required,
  handler(this: FilterCall, value: unknown, ...given: unknown[]) {
    const list = toList(value);
    take(this, list.length);
    return change(list, ...given);
  },
});

const propertyOrSelf = (item: unknown, property: unknown): unknown =>
  property === undefined ? item : propertyOf(item, toText(property));

/** Numbers before texts, each in their order; what is nothing comes last. */
function compare(a: unknown, b: unknown): number {
  if (isNothing(a) || isNothing(b)) return Number(isNothing(a)) - Number(isNothing(b));
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a < typeof b ? -1 : 1;
  const [left, right] = [toText(a), toText(b)];
  return left < right ? -1 : Number(left > right);
}

const sortedBy = (list: readonly unknown[], property: unknown, key: (value: unknown) => unknown): unknown[] =>
  list
    .map((item) => ({ item, key: key(propertyOrSelf(item, property)) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ item }) => item);

const inLowerCase = (value: unknown): unknown => (typeof value === "string" ? value.toLowerCase() : value);

const isWanted = (value: unknown, wanted: unknown): boolean =>
  wanted === undefined ? !isNothing(value) && value !== false : value === wanted;

const join: FilterSpec = {
  input: "list",
  arguments: ["text"],
  required: 0,
  handler(this: FilterCall, value: unknown, separator: unknown = " ") {
    const list = toList(value);
    const between = toText(separator);
    take(this, list.length * (1 + between.length));
    const texts = list.map((item) => {
      const text = toText(item);
      take(this, text.length);
      return text;
    });
    return texts.join(between);
  },
};

const concat: FilterSpec = {
  input: "list",
  arguments: ["list"],
  required: 1,
  handler(this: FilterCall, value: unknown, added: unknown) {
    const [first, second] = [toList(value), toList(added)];
    take(this, first.length + second.length);
    return [...first, ...second];
  },
};

/** Lists have items, texts have characters. */
const charactersOr = (input: FilterInput, args: readonly FilterArgument[], required: number, change: ListFunction) => ({
  input,
  arguments: args,
  required,
  handler(this: FilterCall, value: unknown, ...given: unknown[]) {
    const list = Array.isArray(value) ? value : Array.from(toText(value));
    take(this, list.length);
    const changed = change(list, ...given);
    return Array.isArray(changed) && !Array.isArray(value) ? changed.join("") : changed;
  },
});

const slice = charactersOr("sized", ["number", "number"], 1, (list, begin, length = 1) => {
  const asked = Math.trunc(toNumber(begin));
  const start = asked < 0 ? list.length + asked : asked;
  return start < 0 ? [] : list.slice(start, start + Math.max(0, Math.trunc(toNumber(length))));
});

export const listFilters = {
  size: charactersOr("sized", [], 0, (list) => list.length),
  slice,
  first: onList((list) => list[0]),
  last: onList((list) => list.at(-1)),
  join,
  concat,
  reverse: onList((list) => list.toReversed()),
  sort: onList((list, property) => sortedBy(list, property, (value) => value), ["property"], 0),
  sort_natural: onList((list, property) => sortedBy(list, property, inLowerCase), ["property"], 0),
  map: onList((list, property) => list.map((item) => propertyOf(item, toText(property))), ["property"]),
  where: onList(
    (list, property, wanted) => list.filter((item) => isWanted(propertyOf(item, toText(property)), wanted)),
    ["property", "any"],
    1,
  ),
  uniq: onList((list) => [...new Set(list)]),
  compact: onList((list) => list.filter((item) => !isNothing(item))),
  sum: onList(
    (list, property) => list.reduce<number>((sum, item) => sum + toNumber(propertyOrSelf(item, property)), 0),
    ["property"],
    0,
  ),
} satisfies Record<string, FilterSpec>;
