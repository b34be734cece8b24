import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { stopWords } from "../../gateway/routes/notices.ts";
import { endedWords } from "../../gateway/signing/ended-words.ts";
import { accountMailLanguages } from "../../services/auth/mail/write-account-mail.ts";
import { mailLanguages } from "../../services/sign/mail/mail-to.ts";
import { noticeLanguages } from "../../services/sign/notices/notice-texts.ts";
import { consentTexts } from "../../services/sign/signing/consent-text.ts";
import * as moreWords from "../../web/embed/more-words.ts";
import { chooseWords, loadWords } from "../../web/embed/words.ts";
import { languages, loadLanguage } from "../../web/signing/src/languages.ts";
import { verifyLanguages } from "../../web/verify-document/texts.ts";

/** What people who are asked to sign or to agree read. Dashboard and certificates have languages of their own. */
const tags = ["en", "de", "fr", "es", "it", "pt-BR", "pt-PT", "nl", "pl", "ja", "zh-Hans", "ar", "he"];

type Tree = string | { readonly [key: string]: Tree };

/** Every text by its path. Forms of plurals are one text each: languages have others. */
function* leaves(tree: unknown, path = ""): Generator<readonly [path: string, text: string]> {
  if (typeof tree === "string") yield [path, tree];
  else for (const [key, part] of Object.entries(tree as object)) yield* leaves(part, `${path}.${key}`);
}

const isPlural = (tree: unknown): tree is Record<string, string> =>
  typeof tree === "object" && tree !== null && "other" in tree && typeof tree.other === "string";

/** Plurals are looked at by the form that all languages have. */
const withoutForms = (tree: unknown): Tree => {
  if (typeof tree === "string") return tree;
  if (isPlural(tree)) return tree.other ?? "";
  return Object.fromEntries(Object.entries(tree as object).map(([key, part]) => [key, withoutForms(part)]));
};

const placeholders = (text: string): string[] => [...text.matchAll(/\{\w*\}/g)].map(([one]) => one).sort();

/** Those that the script of the form brings, and those that it loads. */
const formWords = async (tag: string) => {
  const { words, language } = chooseWords(tag, await loadWords(tag, async () => moreWords));
  return language === tag ? words : undefined;
};

const wordsOf = new Map<string, (tag: string) => Promise<unknown>>([
  ["the signing page", async (tag) => (await loadLanguage([tag])).texts],
  ["pages of links that have ended", async (tag) => new Map<string, unknown>(Object.entries(endedWords)).get(tag)],
  ["forms of acceptance", formWords],
  ["mails to recipients", async (tag) => new Map<string, unknown>(Object.entries(mailLanguages)).get(tag)],
  ["the page that ends notices", async (tag) => new Map<string, unknown>(Object.entries(stopWords)).get(tag)],
  ["notices to senders", async (tag) => new Map<string, unknown>(Object.entries(noticeLanguages)).get(tag)],
  ["the page that checks documents", async (tag) => new Map<string, unknown>(Object.entries(verifyLanguages)).get(tag)],
  ["mails about accounts", async (tag) => new Map<string, unknown>(Object.entries(accountMailLanguages)).get(tag)],
  [
    "the consent to electronic records",
    async (tag) => {
      const { introduction, points, agreement } = consentTexts("{sender}").find(({ locale }) => locale === tag) ?? {};
      return { introduction, points, agreement };
    },
  ],
]);

/** In which each language is written, in part at least. */
const scripts: Readonly<Record<string, RegExp>> = {
  ja: /\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Han}/u,
  "zh-Hans": /\p{Script=Han}/u,
  ar: /\p{Script=Arabic}/u,
  he: /\p{Script=Hebrew}/u,
};

describe.each([...wordsOf])("the words of %s", (_name, wordsIn) => {
  test.each(tags)("in %s are all there, with the same placeholders, in its own script", async (tag) => {
    const english = new Map(leaves(withoutForms(await wordsIn("en"))));
    const own = new Map(leaves(withoutForms(await wordsIn(tag))));
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [path, text] of own) {
      const meant = english.get(path) ?? "";
      expect([path, placeholders(text)]).toEqual([path, placeholders(meant)]);
      expect([path, text.trim()]).not.toEqual([path, ""]);
      const letters = text.replaceAll(/\{\w*\}|PDF|PNG|JPEG|MB|SHA-256|IP|https/g, "");
      if (scripts[tag] !== undefined && /\p{L}/u.test(letters))
        expect([path, text]).toEqual([path, expect.stringMatching(scripts[tag])]);
      // A sentence that stayed in English.
      if (tag !== "en" && meant.split(" ").length > 2) expect([path, text]).not.toEqual([path, meant]);
    }
  });
});

test("the signing page takes at most 24 KB with its largest language; what comes while people read has bounds of its own", () => {
  const code = join(resolve(import.meta.dirname, "../.."), "web/dist/signing/code");
  const bytesOf = (name: RegExp): number[] =>
    readdirSync(code)
      .filter((file) => name.test(file))
      .map((file) => gzipSync(readFileSync(join(code, file))).length);
  const spoken = bytesOf(/^([a-z]{2}|pt-br)-.*\.js$/);
  expect(spoken).toHaveLength(tags.length);
  const [script = 0, ...others] = bytesOf(/^index-.*\.js$/);
  const [styles = 0] = bytesOf(/^index-.*\.css$/);
  expect(others).toEqual([]);
  expect(script + styles + Math.max(...spoken)).toBeLessThan(24_000);
  expect(Math.max(...bytesOf(/^adopt-dialog-.*\.js$/))).toBeLessThan(9_000);
  expect(Math.max(...bytesOf(/^pdf-viewer-.*\.js$/))).toBeLessThan(140_000);
});

test("the same languages are offered everywhere, by the names of those who speak them", () => {
  expect(languages.map(({ tag }) => tag)).toEqual(tags);
  expect(Object.keys(mailLanguages).sort()).toEqual([...tags].sort());
  expect(Object.keys(accountMailLanguages).sort()).toEqual([...tags].sort());
  expect(Object.keys(stopWords).sort()).toEqual([...tags].sort());
  expect(Object.keys(noticeLanguages).sort()).toEqual([...tags].sort());
  expect(Object.keys(verifyLanguages).sort()).toEqual([...tags].sort());
  expect(Object.keys(endedWords).sort()).toEqual([...tags].sort());
  expect(
    consentTexts("Acme")
      .map(({ locale }) => locale)
      .sort(),
  ).toEqual([...tags].sort());
  expect(new Set(languages.map(({ name }) => name)).size).toBe(tags.length);
});

test.each(tags)("numbers in %s have every form that they need, and no other", async (tag) => {
  const rules = new Intl.PluralRules(tag);
  const forms = new Set(["other", ...Array.from({ length: 200 }, (_, count) => rules.select(count))]);
  const { texts } = await loadLanguage([tag]);
  const plurals = Object.values(texts).filter(isPlural);
  expect(plurals).not.toEqual([]);
  for (const plural of plurals) expect(Object.keys(plural).sort()).toEqual([...forms].sort());
});
