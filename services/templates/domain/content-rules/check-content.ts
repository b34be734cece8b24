import { canonicalLocale } from "#platform/locale.ts";
import type { Outline } from "#platform/restricted-html/outline.ts";
import { type ReadContent, readContent } from "#platform/restricted-html/read-content.ts";
import type { SourceRange } from "#platform/restricted-html/tree.ts";
import type { ContentCode } from "./codes.ts";
import { consentConfigFindings, consentFindings, precheckedMarkup } from "./consent-rules.ts";
import { placeholderFindings } from "./placeholder-rules.ts";
import {
  atStart,
  type ContentReport,
  type ContentSubject,
  makeReport,
  maxFindings,
  type Publication,
  type RuleFinding,
} from "./report.ts";

const maxBytes = 1_048_576;

/**
 * Checks a content against all rules. With a publication it reports everything that prevents publishing;
 * without one, only what is wrong for any template. Takes as long as readContent.
 */
export function checkContent(subject: ContentSubject): ContentReport {
  const { content, format } = subject;
  const bytes = Buffer.byteLength(content);
  if (bytes > maxBytes) {
    const message = `The content has ${bytes} bytes in UTF-8; at most ${maxBytes} are allowed.`;
    return makeReport("", [atStart("CONTENT_TOO_LARGE", "ERROR", message)]);
  }
  const read = readContent(format, content);
  return makeReport(content, [
    ...read.findings.map(
      (finding): RuleFinding => ({ ...finding, code: `CONTENT_${finding.code}` as const, path: "content" }),
    ),
    ...(content.trim() === "" || read.shown?.isBlank === true ? [empty] : []),
    ...normalizationFindings(content),
    ...placeholderFindings(subject, read),
    ...shownFindings(subject, read),
    ...consentRules(subject, read),
    ...noticeFindings(subject.publication),
  ]);
}

const empty = atStart("CONTENT_EMPTY", "ERROR", "The content has no text that could be read.");

/** Findings that require content fit to be shown. */
function shownFindings({ publication }: ContentSubject, { shown }: ReadContent): RuleFinding[] {
  return shown === undefined ? [] : accessibilityFindings(shown.outline, publication?.locale);
}

function consentRules({ type, publication }: ContentSubject, { findings, shown }: ReadContent): RuleFinding[] {
  if (type !== "CONSENT") return [];
  return [
    ...(publication === undefined ? [] : consentConfigFindings(publication.typeConfig)),
    ...(shown === undefined ? precheckedMarkup(findings) : consentFindings(shown.text, publication?.typeConfig)),
  ];
}

/** A person who presses a button that the notice calls by another name has not agreed to what the notice says. */
function noticeFindings(publication: Publication | undefined): RuleFinding[] {
  const { consentText, buttonText } = publication?.texts ?? {};
  // An absent notice is made with the label of the button.
  if (consentText === undefined || buttonText === undefined || buttonText.trim() === "") return [];
  if (comparable(consentText).includes(comparable(buttonText))) return [];
  const message = `The notice does not name the button by its label "${buttonText}".`;
  return [atStart("NOTICE_BUTTON_MISMATCH", "WARNING", message, "consentText")];
}

const comparable = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();

/** Whether the content is in the normalization form that texts are usually exchanged in. */
function normalizationFindings(content: string): RuleFinding[] {
  // Normalizing long runs of combining marks takes quadratic time: a minute for 1 MiB. No language has such runs
  // (https://unicode.org/reports/tr15/#Stream_Safe_Text_Format).
  const run = /\p{M}{31}/u.exec(content);
  if (run !== null) {
    const message = "More than 30 combining marks follow each other here.";
    return [notNormalized({ offset: run.index, length: run[0].length }, message)];
  }
  const normalized = content.normalize("NFC");
  if (normalized === content) return [];
  let offset = 0;
  while (content[offset] === normalized[offset]) offset += 1;
  const message = "The content is not in Unicode normalization form C here, so that searching in it can fail.";
  return [notNormalized({ offset, length: 1 }, message)];
}

const notNormalized = (range: { offset: number; length: number }, message: string): RuleFinding => ({
  ...atStart("CONTENT_NOT_NFC", "WARNING", message),
  ...range,
});

/** What makes a content harder to read for people who hear it or find their way by headings and links. */
function accessibilityFindings(outline: Outline, locale: string | undefined): RuleFinding[] {
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

/** The empty text is included: a link without text cannot be found at all. */
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
