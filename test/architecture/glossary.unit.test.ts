import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { errorCatalogue } from "#platform/errors.ts";
import { sourceFiles } from "./house.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** People have consented to these very words; another wording would be another text. */
const isStored = /esign-disclosure/;

/** By an address that is put together, because the dashboard has types of its own. */
const textsOf = async (language: "de" | "en"): Promise<unknown> =>
  ((await import(join(root, `web/dashboard/src/texts/${language}/index.ts`))) as Record<string, unknown>)[language];

const english = terms((heading) => heading !== "German");
const german = terms((heading) => heading === "German");

describe("the words of the glossary", () => {
  test("are the words of the dashboard and of errors", async () => {
    expect(found(english, wordsOf(await textsOf("en")))).toEqual([]);
    expect(found(german, wordsOf(await textsOf("de")))).toEqual([]);
    expect(found(english, wordsOf(errorCatalogue))).toEqual([]);
  });

  test("are the words of the documentation", () => {
    const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "glossary.md");
    const paths = ["README.md", "SECURITY.md", ...pages.map((name) => `docs/${name}`)];
    expect(paths.flatMap((path) => found(english, [proseOf(read(path))]).map((term) => `${path}: ${term}`))).toEqual(
      [],
    );
  });

  test("are the words of descriptions, messages and what commands print", () => {
    const wrong = sourceFiles()
      .filter(({ path }) => !path.includes("migrations/") && !isStored.test(path))
      .flatMap(({ path }) =>
        found(english, sentencesIn(inLanguage("en", { path, source: read(path) }))).map((term) => `${path}: ${term}`),
      );
    expect(wrong).toEqual([]);
  });

  test("are the words of mails, of the signing page, the form and other pages, in German too", () => {
    const translated = sourceFiles()
      .map(({ path }) => ({ path, german: inLanguage("de", { path, source: read(path) }) }))
      .filter((file) => file.german !== "");
    const paths = translated.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["web/signing/src/texts/de.ts", "web/embed/words.ts"]));
    expect(paths.filter((path) => /mail|copies|ended|notices|verify-document/.test(path)).length).toBeGreaterThan(5);
    const wrong = translated.flatMap((file) =>
      found(german, sentencesIn(file.german)).map((term) => `${file.path}: ${term}`),
    );
    expect(wrong).toEqual([]);
  });

  test("are many, and what is never said is found wherever it is said", () => {
    expect([english.length, german.length].every((count) => count > 15)).toBe(true);
    expect(found(english, ["Your E-Mail", "Nobody is told"])).toEqual([
      '“e-mail” in "Your E-Mail"',
      '“nobody” in "Nobody is told"',
    ]);
    expect(sentencesIn('// nobody\nconst a = "a second factor"; const b = "nobody";')).toEqual(["a second factor"]);
  });
});

/** What the last column of the tables names, below the headings that are meant. */
function terms(isMeant: (heading: string) => boolean): string[] {
  const sections = read("docs/glossary.md").split(/^## /m).slice(1);
  return sections
    .filter((section) => isMeant(section.slice(0, section.indexOf("\n"))))
    .flatMap((section) => section.split("\n").filter((line) => line.startsWith("| ")))
    .flatMap((line) => [...(line.split("|").at(-2) ?? "").matchAll(/`([^`]+)`/g)].map(([, term = ""]) => term));
}

function found(never: readonly string[], texts: readonly string[]): string[] {
  const pattern = new RegExp(`(?<![\\p{L}-])(${never.join("|")})(?![\\p{L}-])`, "giu");
  return texts.flatMap((text) =>
    [...text.matchAll(pattern)].map(
      ({ 0: term, index }) =>
        `“${term.toLowerCase()}” in ${JSON.stringify(text.slice(Math.max(0, index - 30), index + 30))}`,
    ),
  );
}

/** All words in a table of texts; of functions, what they are made of. */
function wordsOf(texts: unknown): string[] {
  if (typeof texts === "string") return [texts];
  if (typeof texts === "function") return sentencesIn(texts.toString());
  if (texts instanceof Map) return [...texts.values()].flatMap(wordsOf);
  return typeof texts === "object" && texts !== null ? Object.values(texts).flatMap(wordsOf) : [];
}

/** Without code, and without the addresses of links. */
const proseOf = (page: string): string =>
  page
    .replace(/```[\s\S]*?```/g, "")
    .replace(/`[^`\n]*`/g, "")
    .replace(/\]\([^)]*\)/g, "]");

/**
 * The lines of a source that belong to one language: those below the name of its table, up to that of the next. What
 * belongs to none is English.
 */
function inLanguage(
  language: "de" | "en",
  { path, source }: { readonly path: string; readonly source: string },
): string {
  const usual = path.includes("/de/") ? "de" : "en";
  let current = usual;
  const own = source.split("\n").filter((line) => {
    const table = /^(?: {2,4}|export const |const )"?([a-z]{2}(?:-?[A-Z][A-Za-z])?)"?(?:: \w+)?(?: =|:) ?[{[(]/.exec(
      line,
    );
    const spelledOut = /^export const (german|arabic)Texts\b/.exec(line);
    if (table !== null) current = table[1] ?? usual;
    else if (spelledOut !== null) current = spelledOut[1] === "german" ? "de" : "ar";
    else if (/^[}\]]/.test(line)) current = usual;
    return current === language;
  });
  return own.join("\n");
}

/** Strings of a source that have more than one word; comments are not read. */
function sentencesIn(source: string): string[] {
  const code = source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
  return [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, plain, template]) => plain ?? template ?? "")
    .filter((text) => text.includes(" "));
}
