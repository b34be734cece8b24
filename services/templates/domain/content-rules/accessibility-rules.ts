import type { Outline } from "#platform/restricted-html/outline.ts";
import type { SourceRange } from "#platform/restricted-html/tree.ts";
import { canonicalLocale } from "../locale.ts";
import type { ContentCode } from "./codes.ts";
import { maxFindings, type RuleFinding } from "./report.ts";

/** What makes a content harder to read for people who hear it or find their way by headings and links. */
export function accessibilityFindings(outline: Outline, locale: string | undefined): RuleFinding[] {
  return [
    ...outline.languages.flatMap(({ language, isOfAll, source }) =>
      languageFinding(language, isOfAll ? locale : undefined, source),
    ),
    ...headingFindings(outline),
    ...outline.links
      .filter((link) => saysNothing(link.text))
      .map((link) => warning("A11Y_LINK_TEXT", link.source, "The text of the link does not say where it leads.")),
  ].slice(0, maxFindings + 1);
}

/** A text without a language has that of its version; one that says another is read out wrongly. */
function languageFinding(language: string, locale: string | undefined, source: SourceRange): RuleFinding[] {
  const canonical = canonicalLocale(language);
  if (canonical === undefined) {
    return [warning("A11Y_LANGUAGE_INVALID", source, "lang must be a language tag such as en or pt-BR.")];
  }
  if (locale === undefined || languageOf(canonical) === languageOf(locale)) return [];
  return [
    warning("A11Y_LANGUAGE_MISMATCH", source, `The text says that it is in ${canonical}, its version in ${locale}.`),
  ];
}

const languageOf = (tag: string): string => tag.split("-")[0]?.toLowerCase() ?? "";

function headingFindings({ headings }: Outline): RuleFinding[] {
  return headings.flatMap(({ level, source }, index) => {
    const before = headings[index - 1]?.level;
    if (before === undefined || level <= before + 1) return [];
    const message = `A heading of level ${level} follows one of level ${before}: a level is left out.`;
    return [warning("A11Y_HEADING_ORDER", source, message)];
  });
}

const saysNothing = (text: string): boolean =>
  vagueTexts.has(
    text
      .slice(0, 100)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim(),
  );

/** The empty one is in it: a link without text cannot be found at all. */
const vagueTexts = new Set(
  [
    "",
    "here|click here|this|link|this link|more|read more|learn more|see more|details|go",
    "hier|hier klicken|klicken sie hier|klick hier|mehr|mehr erfahren|weiterlesen|weiter",
    "ici|cliquez ici|lien|ce lien|plus|en savoir plus|lire la suite|suite",
    "aquí|haga clic aquí|clic aquí|pulse aquí|enlace|más|leer más|ver más",
    "qui|clicca qui|leggi|leggi tutto|scopri di più|continua",
    "aqui|clique aqui|leia mais|saiba mais|mais",
    "klik hier|lees meer|meer",
    "tutaj|kliknij tutaj|więcej|tu|klicka här|här|läs mer|klik her|her|læs mere",
  ].flatMap((texts) => texts.split("|")),
);

const warning = (code: ContentCode, { offset, length }: SourceRange, message: string): RuleFinding => ({
  code,
  severity: "WARNING",
  message,
  path: "content",
  offset,
  length,
});
