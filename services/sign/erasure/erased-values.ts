import { extensions, formsOf } from "#platform/db/address-pattern.ts";
import type { Agreement, Check, Recipient } from "../agreement/agreement.ts";
import { erasedValue } from "../agreement/audit-commitment.ts";
import type { Tab } from "../agreement/tab.ts";

/** The value with a word in place of an address (in lower case) wherever a text names it; itself when none does. */
export function replaceIn<T>(value: T, email: string, word = erasedValue): T {
  return email === "" ? value : (replaceAll(value, patternOf(email), word) as T);
}

/** The same as addressPattern, but that what escapes a character in a URL is no end of a text here. */
function patternOf(email: string): RegExp {
  const forms = formsOf(email).map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const word = "\\p{L}\\p{N}";
  return new RegExp(
    `(?:(?<![${word}._%+-])|(?<=\\\\[bfnrt]))(?:${forms.join("|")})(?![${word}_-]|[.](?!${extensions}(?![${word}_-]|[.][${word}]))[${word}])`,
    "giu",
  );
}

function replaceAll(value: unknown, pattern: RegExp, word: string): unknown {
  if (typeof value === "string") return value.replace(pattern, () => word);
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value) || value instanceof Date) return value;
  if (Array.isArray(value)) {
    const list = value.map((one) => replaceAll(one, pattern, word));
    return list.some((one, index) => one !== value[index]) ? list : value;
  }
  const members = Object.entries(value).map(([name, one]) => [
    name.replace(pattern, () => word),
    replaceAll(one, pattern, word),
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
  ...{ signature: null, initials: null, deliveryFailedReason: "" },
  ...(recipient.verification ? { verification: recipient.verification.map(eraseCheck) } : {}),
  tabs: recipient.tabs.map(eraseTab),
});

/** Nobody passes it any more, so that what is left of the agreement is shown to nobody who has an old link. */
const eraseCheck = (check: Check): Check => ({ ...check, ...{ email: "", code: "", secret: null, sent: null } });

/** The tab as it was before anybody filled it in. */
export const eraseTab = (tab: Tab): Tab => ({
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
