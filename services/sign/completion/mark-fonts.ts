import fontkit, { create, type Font, type Glyph, type GlyphRun } from "@cantoo/fontkit";
import { type PDFDocument, type PDFFont, StandardFonts } from "pdf-lib";
import { type Region, regionOf } from "#platform/fonts/east-asian.ts";
import {
  characterCodes,
  isHandwritten,
  mayBeJapanese,
  type SignatureStyle,
  styleOf,
} from "#platform/fonts/handwriting.ts";
import { writeTrueType } from "#platform/fonts/truetype.ts";
import { type FontFile, type FontLibrary, type HandName, hands, type LoadedFont } from "./font-library.ts";
import type { MarkStyle } from "./mark.ts";
import { type EmbeddedFont, mixedFace, plainFace, type TextFace } from "./text-face.ts";
import { mayRunRightToLeft } from "./text-lines.ts";

/** The fonts of one document, embedded on first use. */
export interface MarkFonts {
  /** Fonts that cover all characters of the text, as far as our fonts do. */
  forText(text: string, style: FontStyle): Promise<TextFace>;
  forSignature(text: string, font: string): Promise<TextFace>;
}

/**
 * Needs all texts in advance, because they share one East Asian font. Files that claim PDF/A or PDF/UA must
 * embed all their fonts.
 */
export function createMarkFonts(
  document: PDFDocument,
  library: FontLibrary,
  texts: readonly string[],
  mustEmbed = false,
): MarkFonts {
  const embed = embedder(document);
  const eastAsian = eastAsianFaces(library, texts);
  const fromFile = (name: FontFile): Promise<EmbeddedFont> => embed(name, () => library.file(name));
  const handwritten = handFaces(library, texts);
  const mixed = async (given: string, style: FontStyle, own: readonly Handwriting[] = []): Promise<TextFace> => {
    const text = given.normalize("NFC");
    const region = regionOf(text);
    const isBold = style.bold;
    const finder = createFinder(library, style, own);
    const written = Array.from(graphemes(text), (cluster) => writable(cluster, finder)).join("");
    const names = new Set(Array.from(graphemes(written), finder));
    const fonts = new Map<string, EmbeddedFont>();
    for (const name of names) {
      if (name === undefined) continue;
      const face = `${eastAsianName} ${region} ${isBold}`;
      if (name === eastAsianName) fonts.set(name, await embed(face, () => eastAsian(region, isBold)));
      else fonts.set(name, await (isHand(name) ? embed(name, () => handwritten(name)) : fromFile(name)));
    }
    return mixedFace(written, fonts, (cluster) => finder(cluster) ?? "", library);
  };
  return {
    forText: async (given, style) => {
      const text = withoutOverrides(given);
      if (mustEmbed) return mixed(text, style);
      const standard = await embed.standard(standardFont(style));
      // The standard 14 fonts only cover Western European letters, but add no bytes to the file.
      return canWrite(standard, text) ? plainFace(text, { embedded: standard }) : mixed(text, style);
    },
    forSignature: async (given, font) => {
      const text = withoutOverrides(given);
      const name = styleOf(font);
      const isComplete = !mayRunRightToLeft(text) && [...text].every((one) => hasGlyph(library, name, one));
      if (isComplete) return plainFace(text, await fromFile(name));
      const { slant, ...style } = stylesOfOtherScripts[name];
      const hands = handwritingsOf(library, name, text.normalize("NFC"));
      return hands.length > 0 ? mixed(text, style, hands) : { ...(await mixed(text, style)), slant };
    },
  };
}

type FontStyle = Pick<MarkStyle, "family" | "bold" | "italic">;

/**
 * How the styles differ for names in scripts that the handwritten fonts do not have. The witness has a list of its own of
 * the slants and refuses every other.
 */
const stylesOfOtherScripts: Readonly<Record<SignatureStyle, FontStyle & { readonly slant: number }>> = {
  "dancing-script": { family: "sans", bold: false, italic: false, slant: 0.22 },
  caveat: { family: "serif", bold: false, italic: false, slant: 0 },
  "great-vibes": { family: "sans", bold: true, italic: false, slant: 0.3 },
};

type Handwriting = FontFile | HandName;

