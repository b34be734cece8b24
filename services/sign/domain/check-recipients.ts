import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isEmailAddress } from "#platform/mail/email-address.ts";
import type { Recipient, RecipientRole } from "./agreement.ts";
import { isStorable, lengthOf } from "./free-text.ts";
import { problem, refuse } from "./problems.ts";

/** What the rules of recipients look at. */
export type RecipientFacts = Pick<
  Recipient,
  "recipientId" | "role" | "name" | "email" | "clientUserId" | "roleName" | "hostName" | "hostEmail"
>;

/**
 * The rules that hold for the recipients of drafts and templates too, where names and addresses may be empty. Give it
 * all recipients of an agreement; the others are those that were checked before. Throws VALIDATION_FAILED, INVALID_EMAIL
 * or DUPLICATE_RECIPIENT; fields are called `recipients[i].email`.
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
    if (!isStorable(recipient[field])) return [problem(at, "NOT_ALLOWED", "has characters that are no text")];
    if (lengthOf(recipient[field]) <= maxLength) return [];
    return [problem(at, "TOO_LONG", `must have at most ${maxLength} characters`)];
  });

const addressFields = ["email", "hostEmail"] as const;

const addressProblems = (recipient: RecipientFacts, index: number): FieldProblem[] =>
  addressFields
    .filter((field) => recipient[field] !== "" && !isEmailAddress(recipient[field]))
    .map((field) => invalidAddress(recipient, index, field));

/** What is wrong with an address that cannot be used. */
export const invalidAddress = (
  { recipientId }: RecipientFacts,
  index: number,
  field: (typeof addressFields)[number],
): FieldProblem =>
  problem(
    `recipients[${index}].${field}`,
    "INVALID_EMAIL",
    `The e-mail address of recipient ${recipientId} is invalid.`,
  );

const signingRoles: readonly RecipientRole[] = ["signer", "approver", "in-person-signer"];

/** People who sign with one address can be told apart by their clientUserIds only. */
function refuseDuplicates(recipients: readonly RecipientFacts[], others: readonly RecipientFacts[]): void {
  const seen = new Set(others.filter(isTellable).map(personOf));
  for (const [index, recipient] of recipients.entries()) {
    if (!isTellable(recipient)) continue;
    const person = personOf(recipient);
    if (seen.has(person)) {
      const message = `Recipient ${recipient.recipientId} has the e-mail address of another one who signs.`;
      throw new DomainError("DUPLICATE_RECIPIENT", {
        details: [problem(`recipients[${index}].email`, "DUPLICATE_RECIPIENT", message)],
      });
    }
    seen.add(person);
  }
}

const isTellable = ({ email, role }: RecipientFacts): boolean => email !== "" && signingRoles.includes(role);

const personOf = ({ email, clientUserId }: RecipientFacts): string =>
  JSON.stringify([email.toLowerCase(), clientUserId]);
