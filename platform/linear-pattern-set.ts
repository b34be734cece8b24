/** A set of characters, by code point. */
export interface CharacterSet {
  has(code: number): boolean;
}

export type Range = readonly [first: number, last: number];

export const just = (code: number): CharacterSet => ({ has: (other) => other === code });

export const anyOf = (ranges: readonly Range[], sets: readonly CharacterSet[] = []): CharacterSet => ({
  has: (code) => {
    for (const [first, last] of ranges) if (code >= first && code <= last) return true;
    for (const set of sets) if (set.has(code)) return true;
    return false;
  },
});

export const noneOf = (set: CharacterSet): CharacterSet => ({ has: (code) => !set.has(code) });

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
export const shorthands: Readonly<Record<string, CharacterSet>> = {
  ...{ d: digits, D: noneOf(digits) },
  ...{ w: wordCharacters, W: noneOf(wordCharacters) },
  ...{ s: blanks, S: noneOf(blanks) },
};

/** Everything except line terminators. */
export const anyCharacter = noneOf(
  anyOf([
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ]),
);

/** The characters with a Unicode property, by its JavaScript name; undefined when there is no such property. */
export function havingProperty(name: string): CharacterSet | undefined {
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
