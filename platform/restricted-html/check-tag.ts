import { readAddress, schemeAfterCleaning } from "./address.ts";
import { isUnsafeWhenDecoded } from "./elements.ts";
import type { HtmlFindingCode, ReportHtml } from "./findings.ts";
import { quotable } from "./findings.ts";
import type { AttributeRule, HtmlRules } from "./rules.ts";
import type { SourceAttribute, StartTag } from "./tokens.ts";

/** Checks a start tag and its attributes. True when the element itself is allowed. */
export function checkTag(tag: StartTag, rules: HtmlRules, report: ReportHtml): boolean {
  const own = Object.hasOwn(rules.elements, tag.name) ? rules.elements[tag.name] : undefined;
  if (own === undefined) {
    const message = `The element <${quotable(tag.name)}> is not allowed.`;
    report({ code: "ELEMENT_FORBIDDEN", severity: "ERROR", ...tag.source, name: quotable(tag.name), message });
  }
  for (const attribute of tag.attributes) {
    const { name, source } = attribute;
    const problem = attributeProblem(attribute, ruleFor(name, own ?? {}, rules), rules);
    if (problem === undefined) continue;
    const message = problem.message.replace("%", () => `${quotable(name)} of <${quotable(tag.name)}>`);
    report({ code: problem.code, severity: "ERROR", ...source, name: quotable(name), message });
  }
  return own !== undefined;
}

interface Problem {
  readonly code: HtmlFindingCode;
  /** With % for the name of the attribute and its element. */
  readonly message: string;
}

function ruleFor(name: string, own: Readonly<Record<string, AttributeRule>>, rules: HtmlRules) {
  if (Object.hasOwn(own, name)) return own[name];
  return Object.hasOwn(rules.attributes, name) ? rules.attributes[name] : undefined;
}

function attributeProblem({ value }: SourceAttribute, rule: AttributeRule | undefined, rules: HtmlRules) {
  if (rule === undefined) return forbidden("The attribute % is not allowed.");
  // Addresses have a code of their own for it.
  if (rule.kind !== "link" && rule.kind !== "resource" && isUnsafeWhenDecoded(value)) {
    return { code: "CONTROL_CHARACTER", message: "The attribute % has a control character." } as const;
  }
  switch (rule.kind) {
    case "text":
      return value.length <= rule.maxLength ? undefined : forbidden("The attribute % is too long.");
    case "name":
      return namePattern.test(value) ? undefined : forbidden("The attribute % may have letters, digits and _.:- only.");
    case "integer":
      return isInteger(value, rule) ? undefined : forbidden(`The attribute % must be ${rule.min} to ${rule.max}.`);
    case "choice":
      return isOneOf(value, rule.choices) ? undefined : forbidden(`The attribute % must be ${list(rule.choices)}.`);
    case "choices":
      return value.split(/[\t\n\f ]+/).every((word) => word === "" || isOneOf(word, rule.choices))
        ? undefined
        : forbidden(`The attribute % must be of ${list(rule.choices)}.`);
    case "link":
      return linkProblem(value, rules.linkSchemes, rule.fragments ?? true);
    case "resource":
      return resourceProblem(value, rules.resourceSchemes);
    case "custom": {
      const problem = rule.problem(value);
      return problem === undefined ? undefined : forbidden(`The attribute % ${problem}`);
    }
  }
}

const namePattern = /^[\p{L}\p{N}_.:-]{1,100}$/u;

const forbidden = (message: string): Problem => ({ code: "ATTRIBUTE_FORBIDDEN", message });
const forbiddenUrl = (message: string): Problem => ({ code: "URL_FORBIDDEN", message });

const isInteger = (value: string, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  /^-?\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;

const isOneOf = (value: string, choices: readonly string[]): boolean => choices.includes(value.toLowerCase());

const list = (choices: readonly string[]): string => choices.map((choice) => `"${choice}"`).join(", ");

function linkProblem(value: string, schemes: readonly string[], fragments: boolean): Problem | undefined {
  const address = readAddress(value);
  const allowed = schemes.map((scheme) => `${scheme}:`).join(", ");
  switch (address.kind) {
    case "fragment":
      return fragments ? undefined : forbiddenUrl(`The address in % begins with #. Allowed are ${allowed}.`);
    case "scheme":
      return schemes.includes(address.scheme)
        ? undefined
        : forbiddenUrl(
            `The address in % begins with ${quotable(address.scheme)}:. Allowed are ${allowed}${fragments ? " and #" : ""}.`,
          );
    case "relative":
      return forbiddenUrl(
        `The address in % depends on the page it is shown on. Begin it with ${allowed}${fragments ? " or #" : ""}.`,
      );
    case "unclear":
      return forbiddenUrl("The address in % has characters that browsers drop or replace, a user name, or no host.");
  }
}

/** What is loaded from the network is told apart from addresses that are dangerous in themselves. */
function resourceProblem(value: string, schemes: readonly string[]): Problem | undefined {
  const address = readAddress(value);
  if (address.kind === "scheme" && schemes.includes(address.scheme)) return undefined;
  const scheme = address.kind === "scheme" ? address.scheme : schemeAfterCleaning(value);
  if (scheme === undefined || scheme === "http" || scheme === "https") {
    return { code: "REMOTE_RESOURCE", message: "What % loads can change after the text was agreed to." };
  }
  return forbiddenUrl(`The address in % begins with ${quotable(scheme)}:, which is not allowed here.`);
}
