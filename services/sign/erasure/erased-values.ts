import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { erasedValue } from "../agreement/audit-commitment.ts";
import type { Tab } from "../agreement/tab.ts";

/** The value with a word in place of an address (in lower case) wherever a text names it; itself when none does. */
export function replaceIn<T>(value: T, email: string): T {
  return email === "" ? value : (replaceAll(value, patternOf(email)) as T);
}

/** Not within a longer address, whose end or beginning it may be. */
const patternOf = (email: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}._%+-])${email.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`,
    "giu",
  );

function replaceAll(value: unknown, pattern: RegExp): unknown {
  if (typeof value === "string") return value.replace(pattern, erasedValue);
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value) || value instanceof Date) return value;
  if (Array.isArray(value)) {
    const list = value.map((one) => replaceAll(one, pattern));
    return list.some((one, index) => one !== value[index]) ? list : value;
  }
  const members = Object.entries(value).map(([name, one]) => [
    name.replace(pattern, erasedValue),
    replaceAll(one, pattern),
  ]);
  const isSame = Object.entries(value).every(([name, one], index) => {
    const [otherName, other] = members[index] ?? [];
    return name === otherName && one === other;
  });
  return isSame ? value : Object.fromEntries(members);
}

/** The recipient without anything that is about a person. What they had to do, and when they did, stays. */
export const eraseRecipient = (recipient: Recipient, name: string): Recipient => ({
  ...recipient,
  ...{ name, email: "", clientUserId: "", note: "", emailSubject: "", emailBlurb: "" },
  declineReason: recipient.declineReason === "" ? "" : erasedValue,
  ...{ signature: null, initials: null },
  tabs: recipient.tabs.map(eraseTab),
});

const eraseTab = (tab: Tab): Tab => ({
  ...tab,
  ...{ value: tab.type === "checkbox" ? "false" : "", originalValue: "" },
  items: tab.items.map((one) => ({ ...one, selected: false })),
  buttons: tab.buttons.map((one) => ({ ...one, selected: false })),
});

/** Which texts of an agreement differ, but for those of the recipients that are erased as a whole. */
export function textsOf(before: Agreement, after: Agreement, erased: readonly Recipient[]): string[] {
  const differs = (name: keyof Agreement): boolean => before[name] !== after[name];
  const others = ({ recipients }: Agreement) => recipients.filter(({ id }) => !erased.some((one) => one.id === id));
  const hasOther = others(before).some((one, index) => one !== others(after)[index]);
  return [...texts.filter(differs), ...(hasOther ? ["recipients"] : [])];
}

const texts = [
  ...(["emailSubject", "emailBlurb", "name", "description", "metadata", "transactionId", "voidedReason"] as const),
  ...(["subscription", "customFields", "documents"] as const),
];
