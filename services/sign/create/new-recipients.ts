import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isStorable } from "#platform/json-object.ts";
import { isEmailAddress } from "#platform/mail/mail.ts";
import type { Recipient, RecipientRole } from "../agreement/agreement.ts";
import { emailKey } from "../agreement/agreement-records.ts";
import type { DecisionContext } from "../agreement/change.ts";
import type { RecipientDefinition } from "../agreement/definition.ts";
import { lengthOf, problem, refuse, textProblems } from "../agreement/problems.ts";
import { maxTabs } from "../agreement/tab.ts";
import { afresh, checkProblems } from "../identity/checks.ts";
import { fillIds } from "./given-members.ts";
import { newTabs } from "./new-tabs.ts";

export const maxRecipients = 500;

/**
 * Creates recipients with ids and defaults, to be added to the existing ones. Throws VALIDATION_FAILED for ids
 * that are duplicated or in use; problems name fields as `recipients[i].tabs[k].label`. Rules across all
 * recipients are those of checkRecipients.
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

/** Creates a recipient that already has its recipientId. Throws VALIDATION_FAILED. */
export function newRecipient(
  { tabs, verification, ...given }: RecipientDefinition,
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
    excludedDocuments: null,
    ...given,
    id: context.newId(),
    status: "created",
    tabs: newTabs(tabs, `${field}.tabs`, context),
    sentAt: null,
    deliveredAt: null,
    completedAt: null,
    declinedAt: null,
    declineReason: "",
    deliveryFailedAt: null,
    deliveryFailedReason: "",
    consentedAt: null,
    signature: null,
    initials: null,
    ...(verification?.length ? { verification: afresh(verification, context) } : {}),
  };
  refuse(recipientProblems(recipient, field));
  return recipient;
}

const lastRoutingOrder = 10_000;
const freeTexts = ["recipientId", "note", "locale", "email", "hostEmail"] as const;

/** The same limits as for the agreement's own texts. */
const mailTexts = [
  ["emailSubject", 100],
  ["emailBlurb", 10_000],
] as const;

/** Rules for a single recipient that checkRecipients does not cover. */
export function recipientProblems(recipient: Recipient, field: string): readonly FieldProblem[] {
  const { routingOrder, tabs } = recipient;
  const problems = freeTexts
    .filter((name) => !isStorable(recipient[name]))
    .map((name) => problem(`${field}.${name}`, "NOT_ALLOWED", "contains characters that cannot be stored as text"));
  problems.push(...mailTexts.flatMap(([name, limit]) => textProblems(recipient[name], limit, `${field}.${name}`)));
  if (!(routingOrder >= 1 && routingOrder <= lastRoutingOrder)) {
    problems.push(problem(`${field}.routingOrder`, "OUT_OF_RANGE", `must be 1 to ${lastRoutingOrder}`));
  }
  if (recipient.verification) problems.push(...checkProblems(recipient.verification, field));
  if (tabs.length > maxTabs) problems.push(problem(`${field}.tabs`, "TOO_MANY", `must be at most ${maxTabs}`));
  return problems;
}

/** The members that the recipient rules look at. */
type RecipientFacts = Pick<
  Recipient,
  "recipientId" | "role" | "name" | "email" | "clientUserId" | "roleName" | "hostName" | "hostEmail"
>;

/**
 * Checks rules that hold for drafts and templates too, where names and addresses may be empty. Takes all
 * recipients of the agreement; those not in the request were checked before. Throws VALIDATION_FAILED,
 * INVALID_EMAIL or DUPLICATE_RECIPIENT; problems name fields as `recipients[i].email`.
 */
export function checkRecipients(recipients: readonly RecipientFacts[], others: readonly RecipientFacts[] = []): void {
  refuse(recipients.flatMap(lengthProblems));
  refuseAddresses(recipients.flatMap(addressProblems));
  refuseDuplicates(recipients, others);
}

/** Throws INVALID_EMAIL when there are problems. */
export function refuseAddresses(problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new DomainError("INVALID_EMAIL", { message: first.message, details: problems.slice(0, 20) });
}

const maxLength = 100;
const limitedFields = ["name", "clientUserId", "roleName", "hostName"] as const;

const lengthProblems = (recipient: RecipientFacts, index: number): FieldProblem[] =>
  limitedFields.flatMap((field) => {
    const at = `recipients[${index}].${field}`;
    if (!isStorable(recipient[field]))
      return [problem(at, "NOT_ALLOWED", "contains characters that cannot be stored as text")];
    if (lengthOf(recipient[field]) <= maxLength) return [];
    return [problem(at, "TOO_LONG", `must have at most ${maxLength} characters`)];
  });

const addressFields = ["email", "hostEmail"] as const;

const addressProblems = (recipient: RecipientFacts, index: number): FieldProblem[] =>
  addressFields
    .filter((field) => recipient[field] !== "" && !isEmailAddress(recipient[field]))
    .map((field) => invalidAddress(recipient, index, field));

/** The problem of an unusable e-mail address. */
export const invalidAddress = (
  { recipientId }: RecipientFacts,
  index: number,
  field: (typeof addressFields)[number],
): FieldProblem =>
  problem(
    `recipients[${index}].${field}`,
    "INVALID_EMAIL",
    `The email address of recipient ${recipientId} is invalid.`,
  );

const signingRoles: readonly RecipientRole[] = ["signer", "approver", "in-person-signer"];

/** Signers with the same address must differ in clientUserId, or nothing would tell them apart. */
function refuseDuplicates(recipients: readonly RecipientFacts[], others: readonly RecipientFacts[]): void {
  const seen = new Set(others.filter(isTellable).map(personOf));
  for (const [index, recipient] of recipients.entries()) {
    if (!isTellable(recipient)) continue;
    const person = personOf(recipient);
    if (seen.has(person)) {
      const message = `Recipient ${recipient.recipientId} has the email address of another one who signs.`;
      throw new DomainError("DUPLICATE_RECIPIENT", {
        details: [problem(`recipients[${index}].email`, "DUPLICATE_RECIPIENT", message)],
      });
    }
    seen.add(person);
  }
}

const isTellable = ({ email, role }: RecipientFacts): boolean => email !== "" && signingRoles.includes(role);

const personOf = ({ email, clientUserId }: RecipientFacts): string => JSON.stringify([emailKey(email), clientUserId]);
