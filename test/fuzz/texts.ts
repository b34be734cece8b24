import fc from "fast-check";
import type { JsonSchema } from "#api/kinds.ts";
import { anyCharacter } from "#platform/test/code-points.ts";

/** Texts that the schema of a string allows. */
export function validTexts({ format, pattern, minLength = 0, maxLength = 255 }: JsonSchema): fc.Arbitrary<string> {
  const min = Number(minLength);
  const max = Math.max(min, Number(maxLength));
  const fits = (text: string): boolean => {
    const { length } = [...text];
    return length >= min && length <= max;
  };
  if (typeof format === "string") return (formats[format] ?? plainTexts(min, max)).filter(fits);
  if (typeof pattern === "string") return matching(pattern, fits);
  return plainTexts(min, max);
}

const words = [
  "en",
  "Terms of service",
  "user-1",
  "marketing_email",
  "I agree",
  "a",
  "0",
  "true",
  "null",
  "*",
  "%2e%2e",
];
const tidyCharacters = fc.constantFrom(
  ..."abcdefghijklmnopqrstuvwxyz ABC 0123456789-_.:/@äöüßéñ",
  "é",
  "中",
  "م",
  "👍🏽",
  "\u202e",
  "\u200d",
  "\ufeff",
  "'",
  '"',
  "\\",
  "<",
  "&",
  "%",
  "{",
);

/** Short ones mostly, sometimes as long as it goes. Neither NUL nor half a surrogate pair is a text that can be kept. */
function plainTexts(min: number, max: number): fc.Arbitrary<string> {
  const shortest = Math.min(max, Math.max(min, 12));
  const known = words.filter(({ length }) => length >= min && length <= max);
  const short = fc
    .array(tidyCharacters, { minLength: min, maxLength: shortest })
    .map((characters) => characters.join(""));
  const longest = Math.min(max, 70_000);
  const long = fc.constantFrom("x", "é", "𝒳").map((character) => character.repeat(Math.max(min, longest)));
  const kinds = [{ arbitrary: short.map((text) => cut(text, max)), weight: 20 }];
  if (known.length > 0) kinds.push({ arbitrary: fc.constantFrom(...known), weight: 20 });
  return fc.oneof(...kinds, { arbitrary: long, weight: 1 });
}

/** Some of the characters above are more than one code point. */
const cut = (text: string, max: number): string => [...text].slice(0, max).join("");

/** What fast-check cannot read as a pattern is looked for among plain texts. */
function matching(pattern: string, fits: (text: string) => boolean): fc.Arbitrary<string> {
  const expression = new RegExp(pattern, "u");
  const found = plainTexts(1, 40).filter((text) => fits(text) && expression.test(text));
  if (/\\[pP]\{/.test(pattern)) return found;
  return fc.stringMatching(expression).filter((text) => fits(text) && expression.test(text));
}

const days = fc.date({ min: new Date("1990-01-01"), max: new Date(), noInvalidDate: true });
const someDays = fc.oneof(
  { arbitrary: days, weight: 4 },
  { arbitrary: fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }), weight: 1 },
);
const zones = fc.constantFrom("Z", "z", "+00:00", "-00:00", "+14:00", "-12:00", "+05:45");
const fractions = fc.constantFrom("", ".1", ".123", ".000000001", ".999999999");

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.oneof(
    { arbitrary: fc.uuid(), weight: 4 },
    { arbitrary: fc.uuid().map((id) => id.toUpperCase()), weight: 1 },
  ),
  date: someDays.map((day) => day.toISOString().slice(0, 10)),
  "date-time": fc
    .tuple(someDays, fractions, zones)
    .map(([day, fraction, zone]) => `${day.toISOString().slice(0, 19)}${fraction}${zone}`),
  email: fc.constantFrom("ann@example.com", "Änn.O'Hara+copy@münchen.example", "a@b.co"),
  "language-tag": fc.constantFrom(
    "en",
    "en-US",
    "de",
    "EN-us",
    "fr-CA",
    "zh-Hant-TW",
    "de-CH-1996",
    "en-u-ca-buddhist",
  ),
  "https-url": fc
    .tuple(
      fc.constantFrom("example.com", "www.example.com:8443", "münchen.example", "[::1]", "127.0.0.1"),
      fc.webPath(),
    )
    .map(([host, path]) => `https://${host}${path === "" ? "/" : path}`),
  uri: fc.webUrl(),
};

/** Texts that have broken one program or another. */
export const hostileTexts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "a\udc00b",
    "\u202eabc",
    "👩‍👩‍👧‍👦",
    "e\u0301\u0301\u0301",
    "\ufeffx",
    "\u2028",
    "\u007f\u0085",
    "\r\nX-Injected: 1",
    "__proto__",
    "constructor",
    "toString",
    "'; drop table click.acceptance; --",
    "\\",
    "%",
    "%00",
    "%ff",
    "../../../etc/passwd",
    ".",
    "..",
    "<script>alert(1)</script>",
    "{{buyer}}",
    "{{#each x}}",
    "$" + "{7*7}",
    "-1",
    "0x10",
    "1e3",
    "١٢٣",
    "NaN",
    "undefined",
  ),
  fc.constantFrom(
    "2026-02-30",
    "9999-12-31T23:59:59.999999999Z",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00",
    "2026-11-20T24:00:00Z",
    "2026-06-30T23:59:60Z",
    "+275760-09-13",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "i-klingon",
    "x-private",
    "https://",
    "https://user:secret@example.com/",
    "http://example.com/",
    "javascript:alert(1)",
  ),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.constantFrom(256, 300, 2_001, 5_000).map((length) => "x".repeat(length)),
  fc.constantFrom(300, 5_000).map((length) => "é中👍".repeat(length)),
);
