import type { FieldProblem } from "#platform/errors.ts";
import { isStorable } from "#platform/json-object.ts";
import { newPatternWork, type PatternWork } from "#platform/linear-pattern.ts";
import { type AdoptedSignature, isDrawn, type Recipient } from "../agreement/agreement.ts";
import { lengthOf, problem } from "../agreement/problems.ts";
import { signs } from "../agreement/recipients.ts";
import type { Tab, TabType } from "../agreement/tab.ts";
import { basicFaultOf, faultOf, tooLong } from "../create/tab-formats.ts";

/** What a person put into their tabs, by tabId. */
export type TabValues = ReadonlyMap<string, string>;

export interface FilledTabs {
  /** With their values. */
  readonly tabs: readonly Tab[];
  /** All there are; their fields are tabIds, or "signature" and "initials". */
  readonly problems: readonly FieldProblem[];
}

/** What a recipient finishes with. The recipient already has the signature and the initials they adopted. */
export interface Finishing {
  readonly values: TabValues;
  readonly agreementId: string;
  readonly now: Date;
}

/** The tabs of a recipient as they are after finishing with these values. */
export function fillTabs(recipient: Recipient, finishing: Finishing): FilledTabs {
  const { values, problems } = sharedValues(recipient.tabs, finishing.values);
  const entered = (tab: Tab): string => values.get(valueKey(tab)) ?? tab.value;
  const shown = shownTabs(recipient.tabs, entered);
  const budget = { matching: newPatternWork(), written: maxWrittenCharacters };
  const outcomes = recipient.tabs.map((tab) => {
    if (!shown.has(tab)) return { tab: withValue(tab, ""), problems: [] };
    const value = finalValue(tab, recipient, finishing, entered(tab));
    const filled: Tab = { ...withValue(tab, value), status: "signed" };
    return { tab: filled, problems: valueProblems(filled, budget) };
  });
  const wanted = [...shown].filter((tab) => tab.required || entered(tab) !== "");
  return {
    tabs: outcomes.map(({ tab }) => tab),
    problems: [...problems, ...adoptionProblems(recipient, wanted), ...outcomes.flatMap((outcome) => outcome.problems)],
  };
}

/** The tabs with the values so far, and which of them were signed; whatever cannot be kept is left out. */
export function keepValues(tabs: readonly Tab[], given: TabValues): readonly Tab[] {
  const { values } = sharedValues(tabs, given);
  return tabs.map((tab) => {
    const value = values.get(valueKey(tab));
    if (value === undefined) return tab;
    const isFit = value === "" || basicFaultOf(tab, value)?.code !== "NOT_ALLOWED";
    const isMark = value === "" || value === signedValue;
    const source = valueSources[tab.type];
    return (source === "person" && isFit) || (source === "adopted" && isMark) ? withValue(tab, value) : tab;
  });
}

/**
 * Tabs that share their value have the same key. Signatures, initials, what is locked, and tabs that nobody has given a
 * label, which are called after their type, stand for themselves.
 */
function valueKey({ tabId, type, label, locked }: Tab): string {
  const isShared = valueSources[type] === "person" && !locked && label !== type;
  return isShared ? JSON.stringify([type, label]) : tabId;
}

/** The given values by the keys of their tabs, without those that may not be put there. */
function sharedValues(tabs: readonly Tab[], given: TabValues) {
  const values = new Map<string, string>();
  const problems: FieldProblem[] = [];
  const byId = new Map(tabs.map((tab) => [tab.tabId, tab]));
  for (const [tabId, value] of given) {
    const tab = byId.get(tabId);
    const refused = tab === undefined ? unknownTab : refusal(tab, value, values);
    if (refused !== undefined) problems.push(problem(tabId, ...refused));
    else if (tab !== undefined) values.set(valueKey(tab), value);
  }
  return { values, problems };
}

type Refusal = readonly [code: string, message: string];

const unknownTab: Refusal = ["UNKNOWN_TAB", "is no tab of the recipient"];

/** Why a value may not be put into a tab. */
function refusal(tab: Tab, value: string, others: ReadonlyMap<string, string>): Refusal | undefined {
  const source = valueSources[tab.type];
  const takesNone = source === "none" || tab.type === "agreement-id";
  if (takesNone && value !== "" && value !== tab.value) return ["NOT_ALLOWED", "takes no value"];
  if (source === "person" && tab.locked && value !== tab.value) return ["LOCKED", "must not be changed"];
  const other = others.get(valueKey(tab)) ?? value;
  return other === value ? undefined : ["CONFLICT", "must have the value of the other tabs with this label"];
}

/** All are drawn when everybody has signed, which takes half a minute for the slowest of scripts, and must not fail then. */
const maxWrittenCharacters = 100_000;

interface Budget {
  readonly matching: PatternWork;
  written: number;
}

function valueProblems(tab: Tab, budget: Budget): readonly FieldProblem[] {
  if (valueSources[tab.type] !== "person" || tab.locked) return [];
  const { tabId, value } = tab;
  budget.written -= value.length;
  if (budget.written < 0) return [problem(tabId, tooLong.code, tooLong.message)];
  if (tab.required && isEmpty(tab)) return [problem(tabId, "REQUIRED", "must be filled")];
  const fault = value === "" ? undefined : faultOf(tab, value, budget.matching);
  return fault === undefined ? [] : [problem(tabId, fault.code, fault.message)];
}

