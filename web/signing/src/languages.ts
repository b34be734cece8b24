import { languageFor } from "#platform/language.ts";
import type { Plural, Texts } from "./texts/texts.ts";

export interface Language {
  /** BCP 47. */
  readonly tag: string;
  /** As those who speak it call it. */
  readonly name: string;
}

/** A language with its texts. */
export interface SpokenLanguage extends Language {
  readonly texts: Texts;
}

interface LoadedLanguage extends Language {
  /** Each language is a file of its own: only the one that is read is loaded. */
  readonly load: () => Promise<Texts>;
}

const all: readonly LoadedLanguage[] = [
  { tag: "en", name: "English", load: async () => (await import("./texts/en.ts")).en },
  { tag: "de", name: "Deutsch", load: async () => (await import("./texts/de.ts")).de },
  { tag: "fr", name: "Français", load: async () => (await import("./texts/fr.ts")).fr },
  { tag: "es", name: "Español", load: async () => (await import("./texts/es.ts")).es },
  { tag: "it", name: "Italiano", load: async () => (await import("./texts/it.ts")).it },
  { tag: "pt-BR", name: "Português (Brasil)", load: async () => (await import("./texts/pt-br.ts")).ptBr },
  { tag: "pt-PT", name: "Português (Portugal)", load: async () => (await import("./texts/pt.ts")).pt },
  { tag: "nl", name: "Nederlands", load: async () => (await import("./texts/nl.ts")).nl },
  { tag: "pl", name: "Polski", load: async () => (await import("./texts/pl.ts")).pl },
  { tag: "ja", name: "日本語", load: async () => (await import("./texts/ja.ts")).ja },
  { tag: "zh-Hans", name: "简体中文", load: async () => (await import("./texts/zh.ts")).zh },
  { tag: "ar", name: "العربية", load: async () => (await import("./texts/ar.ts")).ar },
  { tag: "he", name: "עברית", load: async () => (await import("./texts/he.ts")).he },
];

export const languages: readonly Language[] = all;

/** The first of the wanted languages that there is; English when there is none. */
export async function loadLanguage(wanted: readonly string[]): Promise<SpokenLanguage> {
  const tag = languageFor(
    wanted,
    all.map((one) => one.tag),
  );
  const { load, ...language } = all.find((one) => one.tag === tag) ?? (all[0] as LoadedLanguage);
  return { ...language, texts: await load() };
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

/** The form of a language for this number. */
export const plural = (text: Plural, { tag }: Language, count: number): string =>
  text[new Intl.PluralRules(tag).select(count)] ?? text.other;
