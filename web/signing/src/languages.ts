import { de } from "./texts/de.ts";
import { en } from "./texts/en.ts";
import { es } from "./texts/es.ts";
import { fr } from "./texts/fr.ts";
import { ja } from "./texts/ja.ts";
import { ptBr } from "./texts/pt-br.ts";
import type { Texts } from "./texts/texts.ts";

export interface Language {
  /** BCP 47. */
  readonly tag: string;
  /** As those who speak it call it. */
  readonly name: string;
  readonly texts: Texts;
}

export const languages: readonly Language[] = [
  { tag: "en", name: "English", texts: en },
  { tag: "de", name: "Deutsch", texts: de },
  { tag: "fr", name: "Français", texts: fr },
  { tag: "es", name: "Español", texts: es },
  { tag: "pt-BR", name: "Português (Brasil)", texts: ptBr },
  { tag: "ja", name: "日本語", texts: ja },
];

/** The first of the wanted languages that there is; English when there is none. */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const primary = tag.toLowerCase().split("-")[0];
    const found = languages.find((language) => language.tag.toLowerCase().split("-")[0] === primary);
    if (primary !== "" && found !== undefined) return found;
  }
  return languages[0] as Language;
}

const storageKey = "assent-signing-language";

/** A browser may forbid a page in a frame to store anything. */
export function rememberLanguage(tag: string): void {
  try {
    sessionStorage.setItem(storageKey, tag);
  } catch {}
}

/** The language that the person has chosen in this tab; empty when they have not. */
export function rememberedLanguage(): string {
  try {
    return sessionStorage.getItem(storageKey) ?? "";
  } catch {
    return "";
  }
}

/** Fills `{name}` and the like. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

/** Scripts that run from right to left turn the page around. */
export const directionOf = (tag: string): "ltr" | "rtl" =>
  ["ar", "fa", "he", "ur"].includes(tag.toLowerCase().split("-")[0] ?? "") ? "rtl" : "ltr";
