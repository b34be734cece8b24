import { type FilterArgument, type FilterInput, type FilterSpec, Lines } from "./filter-spec.ts";
import {
  dateFilters,
  type FilterCall,
  isNothing,
  numberFilters,
  propertyOf,
  take,
  toList,
  toNumber,
  toText,
} from "./value-filters.ts";

type TextFunction = (text: string, ...args: string[]) => string;

/** A filter of a text, and of texts as arguments. */
const onText = (change: TextFunction, argumentCount = 0): FilterSpec => ({
  input: "text",
  arguments: Array.from({ length: argumentCount }, () => "text"),
  required: argumentCount,
  handler(this: FilterCall, value: unknown, ...args: unknown[]) {
    const texts = [toText(value), ...args.map(toText)] as [string, ...string[]];
    take(
      this,
      texts.reduce((sum, text) => sum + text.length, 0),
    );
    return change(...texts);
  },
});

const capitalize = (text: string): string => {
  const [first = "", ...rest] = text;
  return first.toUpperCase() + rest.join("").toLowerCase();
};

function replaceLast(text: string, pattern: string, replacement: string): string {
  const index = text.lastIndexOf(pattern);
  return index < 0 ? text : text.slice(0, index) + replacement + text.slice(index + pattern.length);
}

/** Counts the length of the result, which may be much longer than the text. */
const replace: FilterSpec = {
  input: "text",
  arguments: ["text", "text"],
  required: 1,
  handler(this: FilterCall, value: unknown, pattern: unknown, replacement: unknown) {
    const text = toText(value);
    const added = toText(replacement);
    take(this, text.length);
    const parts = text.split(toText(pattern));
    take(this, parts.length * (1 + added.length));
    return parts.join(added);
  },
};

const truncate: FilterSpec = {
  input: "text",
  arguments: ["number", "text"],
  required: 0,
  handler(this: FilterCall, value: unknown, length: unknown = 50, end: unknown = "…") {
    const text = toText(value);
    take(this, text.length);
    const characters = Array.from(text);
    const tail = Array.from(toText(end));
    const wanted = Math.max(0, Math.trunc(toNumber(length)));
    if (characters.length <= wanted) return text;
    return [...characters.slice(0, Math.max(0, wanted - tail.length)), ...tail].join("");
  },
};

const truncateWords: FilterSpec = {
  input: "text",
  arguments: ["number", "text"],
  required: 0,
  handler(this: FilterCall, value: unknown, count: unknown = 15, end: unknown = "…") {
    const text = toText(value);
    take(this, text.length);
    const words = text.split(/\s+/).filter((word) => word !== "");
    const wanted = Math.max(1, Math.trunc(toNumber(count)));
    return words.length <= wanted ? text : words.slice(0, wanted).join(" ") + toText(end);
  },
};

const split: FilterSpec = {
  input: "text",
  arguments: ["text"],
  required: 1,
  handler(this: FilterCall, value: unknown, separator: unknown) {
    const text = toText(value);
    take(this, text.length);
    const by = toText(separator);
    if (text === "") return [];
    return by === "" ? Array.from(text) : text.split(by);
  },
};

const defaultTo: FilterSpec = {
  input: "any",
  arguments: ["any"],
  required: 1,
  handler: (value: unknown, other: unknown) => {
    const isEmpty = isNothing(value) || value === false || value === "" || (Array.isArray(value) && value.length === 0);
    return isEmpty ? other : value;
  },
};

const newlineToBr: FilterSpec = {
  input: "text",
  arguments: [],
  required: 0,
  isLast: true,
  handler: (value: unknown) => new Lines(toText(value)),
};

const textFilters = {
  upcase: onText((text) => text.toUpperCase()),
  downcase: onText((text) => text.toLowerCase()),
  capitalize: onText(capitalize),
  strip: onText((text) => text.trim()),
  lstrip: onText((text) => text.trimStart()),
  rstrip: onText((text) => text.trimEnd()),
  squish: onText((text) => text.trim().replaceAll(/\s+/g, " ")),
  strip_newlines: onText((text) => text.replaceAll(/[\r\n]/g, "")),
  append: onText((text, added = "") => text + added, 1),
  prepend: onText((text, added = "") => added + text, 1),
  remove: onText((text, pattern = "") => (pattern === "" ? text : text.replaceAll(pattern, "")), 1),
  remove_first: onText((text, pattern = "") => text.replace(pattern, ""), 1),
  replace,
  replace_first: onText((text, pattern = "", added = "") => text.replace(pattern, () => added), 2),
  replace_last: onText((text, pattern = "", added = "") => replaceLast(text, pattern, added), 2),
  truncate,
  truncatewords: truncateWords,
  split,
  default: defaultTo,
  newline_to_br: newlineToBr,
} satisfies Record<string, FilterSpec>;

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

/** Numbers come before texts, and missing values last. */
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

const listFilters = {
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

/** All filters by their names. */
export const filterSpecs: Readonly<Record<string, FilterSpec>> = {
  ...textFilters,
  ...listFilters,
  ...numberFilters,
  ...dateFilters,
};
