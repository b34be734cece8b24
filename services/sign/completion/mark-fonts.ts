import { readFileSync } from "node:fs";
import fontkit, { create, type Font } from "@cantoo/fontkit";
import { type PDFDocument, type PDFFont, StandardFonts } from "pdf-lib";
import type { MarkStyle } from "./mark.ts";

/** The fonts of one document, embedded when they are first needed. */
export interface MarkFonts {
  /** A font that has all characters of the text, as far as there is one. */
  forText(text: string, style: Pick<MarkStyle, "family" | "bold" | "italic">): Promise<DrawnText>;
  forSignature(text: string, font: string): Promise<DrawnText>;
}

/** A text, and the font that it is drawn with. Characters that no font has are replaced. */
export interface DrawnText {
  readonly font: PDFFont;
  readonly text: string;
}

/** The styles in which people may write their names; the first is the usual one. */
export const signatureFonts = ["dancing-script", "caveat", "great-vibes"] as const;

const folder = new URL("../../../node_modules/@expo-google-fonts/", import.meta.url);

const fontFiles = {
  "dancing-script": "dancing-script/400Regular/DancingScript_400Regular.ttf",
  caveat: "caveat/400Regular/Caveat_400Regular.ttf",
  "great-vibes": "great-vibes/400Regular/GreatVibes_400Regular.ttf",
  sans: "noto-sans/400Regular/NotoSans_400Regular.ttf",
  "sans-bold": "noto-sans/700Bold/NotoSans_700Bold.ttf",
} as const;

type FontFile = keyof typeof fontFiles;

/** Reads font files once for the process. */
export type FontLibrary = (name: FontFile) => { readonly bytes: Buffer; readonly font: Font };

export function createFontLibrary(): FontLibrary {
  const loaded = new Map<FontFile, { bytes: Buffer; font: Font }>();
  return (name) => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const bytes = readFileSync(new URL(fontFiles[name], folder));
    const made = { bytes, font: create(bytes) as Font };
    loaded.set(name, made);
    return made;
  };
}

export function createMarkFonts(document: PDFDocument, library: FontLibrary): MarkFonts {
  // A font takes much longer to be read than to be drawn with, and what is read of it does not change.
  const read = new Map<Uint8Array, Font>();
  document.registerFontkit({ ...fontkit, create: (bytes) => read.get(bytes) ?? create(bytes) });
  const embedded = new Map<string, Promise<PDFFont>>();
  const once = (name: string, embed: () => Promise<PDFFont>): Promise<PDFFont> => {
    const font = embedded.get(name) ?? embed();
    embedded.set(name, font);
    return font;
  };
  const fromFile = (name: FontFile): Promise<PDFFont> =>
    once(name, () => {
      const { bytes, font } = library(name);
      read.set(bytes, font);
      return document.embedFont(bytes, { subset: true });
    });
  const withFile = async (text: string, name: FontFile): Promise<DrawnText> => ({
    font: await fromFile(name),
    text: [...text].map((character) => (hasGlyph(library, name, character) ? character : replacement)).join(""),
  });
  return {
    forText: async (text, style) => {
      const standard = await once(standardFont(style), () => document.embedFont(standardFont(style)));
      // The fonts that every reader has know the letters of western Europe only; they need no bytes in the file.
      if (canWrite(standard, text)) return { font: standard, text };
      return withFile(text, style.bold ? "sans-bold" : "sans");
    },
    forSignature: async (text, font) => {
      const name = signatureFonts.find((one) => one === font) ?? signatureFonts[0];
      const isComplete = [...text].every((character) => hasGlyph(library, name, character));
      return withFile(text, isComplete ? name : "sans");
    },
  };
}

/** What is drawn for a character that no font of ours has. */
const replacement = "\u25a1";

const hasGlyph = (library: FontLibrary, name: FontFile, character: string): boolean =>
  library(name).font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);

/** The library writes question marks in place of what a font has not. */
const canWrite = (font: PDFFont, text: string): boolean => {
  const characters = new Set(font.getCharacterSet());
  return [...text].every((character) => characters.has(character.codePointAt(0) ?? 0) || /^\s$/.test(character));
};

function standardFont({ family, bold, italic }: Pick<MarkStyle, "family" | "bold" | "italic">): StandardFonts {
  const variant = (bold ? 1 : 0) + (italic ? 2 : 0);
  return standardFonts[family][variant] ?? StandardFonts.Helvetica;
}

/** Regular, bold, italic, bold and italic. */
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
