import type { JsonObject } from "@bufbuild/protobuf";
import { canonicalLocale } from "#platform/locale.ts";
import type { LocatedHtmlFinding } from "#platform/restricted-html/findings.ts";
import type { Outline } from "#platform/restricted-html/outline.ts";
import { type ReadContent, readContent } from "#platform/restricted-html/read-content.ts";
import type { VisibleText } from "#platform/restricted-html/text.ts";
import type { SourceRange } from "#platform/restricted-html/tree.ts";
import type { ConsentConfig } from "../type-config/consent.ts";
import { readTypeConfig } from "../type-config.ts";
import type { ContentCode } from "./codes.ts";
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

/**
 * What makes a consent invalid (GDPR art. 4(11), 7 and 13; Planet49). Without a configuration, anything that
 * the configuration could still fix is only a warning.
 */
const consentFindings = (text: VisibleText, typeConfig: JsonObject | undefined): RuleFinding[] => [
  ...precheckedWording(text),
  ...bundledWording(text),
  ...withdrawalFindings(text, configOf(typeConfig)),
  ...controllerInText(text, configOf(typeConfig)),
];

/** What the publication needs in the configuration whatever the text is. */
function consentConfigFindings(typeConfig: JsonObject): RuleFinding[] {
  const { purposes, controller } = readTypeConfig("CONSENT", typeConfig);
  const findings: RuleFinding[] = [];
  if (purposes.length === 0) {
    const message = "The template has no purposes, so there is nothing to consent to.";
    findings.push(atStart("CONSENT_PURPOSES_MISSING", "ERROR", message, "typeConfig.purposes"));
  }
  if (controller === undefined) {
    const message = "The template does not say who is responsible for the data.";
    findings.push(atStart("CONSENT_CONTROLLER_MISSING", "ERROR", message, "typeConfig.controller"));
  }
  return findings;
}

/** Boxes that are ticked in the markup; it is refused in any case, and this is why it would be even if it were not. */
const precheckedMarkup = (findings: readonly LocatedHtmlFinding[]): RuleFinding[] =>
  findings
    .filter(({ code, name }) => code === "ATTRIBUTE_FORBIDDEN" && name !== undefined && tickingAttributes.has(name))
    .map(({ offset, length }) => about("CONSENT_PRECHECKED", "ERROR", precheckedMessage, { offset, length }));

const tickingAttributes = new Set(["checked", "selected", "aria-checked", "aria-selected"]);

const precheckedMessage = "A box must not be ticked before the person ticks it: silence is not consent.";

const configOf = (typeConfig: JsonObject | undefined): ConsentConfig | undefined =>
  typeConfig === undefined ? undefined : readTypeConfig("CONSENT", typeConfig);

const precheckedWording = (text: VisibleText): RuleFinding[] => [
  ...search(text, precheckedBox)
    .filter((match) => !negation.test(sentenceAround(text.text, match)))
    .map((match) => found("CONSENT_PRECHECKED", "ERROR", precheckedMessage, text, match)),
  ...search(text, optOutBox).map((match) => found("CONSENT_PRECHECKED", "ERROR", precheckedMessage, text, match)),
];

function bundledWording(text: VisibleText): RuleFinding[] {
  const message = "Consent must be given by an act of its own, not by going on with something else.";
  return search(text, bundledConsent).map((match) => found("CONSENT_BUNDLED", "WARNING", message, text, match));
}

function withdrawalFindings({ text }: VisibleText, config: ConsentConfig | undefined): RuleFinding[] {
  if (withdrawal.some((pattern) => pattern.test(text))) return [];
  const isUnknown = config !== undefined && config.withdrawalMethod === undefined;
  const message = "The content does not say that and how consent can be withdrawn.";
  return [
    isUnknown
      ? atStart("CONSENT_WITHDRAWAL_MISSING", "ERROR", message, "typeConfig.withdrawalMethod")
      : atStart("CONSENT_WITHDRAWAL_MISSING", "WARNING", message),
  ];
}

function controllerInText({ text }: VisibleText, config: ConsentConfig | undefined): RuleFinding[] {
  const name = config?.controller?.name;
  if (name === undefined || lowerCased(text).includes(lowerCased(name))) return [];
  return [atStart("CONSENT_CONTROLLER_MISSING", "WARNING", `The content does not name the controller, ${name}.`)];
}

const lowerCased = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, " ").trim();

interface Match {
  readonly index: number;
  readonly length: number;
}

/** The first matches of all patterns. */
function search({ text }: VisibleText, patterns: readonly RegExp[]): Match[] {
  const matches: Match[] = [];
  for (const pattern of patterns) {
    for (const match of text.matchAll(pattern)) {
      if (matches.length > maxFindings) return matches;
      matches.push({ index: match.index, length: match[0].length });
    }
  }
  return matches;
}

/** A sentence that is longer than anybody writes is cut. */
const maxSentence = 300;

function sentenceAround(text: string, { index, length }: Match): string {
  const before =
    text
      .slice(Math.max(0, index - maxSentence), index)
      .split(/[.!?\n]/)
      .at(-1) ?? "";
  const after = text.slice(index + length, index + length + maxSentence).split(/[.!?\n]/)[0] ?? "";
  return before + text.slice(index, index + length) + after;
}

function found(
  code: ContentCode,
  severity: RuleFinding["severity"],
  message: string,
  text: VisibleText,
  { index, length }: Match,
): RuleFinding {
  return about(code, severity, message, text.sourceOf(index, index + length));
}

const about = (
  code: ContentCode,
  severity: RuleFinding["severity"],
  message: string,
  { offset, length }: Pick<RuleFinding, "offset" | "length">,
): RuleFinding => ({ code, severity, message, path: "content", offset, length });