/** The handwritings of a style by script, as the signing page has them in its styles. */
const handwritings: Readonly<Record<SignatureStyle, readonly Handwriting[]>> = {
  "dancing-script": ["dancing-script", "marck-script", "gveret-levin", "lateef", "charm", "nanum-pen-script"],
  caveat: ["caveat", "solitreo", "marhey", "sriracha", "nanum-brush-script"],
  "great-vibes": ["great-vibes", "amatic-sc", "amiri-bold-italic", "itim"],
};
const chineseAndJapanese: Readonly<Record<SignatureStyle, readonly HandName[]>> = {
  "dancing-script": ["ma-shan-zheng", "yomogi"],
  caveat: ["zhi-mang-xing", "yuji-boku"],
  "great-vibes": [],
};

/**
 * None where a style has none for the script. Characters of a name are all of one handwriting, or else the whole name is in
 * print: the signing page chooses in the same way.
 */
function handwritingsOf(library: FontLibrary, style: SignatureStyle, text: string): readonly Handwriting[] {
  if (!isHandwritten(style, text)) return [];
  const hands = chineseAndJapanese[style];
  const characters = characterCodes(text);
  if (characters.length === 0) return handwritings[style];
  const hand = (mayBeJapanese(text) ? hands.toReversed() : hands).find((one) =>
    characters.every((code) => library.hand(one).has(code)),
  );
  return hand === undefined ? [] : [...handwritings[style], hand];
}

const isHand = (name: Handwriting): name is HandName => name in hands;

/** Drawn in place of a character that none of our fonts has. */
const replacement = "\u25a1";

/**
 * When no font has a letter together with its combining marks, draw the letter and a visible replacement for
 * the marks.
 */
function writable(cluster: string, finder: Finder): string {
  if (finder(cluster) !== undefined) return cluster;
  const characters = [...cluster].filter((character) => !isIgnorable.test(character));
  return characters
    .map((character) => (/^\p{M}$/u.test(character) || finder(character) === undefined ? replacement : character))
    .join("");
}

/** Removes directional overrides, which can make a name read as another one. Isolates cannot, and stay. */
const withoutOverrides = (text: string): string => text.replaceAll(/[\u202a-\u202e]/g, "");

function hasGlyph(library: FontLibrary, name: Handwriting, character: string): boolean {
  const codePoint = character.codePointAt(0) ?? 0;
  return isHand(name) ? library.hand(name).has(codePoint) : library.file(name).font.hasGlyphForCodePoint(codePoint);
}

interface Embedder {
  (key: string, load: () => LoadedFont): Promise<EmbeddedFont>;
  standard(name: StandardFonts): Promise<PDFFont>;
}

/** Embeds each font once. */
function embedder(document: PDFDocument): Embedder {
  // Parsing a font takes much longer than drawing with it, and the result never changes.
  const read = new Map<Uint8Array, Font>();
  document.registerFontkit({ ...fontkit, create: (bytes) => read.get(bytes) ?? create(bytes) });
  const files = new Map<string, Promise<EmbeddedFont>>();
  const standards = new Map<string, Promise<PDFFont>>();
  const fromFile = async ({ bytes, font }: LoadedFont): Promise<EmbeddedFont> => {
    const own = fontOfDocument(font);
    read.set(bytes, own);
    return { embedded: await document.embedFont(bytes, { subset: true }), font: own };
  };
  const standard = (name: StandardFonts): Promise<PDFFont> => {
    const font = standards.get(name) ?? document.embedFont(name);
    standards.set(name, font);
    return font;
  };
  const embed = (key: string, load: () => LoadedFont): Promise<EmbeddedFont> => {
    const font = files.get(key) ?? fromFile(load());
    files.set(key, font);
    return font;
  };
  return Object.assign(embed, { standard });
}

/**
 * A font in one document: each text is shaped once for measuring, drawing and embedding. Readers reverse
 * right-to-left text character by character, even within a ligature, so ligatures get their characters in
 * reverse order.
 */
function fontOfDocument(font: Font): Font {
  const known = new Map<string, GlyphRun>();
  const layout = (text: string): GlyphRun => {
    const run = known.get(text) ?? toldBackwards(font.layout(text));
    known.set(text, run);
    return run;
  };
  return Object.create(font, { layout: { value: layout } });
}

function toldBackwards(run: GlyphRun): GlyphRun {
  if (run.direction !== "rtl") return run;
  const glyphs = run.glyphs.map(
    (glyph): Glyph =>
      glyph.codePoints.length < 2
        ? glyph
        : Object.create(glyph, { codePoints: { value: glyph.codePoints.toReversed() } }),
  );
  return Object.create(run, { glyphs: { value: glyphs } });
}

