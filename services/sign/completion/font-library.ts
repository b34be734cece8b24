import { readFileSync } from "node:fs";
import { create, type Font } from "@cantoo/fontkit";
import bidiFactory, { type Bidi } from "bidi-js";
import { createEastAsianFonts, type EastAsianFonts } from "#platform/fonts/east-asian.ts";
import { createSliceCache, createSlicedFont, type SlicedFont } from "#platform/fonts/truetype.ts";

/** Font data, read once per process and on first use: most texts need none of it. */
export interface FontLibrary {
  file(name: FontFile): LoadedFont;
  eastAsian(): EastAsianFonts;
  /** A handwriting with East Asian characters. */
  hand(name: HandName): SlicedFont;
  bidi(): Bidi;
}

export interface LoadedFont {
  readonly bytes: Buffer;
  readonly font: Font;
}

export type FontFile = keyof typeof fontFiles;

const folder = new URL("../../../node_modules/@expo-google-fonts/", import.meta.url);

const fontFiles = {
  "dancing-script": "dancing-script/400Regular/DancingScript_400Regular.ttf",
  caveat: "caveat/400Regular/Caveat_400Regular.ttf",
  "great-vibes": "great-vibes/400Regular/GreatVibes_400Regular.ttf",
  "marck-script": "marck-script/400Regular/MarckScript_400Regular.ttf",
  "gveret-levin": "gveret-levin/400Regular/GveretLevin_400Regular.ttf",
  solitreo: "solitreo/400Regular/Solitreo_400Regular.ttf",
  "amatic-sc": "amatic-sc/400Regular/AmaticSC_400Regular.ttf",
  lateef: "lateef/400Regular/Lateef_400Regular.ttf",
  marhey: "marhey/400Regular/Marhey_400Regular.ttf",
  "amiri-bold-italic": "amiri/700Bold_Italic/Amiri_700Bold_Italic.ttf",
  charm: "charm/400Regular/Charm_400Regular.ttf",
  sriracha: "sriracha/400Regular/Sriracha_400Regular.ttf",
  itim: "itim/400Regular/Itim_400Regular.ttf",
  sans: "noto-sans/400Regular/NotoSans_400Regular.ttf",
  "sans-bold": "noto-sans/700Bold/NotoSans_700Bold.ttf",
  "sans-italic": "noto-sans/400Regular_Italic/NotoSans_400Regular_Italic.ttf",
  "sans-bold-italic": "noto-sans/700Bold_Italic/NotoSans_700Bold_Italic.ttf",
  serif: "noto-serif/400Regular/NotoSerif_400Regular.ttf",
  "serif-bold": "noto-serif/700Bold/NotoSerif_700Bold.ttf",
  "serif-italic": "noto-serif/400Regular_Italic/NotoSerif_400Regular_Italic.ttf",
  "serif-bold-italic": "noto-serif/700Bold_Italic/NotoSerif_700Bold_Italic.ttf",
  mono: "noto-sans-mono/400Regular/NotoSansMono_400Regular.ttf",
  "mono-bold": "noto-sans-mono/700Bold/NotoSansMono_700Bold.ttf",
  hebrew: "noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf",
  "hebrew-bold": "noto-sans-hebrew/700Bold/NotoSansHebrew_700Bold.ttf",
  arabic: "ibm-plex-sans-arabic/400Regular/IBMPlexSansArabic_400Regular.ttf",
  "arabic-bold": "ibm-plex-sans-arabic/700Bold/IBMPlexSansArabic_700Bold.ttf",
  thai: "noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf",
  "thai-bold": "noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf",
} as const;

/** With how far they reach above and below the line, in thousandths of their size. */
export const hands = {
  "ma-shan-zheng": { ascender: 880, descender: -120 },
  "zhi-mang-xing": { ascender: 880, descender: -120 },
  yomogi: { ascender: 1160, descender: -288 },
  "yuji-boku": { ascender: 1160, descender: -288 },
  "nanum-pen-script": { ascender: 800, descender: -200 },
  "nanum-brush-script": { ascender: 630, descender: -370 },
} as const;
export type HandName = keyof typeof hands;

export function createFontLibrary(): FontLibrary {
  const once = <Made>(make: () => Made): (() => Made) => {
    let made: { readonly value: Made } | undefined;
    return () => {
      made ??= { value: make() };
      return made.value;
    };
  };
  const loaded = new Map<FontFile, LoadedFont>();
  const slices = once(createSliceCache);
  const written = new Map<HandName, SlicedFont>();
  return {
    file: (name) => {
      const known = loaded.get(name);
      if (known !== undefined) return known;
      const bytes = readFileSync(new URL(fontFiles[name], folder));
      const made = { bytes, font: create(bytes) as Font };
      loaded.set(name, made);
      return made;
    },
    hand: (name) => {
      const hand = written.get(name) ?? createSlicedFont(`@fontsource/${name}`, "400-normal", slices());
      written.set(name, hand);
      return hand;
    },
    eastAsian: once(createEastAsianFonts),
    // The package's types declare the module as the function itself.
    bidi: once(bidiFactory as unknown as () => Bidi),
  };
}