/**
 * How people write what the rules about consent look for, in the languages that most texts come in. A text in another
 * language is not found to have it, which is never more than a warning; see the rules for what that means.
 *
 * Every gap is bounded, so that searching takes linear time.
 */

/** Continuing, browsing or using something that counts as consent. */
const bundledConsent: readonly RegExp[] = [
  /\bby\s+(?:continuing|using|browsing|visiting|accessing|scrolling|closing|remaining|staying|registering|signing\s+up)\b[^.!?]{0,120}?\b(?:consents?|agrees?|accepts?)\b/giu,
  /\bcontinued\s+use\b[^.!?]{0,120}?\b(?:consent|agreement|acceptance)\b/giu,
  /\b(?:indem|wenn|durch)\b[^.!?]{0,80}?\b(?:weiter\s*(?:surfen|nutzen|verwenden)|fortfahren|nutzung|nutzen|verwenden)\b[^.!?]{0,120}?\b(?:zu|ein|einverstanden)\b/giu,
  /\ben\s+(?:continuant|poursuivant|utilisant|naviguant)\b[^.!?]{0,120}?\b(?:acceptez|consentez|consens|accepte)\b/giu,
  /\b(?:al|si)\s+(?:continuar|continúa|utilizar|usar|navegar)\b[^.!?]{0,120}?\b(?:acepta|consiente|aceptas|consientes)\b/giu,
  /\b(?:continuando|proseguendo|utilizzando|navigando)\b[^.!?]{0,120}?\b(?:acconsenti|accetti|acconsente|accetta)\b/giu,
  /\b(?:ao\s+continuar|ao\s+utilizar|ao\s+usar|ao\s+navegar)\b[^.!?]{0,120}?\b(?:concorda|aceita|consente)\b/giu,
  /\bdoor\s+(?:verder\s+te\s+gaan|gebruik|te\s+gebruiken|door\s+te\s+gaan)\b[^.!?]{0,120}?\b(?:akkoord|toestemming|instemt)\b/giu,
];

/** A box that is ticked before the person has done anything. */
const precheckedBox: readonly RegExp[] = [
  /\bpre-?\s?(?:checked|ticked)\b/giu,
  /\bpre-?\s?selected\s+(?:box|boxes|checkbox|checkboxes|consents?)\b/giu,
  /\b(?:checked|ticked)\s+by\s+default\b/giu,
  /\b(?:box|boxes|checkbox|checkboxes)\s+(?:is|are)\s+already\s+(?:checked|ticked|selected)\b/giu,
  /\b(?:vor(?:ab\s)?(?:ausgewählt|angekreuzt|angehakt)|bereits\s+(?:angekreuzt|angehakt|ausgewählt))(?!\p{L})/giu,
  /\b(?:pré-?coch[ée]e?s?|coch[ée]e?s?\s+par\s+d[ée]faut)(?!\p{L})/giu,
  /\b(?:premarcad[ao]s?|marcad[ao]s?\s+por\s+defecto|preselezionat[aoie]|pré-?selecionad[ao]s?|vooraf\s+aangevinkt)\b/giu,
  // A ticked box as a character, and as the task list of Markdown.
  /[\u2611\u2612\u{1f5f9}\u{1f5f5}]/giu,
  /^[ \t]{0,9}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}\[[xX]\]/gmu,
];

/** A box to be unticked by whoever does not consent. */
const optOutBox: readonly RegExp[] = [
  /\bun-?(?:check|tick|select)\s+(?:the|this|these|that)\b[^.!?]{0,40}?\b(?:box|boxes|checkbox|option)\b/giu,
  /\b(?:check|tick)\s+(?:the|this)\s+(?:box|checkbox)\s+if\s+you\s+(?:do\s+not|don['’]t)\b/giu,
  /(?:entfernen\s+sie\s+(?:den|das)\s+(?:haken|häkchen|kreuz)|\bdécochez\b|\bdesmarque\b|\bdeseleziona\b)/giu,
];

/** Words that turn a statement about such a box into its opposite. */
const negation =
  /\b(?:no|not|never|none|nothing|without|isn['’]t|aren['’]t|nicht|kein\p{L}*|nie|ohne|ne|pas|aucune?|jamais|sin|ninguna?|nunca|non|nessun\p{L}*|mai|não|nenhuma?|niet|geen)\b/iu;

/** That consent can be taken back. */
const withdrawal: readonly RegExp[] = [
  /\b(?:withdraw\p{L}*|revok\p{L}*|revoc\p{L}*|opt(?:ing)?[- ]out|unsubscrib\p{L}*|change\s+your\s+mind|take\s+back\s+your\s+consent)/iu,
  /(?:widerr[ui]f|widerruf|zurückzieh|zurückgenommen|zurücknehm|abmelden|abbestell|austragen)/iu,
  /(?:retir(?:er|ez|é)|retrait|révoqu|désabonn|désinscri|revenir\s+sur)/iu,
  /(?:retirar|revocar|retirada|revocación|darse\s+de\s+baja|cancelar\s+la\s+suscripción)/iu,
  /(?:revocare|revoca|ritirare|disiscri|annullare\s+l['’]iscrizione)/iu,
  /(?:revogar|revogação|cancelar\s+a\s+inscrição|cancelar\s+a\s+subscrição)/iu,
  /(?:intrekken|intrekt|afmelden|uitschrijven)/iu,
  /(?:wycofa|cofn|odwoła|återkalla|dra\s+tillbaka|trække\s+tilbage|tilbagekald|trekke\s+tilbake|peruutta|odvolat|visszavon)/iu,
  /(?:撤回|取り消|撤销|取消|철회|отозвать|отзыв|відкликати|سحب|geri\s+al|लेना)/iu,
];
