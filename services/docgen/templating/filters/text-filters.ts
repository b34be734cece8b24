import type { FilterSpec } from "./filter-spec.ts";
import { type FilterCall, isNothing, take, toNumber, toText } from "./filter-values.ts";
import { Lines } from "./lines.ts";

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

/** Replacements may be much longer than what they replace. */
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

export const textFilters = {
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
