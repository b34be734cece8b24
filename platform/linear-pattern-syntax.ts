/** A parsed pattern. */
export type PatternNode =
  | { readonly kind: "character"; readonly set: CharacterSet }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly part: PatternNode; readonly min: number; readonly max: number };

export type ParsedPattern =
  | { readonly kind: "parsed"; readonly node: PatternNode }
  | { readonly kind: "refused"; readonly reason: string };

/** Parses the syntax described in linear-pattern.ts. Recursion is at most as deep as the source is long. */
export function parsePattern(source: string): ParsedPattern {
  const cursor: Cursor = { characters: Array.from(source), position: 0 };
  try {
    skip(cursor, "^");
    const node = readChoice(cursor);
    if (cursor.position === cursor.characters.length - 1) skip(cursor, "$");
    if (cursor.position < cursor.characters.length) throw new Refusal(cursor, unexpected(cursor));
    return { kind: "parsed", node };
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", reason: error.message };
    throw error;
  }
}

interface Cursor {
  readonly characters: readonly string[];
  position: number;
}

class Refusal extends Error {
  constructor(cursor: Cursor, reason: string) {
    super(`${reason} at character ${cursor.position + 1}`);
  }
}

const peek = (cursor: Cursor): string | undefined => cursor.characters[cursor.position];

function skip(cursor: Cursor, character: string): boolean {
  if (peek(cursor) !== character) return false;
  cursor.position += 1;
  return true;
}

const maxDigits = 4;

function unexpected(cursor: Cursor): string {
  const character = peek(cursor);
  if (character === undefined) return "ends too early";
  if (character === "^" || character === "$") return `has '${character}', which may only stand at the ends,`;
  return `has an unexpected '${character}'`;
}

function readChoice(cursor: Cursor): PatternNode {
  const parts = [readSequence(cursor)];
  while (skip(cursor, "|")) parts.push(readSequence(cursor));
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { kind: "choice", parts };
}

function readSequence(cursor: Cursor): PatternNode {
  const parts: PatternNode[] = [];
  for (let next = peek(cursor); next !== undefined && !"|)$".includes(next); next = peek(cursor)) {
    parts.push(readRepeat(cursor, readPart(cursor)));
  }
  return { kind: "sequence", parts };
}

/** A trailing `?` asks for the shortest match, which makes no difference when the whole text must match. */
function readRepeat(cursor: Cursor, part: PatternNode): PatternNode {
  const range = readRange(cursor);
  if (range === undefined) return part;
  skip(cursor, "?");
  return { kind: "repeat", part, ...range };
}

function readRange(cursor: Cursor): { min: number; max: number } | undefined {
  if (skip(cursor, "*")) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (skip(cursor, "+")) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (skip(cursor, "?")) return { min: 0, max: 1 };
  if (!skip(cursor, "{")) return undefined;
  const min = readNumber(cursor);
  let max = min;
  if (skip(cursor, ",")) max = peek(cursor) === "}" ? Number.POSITIVE_INFINITY : readNumber(cursor);
  if (!skip(cursor, "}")) throw new Refusal(cursor, unexpected(cursor));
  if (max < min) throw new Refusal(cursor, "has numbers out of order");
  return { min, max };
}

function readNumber(cursor: Cursor): number {
  let digits = "";
  for (let next = peek(cursor); next !== undefined && /^\d$/.test(next); next = peek(cursor)) {
    digits += next;
    cursor.position += 1;
  }
  if (digits.length > maxDigits) throw new Refusal(cursor, "has a number that is too high");
  if (digits === "") throw new Refusal(cursor, unexpected(cursor));
  return Number(digits);
}

function readPart(cursor: Cursor): PatternNode {
  const character = peek(cursor) ?? "";
  if (character === "(") return readGroup(cursor);
  if (character === "[") return readClass(cursor);
  if (character === "\\") return readEscape(cursor);
  if ("*+?{}]^".includes(character)) throw new Refusal(cursor, unexpected(cursor));
  cursor.position += 1;
  return { kind: "character", set: character === "." ? anyCharacter : just(codeOf(character)) };
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

function readGroup(cursor: Cursor): PatternNode {
  cursor.position += 1;
  if (peek(cursor) === "?") {
    cursor.position += 1;
    if (!skip(cursor, ":")) throw new Refusal(cursor, "has a group of a kind that is not supported");
  }
  const node = readChoice(cursor);
  if (!skip(cursor, ")")) throw new Refusal(cursor, unexpected(cursor));
  return node;
}

function readClass(cursor: Cursor): PatternNode {
  const start = cursor.position;
  for (let next = peek(cursor); next !== "]"; next = peek(cursor)) {
    if (next === undefined) throw new Refusal(cursor, unexpected(cursor));
    cursor.position += next === "\\" ? 2 : 1;
  }
  cursor.position += 1;
  const set = readClassItems(cursor.characters.slice(start + 1, cursor.position - 1));
  if (set === undefined) throw new Refusal(cursor, "has a class that is not valid before what stands");
  return { kind: "character", set };
}

/** Escapes of a single character, so neither back-references nor assertions. */
const escapePattern =
  /^\\(?:[dDwWsStnrfv/\\.*+?()[\]{}|^$-]|[pP]\{[A-Za-z_=]{1,40}\}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\})/u;

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

