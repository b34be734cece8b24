import { type Margins, type Page, paperMillimetres } from "../domain/page.ts";
import type { Block } from "./blocks.ts";
import { familiesOf } from "./fonts.ts";
import type { GlyphText } from "./glyph-coverage.ts";
import { textOf } from "./inline-runs.ts";

/** What holds for the whole document, as document.typ reads it. */
export interface Settings {
  readonly title: string;
  readonly language: Language;
  readonly font: Page["font"];
  readonly families: readonly string[];
  /** Millimetres. */
  readonly paper: { readonly width: number; readonly height: number };
  readonly margins: Margins;
  /** Texts, `{page}` and `{pages}`. */
  readonly header: readonly string[];
  readonly footer: readonly string[];
}

interface Stated {
  readonly title: string;
  readonly page: Page;
  readonly locale: string;
}

/** After the texts of the blocks were written: which families there have to be shows in them, too. */
export function settingsOf({ title, page, locale }: Stated, blocks: readonly Block[], glyphs: GlyphText): Settings {
  const paper = paperOf(page);
  const header = edgeOf(page.header, glyphs);
  const footer = edgeOf(page.footer, glyphs);
  const width = paper.width - page.margins.left - page.margins.right;
  return {
    title: titleOf(title, blocks),
    language: languageOf(locale),
    font: page.font,
    families: familiesOf(page.font, glyphs.eastAsian().size > 0),
    paper,
    margins: {
      ...page.margins,
      top: Math.max(page.margins.top, heightOf(page.header, width)),
      bottom: Math.max(page.margins.bottom, heightOf(page.footer, width)),
    },
    header,
    footer,
  };
}

function paperOf({ size, orientation }: Page): Settings["paper"] {
  const [short, long] = paperMillimetres[size];
  return orientation === "portrait" ? { width: short, height: long } : { width: long, height: short };
}

/** PDF/UA requires a title; viewers show it in place of a file name. It stands in no line and needs no glyphs. */
function titleOf(title: string, blocks: readonly Block[]): string {
  const heading = blocks.find((block) => block.kind === "heading");
  const candidates = [title, heading === undefined ? "" : textOf(heading.runs)];
  return candidates.map((text) => text.trim()).find((text) => text !== "") ?? "Document";
}

const edgeOf = (line: string, glyphs: GlyphText): string[] =>
  line
    .split(/(\{pages?\})/)
    .filter((part) => part !== "")
    .map((part) => glyphs.line(part.replaceAll(marksBeyond, "$1")));

/** As in the text: shaping takes time by the square of the marks on one letter. */
const marksBeyond = /([\p{M}\u200c\u200d]{32})[\p{M}\u200c\u200d]+/gu;

const lineHeight = 4;
const averageCharacter = 1.75;
const wideCharacter = 2.75;
const edgeDistance = 8;

/** About the margin in millimetres that a header or footer needs not to run off the paper. */
function heightOf(line: string, width: number): number {
  if (line.trim() === "") return 0;
  const wide = line.match(/[\p{Lu}mw%@—]/gu)?.length ?? 0;
  const length = wide * wideCharacter + (line.length - wide) * averageCharacter;
  return edgeDistance + lineHeight * Math.ceil(length / width);
}

/** How a text of some locale is set. */
interface Language {
  /** ISO 639, two or three letters; decides how words are divided. */
  readonly lang: string;
  /** ISO 3166-1, two letters. */
  readonly region?: string;
  readonly dir: "ltr" | "rtl";
}

/** The language of a BCP 47 tag; of an undetermined one for what is none. */
function languageOf(locale: string): Language {
  const parsed = parse(locale);
  const region = parsed?.region;
  return {
    lang: parsed?.language ?? "und",
    ...(region !== undefined && /^[A-Z]{2}$/.test(region) ? { region } : {}),
    dir: isRightToLeft(parsed) ? "rtl" : "ltr",
  };
}

function parse(locale: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(locale);
  } catch {
    return undefined;
  }
}

const rightToLeftScripts: ReadonlySet<string> = new Set("Adlm Arab Hebr Mand Nkoo Rohg Syrc Thaa".split(" "));

const isRightToLeft = (locale: Intl.Locale | undefined): boolean =>
  rightToLeftScripts.has(locale?.maximize().script ?? "");