const isEmpty = ({ type, value }: Tab): boolean => value.trim() === "" || (type === "checkbox" && value === "false");

/** Who signs has a signature, whether there is a tab for it or not; others who only approve need none. */
function adoptionProblems(recipient: Recipient, wanted: readonly Tab[]): readonly FieldProblem[] {
  const { signature, initials } = recipient;
  const needsInitials = signs(recipient) && wanted.some(({ type }) => type === "initials");
  return [
    ...adoptedProblems("signature", signature, signs(recipient)),
    ...adoptedProblems("initials", initials, needsInitials),
  ];
}

function adoptedProblems(
  field: "signature" | "initials",
  adopted: AdoptedSignature | null,
  isNeeded: boolean,
): readonly FieldProblem[] {
  if (adopted === null || !isAdopted(adopted)) return isNeeded ? [problem(field, "REQUIRED", "must be adopted")] : [];
  const { typed, drawnPng } = adopted;
  if (!isStorable(typed)) return [problem(field, "NOT_ALLOWED", "contains characters that cannot be stored as text")];
  if (lengthOf(typed) > maxTypedLength) {
    return [problem(field, "TOO_LONG", `must have at most ${maxTypedLength} characters`)];
  }
  return drawnPng === "" || drawnPng.startsWith(pngInBase64) ? [] : [problem(field, "NOT_ALLOWED", "must be a PNG")];
}

const maxTypedLength = 200;
/** The first eight bytes of every PNG, as far as they fill whole characters. */
const pngInBase64 = "iVBORw0KGg";

function finalValue(tab: Tab, recipient: Recipient, { agreementId, now }: Finishing, entered: string): string {
  switch (tab.type) {
    case "signature":
      return isAdopted(recipient.signature) && (tab.required || entered !== "") ? signedValue : "";
    case "initials":
      return isAdopted(recipient.initials) && (tab.required || entered !== "") ? signedValue : "";
    case "date-signed":
      return now.toISOString().slice(0, 10);
    case "full-name":
      return recipient.name;
    case "first-name":
      return firstAndLast(recipient.name)[0];
    case "last-name":
      return firstAndLast(recipient.name)[1];
    case "email":
      return recipient.email;
    case "agreement-id":
      return agreementId;
    case "checkbox":
      return entered === "" ? "false" : entered;
    default:
      return entered;
  }
}

/** What tabs for signatures and initials have as their value where the person put one. */
const signedValue = "signed";

const isAdopted = (adopted: AdoptedSignature | null): boolean =>
  adopted !== null && (adopted.typed.trim() !== "" || isDrawn(adopted));

/** A name of one word is a last name too. */
function firstAndLast(name: string): readonly [string, string] {
  const words = name.trim().split(" ");
  const last = words.at(-1) ?? "";
  return words.length < 2 ? [last, last] : [words.slice(0, -1).join(" "), last];
}

function withValue(tab: Tab, value: string): Tab {
  const isChosen = (choice: { readonly value: string }): boolean => value !== "" && choice.value === value;
  return {
    ...tab,
    value,
    items: tab.items.map((item) => ({ ...item, selected: isChosen(item) })),
    buttons: tab.buttons.map((button) => ({ ...button, selected: isChosen(button) })),
  };
}

/**
 * The tabs that are shown when the tabs have these values. A tab with a condition is shown while a shown tab with the
 * label has the value; a condition on a label that nobody has always holds.
 */
function shownTabs(tabs: readonly Tab[], enteredIn: (tab: Tab) => string): ReadonlySet<Tab> {
  const byLabel = Map.groupBy(tabs, ({ label }) => label);
  const known = new Map<Tab, boolean>();
  const isShown = (tab: Tab): boolean => {
    const answer = known.get(tab);
    if (answer !== undefined) return answer;
    // Conditions in a circle hide each other.
    known.set(tab, false);
    const parents = tab.conditionLabel === "" ? undefined : byLabel.get(tab.conditionLabel);
    const shown = parents === undefined || parents.some((one) => isMet(tab, one, enteredIn(one)) && isShown(one));
    known.set(tab, shown);
    return shown;
  };
  return new Set(tabs.filter(isShown));
}

function isMet({ conditionValue }: Tab, parent: Tab, value: string): boolean {
  if (parent.type !== "checkbox") return value === conditionValue;
  return (value === "true") === checkedWords.includes(conditionValue.toLowerCase());
}

/** Integrations ask for a checkbox that is "on". */
const checkedWords: readonly string[] = ["on", "true", "x"];

/**
 * Where the value of a tab comes from: the person fills it, adopts it (signature and initials), the service writes it
 * when they finish, or there is none.
 */
type ValueSource = "person" | "adopted" | "service" | "none";

const valueSources: { readonly [Type in TabType]: ValueSource } = {
  signature: "adopted",
  initials: "adopted",
  "date-signed": "service",
  "full-name": "service",
  "first-name": "service",
  "last-name": "service",
  email: "service",
  "agreement-id": "service",
  company: "person",
  title: "person",
  text: "person",
  number: "person",
  date: "person",
  checkbox: "person",
  "radio-group": "person",
  list: "person",
  attachment: "person",
  note: "none",
  approve: "none",
  decline: "none",
};