function readEscape(cursor: Cursor): PatternNode {
  const [sequence] = escapePattern.exec(cursor.characters.slice(cursor.position, cursor.position + 50).join("")) ?? [];
  if (sequence === undefined) throw new Refusal(cursor, "has an escape that is not supported");
  cursor.position += sequence.length;
  const set = setOfEscape(sequence.slice(1));
  if (set === undefined) throw new Refusal(cursor, "has a class that is not valid before what stands");
  return { kind: "character", set };
}

function setOfEscape(sequence: string): CharacterSet | undefined {
  const [letter = ""] = sequence;
  if (letter === "p" || letter === "P") return readProperty(letter, sequence.slice(2, -1));
  if (letter === "u") {
    const code = Number.parseInt(sequence.replaceAll(/[u{}]/g, ""), 16);
    return code <= 0x10ffff ? just(code) : undefined;
  }
  return shorthands[letter] ?? just(controls[letter] ?? codeOf(letter));
}

/**
 * Parses the content of a bracketed character class like JavaScript with the `u` flag; undefined when it is
 * invalid. JavaScript's own regular expressions would be expensive: each class with properties takes up to 3 ms
 * on first use.
 */
function readClassItems(characters: readonly string[]): CharacterSet | undefined {
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

function readProperty(letter: string, name: string): CharacterSet | undefined {
  const set = havingProperty(name);
  return letter === "P" && set !== undefined ? noneOf(set) : set;
}

/** Two escaped surrogates are one character. */
const itemPattern =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\[pP]\{\w+(?:=\w+)?\}|\\0(?![0-9])|\\[dDwWsSbtnvfr^$\\.*+?()[\]{}|/-]|[^\\]/gu;

const classControls: Readonly<Record<string, number>> = { "0": 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

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
  return shorthands[letter] ?? classControls[letter] ?? letter.codePointAt(0);
}

/** A set of characters, by code point. */
export interface CharacterSet {
  has(code: number): boolean;
}

export type Range = readonly [first: number, last: number];

const just = (code: number): CharacterSet => ({ has: (other) => other === code });

const anyOf = (ranges: readonly Range[], sets: readonly CharacterSet[] = []): CharacterSet => ({
  has: (code) => {
    for (const [first, last] of ranges) if (code >= first && code <= last) return true;
    for (const set of sets) if (set.has(code)) return true;
    return false;
  },
});

const noneOf = (set: CharacterSet): CharacterSet => ({ has: (code) => !set.has(code) });

const digits = anyOf([[0x30, 0x39]]);
const wordCharacters = anyOf([
  [0x61, 0x7a],
  [0x41, 0x5a],
  [0x30, 0x39],
  [0x5f, 0x5f],
]);
const blanks = anyOf([
  [0x20, 0x20],
  [0x09, 0x0d],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);

/** Shorthand classes, by the letter after the backslash. */
const shorthands: Readonly<Record<string, CharacterSet>> = {
  ...{ d: digits, D: noneOf(digits) },
  ...{ w: wordCharacters, W: noneOf(wordCharacters) },
  ...{ s: blanks, S: noneOf(blanks) },
};

/** Everything except line terminators. */
const anyCharacter = noneOf(
  anyOf([
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ]),
);

/** The characters with a Unicode property, by its JavaScript name; undefined when there is no such property. */
function havingProperty(name: string): CharacterSet | undefined {
  const known = properties.get(name);
  if (known !== undefined) return known;
  try {
    const pattern = new RegExp(`^\\p{${name}}$`, "u");
    const set = { has: (code: number) => pattern.test(String.fromCodePoint(code)) };
    // The cache stays small, because only existing properties enter it, a few hundred.
    properties.set(name, set);
    return set;
  } catch {
    return undefined;
  }
}

/** Shared, because the first test of each expression takes up to a millisecond. */
const properties = new Map<string, CharacterSet>();