const eastAsianName = "east-asian";

/** Fonts with those characters of all texts that a handwriting has. */
const handFaces =
  (library: FontLibrary, texts: readonly string[]) =>
  (name: HandName): LoadedFont => {
    const codePoints = Array.from(texts.join("").normalize("NFC"), (character) => character.codePointAt(0) ?? 0);
    const glyphs = library.hand(name).outlinesOf(codePoints);
    const bytes = writeTrueType(glyphs, { family: name, weight: 400, ...hands[name] });
    return { bytes, font: create(bytes) as Font };
  };

type FontName = Handwriting | typeof eastAsianName;
type Finder = (cluster: string) => FontName | undefined;

/** One East Asian font for all texts, in the glyph forms of one region. */
const eastAsianFaces =
  (library: FontLibrary, texts: readonly string[]) =>
  (region: Region, isBold: boolean): LoadedFont => {
    const own = texts
      .filter((text) => regionOf(text.normalize("NFC")) === region)
      .join("\n")
      .normalize("NFC");
    const codePoints = Array.from(own + replacement, (character) => character.codePointAt(0) ?? 0);
    const bytes = library.eastAsian().fontOf(codePoints, region, isBold ? 700 : 400);
    return { bytes, font: create(bytes) as Font };
  };

function* graphemes(text: string): Iterable<string> {
  for (const { segment } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text)) yield segment;
}

/** Finds the first font that has a letter with all its combining marks; undefined when none has. */
function createFinder(library: FontLibrary, style: FontStyle, own: readonly Handwriting[]): Finder {
  const others: readonly FontFile[] = style.bold
    ? ["sans-bold", "hebrew-bold", "arabic-bold", "thai-bold"]
    : ["sans", "hebrew", "arabic", "thai"];
  const files: readonly Handwriting[] = [...own, fileOf(style), ...others];
  const found = new Map<string, FontName | undefined>();
  const find = (cluster: string): FontName | undefined => {
    const characters = [...cluster].filter((character) => !isIgnorable.test(character));
    const file = files.find((name) => characters.every((character) => hasGlyph(library, name, character)));
    if (file !== undefined) return file;
    const isThere = characters.every((character) => library.eastAsian().has(character.codePointAt(0) ?? 0));
    return isThere ? eastAsianName : undefined;
  };
  return (cluster) => {
    if (!found.has(cluster)) found.set(cluster, find(cluster));
    return found.get(cluster);
  };
}

/** Noto Sans Mono has no italic. */
function fileOf({ family, bold, italic }: FontStyle): FontFile {
  if (family === "mono") return bold ? "mono-bold" : "mono";
  if (bold) return italic ? `${family}-bold-italic` : `${family}-bold`;
  return italic ? `${family}-italic` : family;
}

/** Joiners and similar characters that have no glyph of their own. */
const isIgnorable = /^[\p{Default_Ignorable_Code_Point}\s]$/u;

/** pdf-lib writes question marks for characters that the font does not have. */
const canWrite = (font: PDFFont, text: string): boolean => {
  const characters = new Set(font.getCharacterSet());
  return [...text].every((character) => characters.has(character.codePointAt(0) ?? 0) || /^\s$/.test(character));
};

function standardFont({ family, bold, italic }: FontStyle): StandardFonts {
  const variant = (bold ? 1 : 0) + (italic ? 2 : 0);
  return standardFonts[family][variant] ?? StandardFonts.Helvetica;
}

/** Regular, bold, italic, bold italic. */
const standardFonts: Readonly<Record<MarkStyle["family"], readonly StandardFonts[]>> = {
  sans: [
    StandardFonts.Helvetica,
    StandardFonts.HelveticaBold,
    StandardFonts.HelveticaOblique,
    StandardFonts.HelveticaBoldOblique,
  ],
  serif: [
    StandardFonts.TimesRoman,
    StandardFonts.TimesRomanBold,
    StandardFonts.TimesRomanItalic,
    StandardFonts.TimesRomanBoldItalic,
  ],
  mono: [
    StandardFonts.Courier,
    StandardFonts.CourierBold,
    StandardFonts.CourierOblique,
    StandardFonts.CourierBoldOblique,
  ],
};
