import { allOf, hasFields } from "./recipients.ts";
import type { Draft, Recipient } from "./types.ts";

export interface Problem {
  readonly kind: "documents" | "recipients" | "addresses" | "subject" | "choices";
  /** Where it is mended. */
  readonly step: "details" | "fields";
}

/** Why it cannot be sent, as far as that can be told here. */
export function problemsOf({ documents, emailSubject, recipients }: Draft): Problem[] {
  const people = allOf(recipients).filter(isFilled);
  const tabs = people.flatMap((person) => person.tabs);
  const isMissing: readonly (readonly [Problem["kind"], Problem["step"], boolean])[] = [
    ["documents", "details", documents.length === 0],
    ["recipients", "details", !people.some(({ role }) => role !== "carbonCopy")],
    ["addresses", "details", people.some((person) => !person.name || !addressOf(person))],
    ["subject", "details", !emailSubject?.trim()],
    ["choices", "fields", tabs.some(({ type, items }) => type === "list" && items.length === 0)],
  ];
  return isMissing.filter(([, , is]) => is).map(([kind, step]) => ({ kind, step }));
}

interface Hint {
  readonly kind: "noSignature" | "leftOut";
  readonly recipient: Recipient;
}

/** What is allowed, but seldom meant. */
export const hintsOf = ({ recipients }: Draft): Hint[] =>
  allOf(recipients).flatMap((recipient): Hint[] => {
    if (!isFilled(recipient)) return [{ kind: "leftOut", recipient }];
    const signs = recipient.role !== "approver" && hasFields(recipient);
    const hasSignature = recipient.tabs.some(({ type }) => type === "signature" || type === "initials");
    return signs && !hasSignature ? [{ kind: "noSignature", recipient }] : [];
  });

/** A role of a template for which nobody was named is left out. */
const isFilled = ({ roleName, name, email, hostEmail }: Recipient): boolean =>
  !roleName || Boolean(name || email || hostEmail);

const addressOf = ({ role, email, hostEmail }: Recipient): string | null =>
  role === "inPersonSigner" ? hostEmail : email;
