import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { ja } from "./ja.ts";
import type { MailTexts } from "./mail-texts.ts";
import { ptBr } from "./pt-br.ts";

const languages: ReadonlyMap<string, { readonly tag: string; readonly texts: MailTexts }> = new Map([
  ["en", { tag: "en", texts: en }],
  ["de", { tag: "de", texts: de }],
  ["fr", { tag: "fr", texts: fr }],
  ["es", { tag: "es", texts: es }],
  ["pt", { tag: "pt-BR", texts: ptBr }],
  ["ja", { tag: "ja", texts: ja }],
]);

const english = { tag: "en", texts: en };

/** The texts for a BCP 47 tag; English ones when there are none for its language. */
export const mailLanguage = (tag: string): { readonly tag: string; readonly texts: MailTexts } =>
  languages.get(tag.toLowerCase().split("-")[0] ?? "") ?? english;
