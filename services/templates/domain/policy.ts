import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import {
  defaultPolicyFlags,
  isPolicyFlagName,
  type PolicyFlagRule,
  type PolicyFlags,
  policyFlagNames,
  policyFlagRules,
  type StatedPolicyFlags,
} from "./policy-flags.ts";
import { problem } from "./problems.ts";
import type { TemplateType } from "./type-config.ts";

/** Reads flags that a client states; throws CLICK_POLICY_FLAG_INVALID that names every unknown flag and bad value. */
export function parsePolicyFlags(given: JsonObject, field = standardField): StatedPolicyFlags {
  const problems = Object.entries(given).flatMap(([name, value]) => flagProblems(field, name, value));
  if (problems.length > 0) throw new DomainError("CLICK_POLICY_FLAG_INVALID", { details: problems });
  return { ...given } as StatedPolicyFlags;
}

/** The field of a request that states flags, unless they are stated elsewhere. */
const standardField = "policyFlags";

export interface PolicyQuestion {
  readonly type: TemplateType;
  readonly typeConfig: JsonObject;
  readonly stated: StatedPolicyFlags;
  /** Holds for flags that are not stated; the defaults of the type when absent. */
  readonly base?: PolicyFlags;
}

/** The flags that result; throws CLICK_POLICY_FLAG_CONFLICT when they contradict each other. */
export function resolvePolicyFlags(question: PolicyQuestion): PolicyFlags {
  const flags = { ...(question.base ?? defaultPolicyFlags(question.type)), ...question.stated };
  const problems = policyConflicts({ ...question, flags });
  if (problems.length > 0) throw new DomainError("CLICK_POLICY_FLAG_CONFLICT", { details: problems });
  return flags;
}

/** The flags that differ from the defaults of the type: what its author must once have stated. */
export function statedPolicyFlags(type: TemplateType, flags: PolicyFlags): StatedPolicyFlags {
  const defaults = defaultPolicyFlags(type);
  const names = policyFlagNames.filter((name) => !isDeepStrictEqual(flags[name], defaults[name]));
  return Object.fromEntries(names.map((name) => [name, flags[name]])) as StatedPolicyFlags;
}

/** Where the flags contradict each other, the type or the configuration. */
export function policyConflicts(
  question: PolicyQuestion & { readonly flags: PolicyFlags; readonly field?: string },
): FieldProblem[] {
  const { type, typeConfig, flags, stated, field = standardField } = question;
  const problems: FieldProblem[] = [];
  const conflict = (flag: string, message: string) => problems.push(problem(`${field}.${flag}`, "CONFLICT", message));
  if (flags.requireScroll && typeConfig.displayMode === "LINK") {
    conflict("requireScroll", "a text behind a link (displayMode LINK) cannot be scrolled to its end");
  }
  // Only a session or a render token tells the server when the text was shown.
  if (flags.minDisplaySeconds > 0 && !flags.requireRenderToken && flags.allowDirectAccept) {
    conflict("minDisplaySeconds", "needs requireRenderToken true or allowDirectAccept false");
  }
  // True by default and without effect as long as declining is not offered; only asking for it is a contradiction.
  // Who names every flag sends back what was read, defaults included, and asks for nothing by that.
  const namesAll = policyFlagNames.every((name) => name in stated);
  if (stated.recordDecline === true && !flags.allowDecline && !namesAll) {
    conflict("recordDecline", "has no effect unless allowDecline is true");
  }
  if (type === "CONSENT" && !flags.requireCheckbox) {
    conflict("requireCheckbox", "must be true for a CONSENT template: consent needs an action of its own");
  }
  return problems;
}

function flagProblems(field: string, name: string, value: JsonValue): FieldProblem[] {
  if (!isPolicyFlagName(name)) return [problem(`${field}.${name}`, "UNKNOWN_FLAG", "is not a policy flag")];
  const rule: PolicyFlagRule = policyFlagRules[name];
  return isValueOf(rule, value) ? [] : [problem(`${field}.${name}`, "BAD_VALUE", `must be ${describe(rule)}`)];
}

function isValueOf(rule: PolicyFlagRule, value: JsonValue): boolean {
  switch (rule.kind) {
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return typeof value === "number" && Number.isInteger(value) && value >= rule.min && value <= rule.max;
    case "choice":
      return typeof value === "string" && rule.choices.includes(value);
    case "set":
      return (
        Array.isArray(value) &&
        value.every((item) => typeof item === "string" && rule.choices.includes(item)) &&
        new Set(value).size === value.length
      );
  }
}

function describe(rule: PolicyFlagRule): string {
  switch (rule.kind) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number from ${rule.min} to ${rule.max}`;
    case "choice":
      return `one of ${rule.choices.join(", ")}`;
    case "set":
      return `a list without repetitions of ${rule.choices.join(", ")}`;
  }
}
