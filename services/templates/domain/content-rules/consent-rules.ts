import type { JsonObject } from "@bufbuild/protobuf";
import type { LocatedHtmlFinding } from "#platform/restricted-html/html-finding.ts";
import type { VisibleText } from "#platform/restricted-html/visible-text.ts";
import type { ConsentConfig } from "../type-config/consent.ts";
import { readTypeConfig } from "../type-config.ts";
import type { ContentCode } from "./codes.ts";
import { bundledConsent, negation, optOutBox, precheckedBox, withdrawal } from "./consent-wording.ts";
import { atStart, maxFindings, type RuleFinding } from "./report.ts";

/**
 * What keeps a consent from being valid (GDPR art. 4(11), 7 and 13; Planet49). Without a configuration nobody knows yet
 * what it will say, so what it could make up for is a warning.
 */
export const consentFindings = (text: VisibleText, typeConfig: JsonObject | undefined): RuleFinding[] => [
  ...precheckedWording(text),
  ...bundledWording(text),
  ...withdrawalFindings(text, configOf(typeConfig)),
  ...controllerInText(text, configOf(typeConfig)),
];

/** What the publication needs in the configuration whatever the text is. */
export function consentConfigFindings(typeConfig: JsonObject): RuleFinding[] {
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
export const precheckedMarkup = (findings: readonly LocatedHtmlFinding[]): RuleFinding[] =>
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
  if (name === undefined || comparable(text).includes(comparable(name))) return [];
  return [atStart("CONSENT_CONTROLLER_MISSING", "WARNING", `The content does not name the controller, ${name}.`)];
}

const comparable = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, " ").trim();

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
