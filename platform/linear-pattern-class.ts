import { anyOf, type CharacterSet, havingProperty, noneOf, type Range, shorthands } from "./linear-pattern-set.ts";

/**
 * Parses the content of a bracketed character class like JavaScript with the `u` flag; undefined when it is
 * invalid. JavaScript's own regular expressions would be expensive: each class with properties takes up to 3 ms
 * on first use.
 */
export function readClassItems(characters: readonly string[]): CharacterSet | undefined {
  const isNegated = characters[0] === "^";
  const ranges: Range[] = [];
  const sets: CharacterSet[] = [];
  const rest = characters.slice(isNegated ? 1 : 0).join("");
  const items = rest.match(itemPattern) ?? [];
  if (items.join("") !== rest) return undefined;
  for (let at = 0; at < items.length; at += 1) {
    const first = readItem(items[at] ?? "");
    if (first === undefined) return undefined;
    if (items[at + 1] !== "-" || at + 2 >= items.length) {
      if (typeof first === "number") ranges.push([first, first]);
      else sets.push(first);
      continue;
    }
    const last = readItem(items[at + 2] ?? "");
    if (typeof first !== "number" || typeof last !== "number" || last < first) return undefined;
    ranges.push([first, last]);
    at += 2;
  }
  const set = anyOf(ranges, sets);
  return isNegated ? noneOf(set) : set;
}

export function readProperty(letter: string, name: string): CharacterSet | undefined {
  const set = havingProperty(name);
  return letter === "P" && set !== undefined ? noneOf(set) : set;
}

/** Two escaped surrogates are one character. */
const itemPattern =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\[pP]\{\w+(?:=\w+)?\}|\\0(?![0-9])|\\[dDwWsSbtnvfr^$\\.*+?()[\]{}|/-]|[^\\]/gu;

const controls: Readonly<Record<string, number>> = { "0": 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** A character or a nested class. */
function readItem(item: string): number | CharacterSet | undefined {
  if (item[0] !== "\\") return item.codePointAt(0);
  const letter = item[1] ?? "";
  if (letter === "p" || letter === "P") return readProperty(letter, item.slice(3, -1));
  if (letter === "c") return (item.codePointAt(2) ?? 0) % 32;
  if (letter === "u" || letter === "x") {
    const codes = item.split("\\").filter((part) => part !== "");
    const units = codes.map((code) => Number.parseInt(code.replaceAll(/[ux{}]/g, ""), 16));
    const [code = 0] = units;
    if (units.length === 2) return String.fromCharCode(...units).codePointAt(0);
    return code <= 0x10ffff ? code : undefined;
  }
  return shorthands[letter] ?? controls[letter] ?? letter.codePointAt(0);
}
