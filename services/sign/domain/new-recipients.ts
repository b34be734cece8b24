import type { FieldProblem } from "#platform/errors.ts";
import type { Recipient } from "./agreement.ts";
import type { DecisionContext } from "./change.ts";
import type { RecipientDefinition } from "./definition.ts";
import { isStorable } from "./free-text.ts";
import { fillIds } from "./lowest-free.ts";
import { maxTabs, newTabs } from "./new-tabs.ts";
import { problem, refuse, textProblems } from "./problems.ts";

export const maxRecipients = 500;

/**
 * Recipients with ids and defaults, to stand beside the existing ones. Throws VALIDATION_FAILED for ids that are given
 * twice or are in use; fields are called `recipients[i].tabs[k].label`. The rules that look at all recipients of an
 * agreement are those of checkRecipients.
 */
export function newRecipients(
  definitions: readonly RecipientDefinition[],
  existing: readonly Pick<Recipient, "recipientId">[],
  context: Pick<DecisionContext, "newId">,
): readonly Recipient[] {
  const problems: FieldProblem[] = [];
  const ids = fillIds(
    definitions.map(({ recipientId }) => recipientId),
    existing.map(({ recipientId }) => recipientId),
    (index) => problems.push(problem(`recipients[${index}].recipientId`, "DUPLICATE", "must be unique")),
  );
  if (existing.length + definitions.length > maxRecipients) {
    problems.push(problem("recipients", "TOO_MANY", `must be at most ${maxRecipients} in an agreement`));
  }
  refuse(problems);
  return definitions.map((definition, index) =>
    newRecipient({ ...definition, recipientId: ids[index] ?? "" }, `recipients[${index}]`, context),
  );
}

/** A recipient that has its recipientId. Throws VALIDATION_FAILED. */
export function newRecipient(
  { tabs, ...given }: RecipientDefinition,
  field: string,
  context: Pick<DecisionContext, "newId">,
): Recipient {
  const recipient: Recipient = {
    role: "signer",
    name: "",
    email: "",
    clientUserId: "",
    roleName: "",
    routingOrder: 1,
    note: "",
    locale: "",
    emailSubject: "",
    emailBlurb: "",
    hostName: "",
    hostEmail: "",
    ...given,
    id: context.newId(),
    status: "created",
    tabs: newTabs(tabs, `${field}.tabs`, context),
    sentAt: null,
    deliveredAt: null,
    completedAt: null,
    declinedAt: null,
    declineReason: "",
    consentedAt: null,
    signature: null,
    initials: null,
  };
  refuse(recipientProblems(recipient, field));
  return recipient;
}

const lastRoutingOrder = 10_000;
const freeTexts = ["recipientId", "note", "locale", "email", "hostEmail"] as const;

/** As long as those of agreements. */
const mailTexts = [
  ["emailSubject", 100],
  ["emailBlurb", 10_000],
] as const;

/** What checkRecipients leaves open. */
export function recipientProblems(recipient: Recipient, field: string): readonly FieldProblem[] {
  const { routingOrder, tabs } = recipient;
  const problems = freeTexts
    .filter((name) => !isStorable(recipient[name]))
    .map((name) => problem(`${field}.${name}`, "NOT_ALLOWED", "has characters that are no text"));
  problems.push(...mailTexts.flatMap(([name, limit]) => textProblems(recipient[name], limit, `${field}.${name}`)));
  if (!(routingOrder >= 1 && routingOrder <= lastRoutingOrder)) {
    problems.push(problem(`${field}.routingOrder`, "OUT_OF_RANGE", `must be 1 to ${lastRoutingOrder}`));
  }
  if (tabs.length > maxTabs) problems.push(problem(`${field}.tabs`, "TOO_MANY", `must be at most ${maxTabs}`));
  return problems;
}
