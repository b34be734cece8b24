import type { FieldProblem } from "#platform/errors.ts";
import { type Agreement, defaultNotification, type Notification } from "../agreement/agreement.ts";
import type { Definition, TabDefinition } from "../agreement/definition.ts";
import { problem, refuse, textProblems } from "../agreement/problems.ts";
import { workflowOf, workflowProblems } from "../agreement/workflow.ts";

/** The members of an agreement that hold a single value, not a list. */
export type OwnMembers = Pick<
  Agreement,
  | "emailSubject"
  | "emailBlurb"
  | "notification"
  | "metadata"
  | "transactionId"
  | "subscription"
  | "name"
  | "description"
  | "shared"
  | "brandId"
  | "workflow"
>;

export const defaultMembers: OwnMembers = {
  emailSubject: "",
  emailBlurb: "",
  notification: defaultNotification,
  metadata: null,
  transactionId: "",
  subscription: null,
  name: "",
  description: "",
  shared: false,
  brandId: null,
  workflow: null,
};

/** Applies the definition's members; members it omits keep their values. Throws VALIDATION_FAILED. */
export function withGiven(before: OwnMembers, definition: Definition): OwnMembers {
  const { documents, recipients, customFields, notification, schedule, pauses, ...given } = definition;
  const { emailSubject, emailBlurb, metadata, transactionId, subscription, name, description, shared, brandId } = {
    ...before,
    ...given,
  };
  const after = {
    ...{ emailSubject, emailBlurb, metadata, transactionId, subscription, name, description, shared },
    brandId: brandId ?? null,
    workflow: workflowOf(
      schedule === undefined ? (before.workflow?.schedule ?? null) : schedule,
      pauses ?? before.workflow?.pauses ?? [],
      before.workflow,
    ),
    notification: { ...before.notification, ...notification },
  };
  const texts = textLimits.flatMap(([field, limit]) => textProblems(after[field], limit, field));
  refuse([...texts, ...notificationProblems(after.notification), ...workflowProblems(after.workflow)]);
  return after;
}

const textLimits = [
  ["emailSubject", 100],
  ["emailBlurb", 10_000],
  ["transactionId", 100],
  ["name", 100],
  ["description", 2_000],
] as const satisfies readonly (readonly [keyof OwnMembers, number])[];

const maxDays = 999;
const days = ["reminderDelay", "reminderFrequency", "expireAfter", "expireWarn"] as const;

function notificationProblems(notification: Notification): readonly FieldProblem[] {
  const problems = days
    .filter((name) => notification[name] > maxDays)
    .map((name) => problem(`notification.${name}`, "OUT_OF_RANGE", `must be at most ${maxDays} days`));
  if (notification.expireEnabled && notification.expireAfter < 1) {
    problems.push(problem("notification.expireAfter", "OUT_OF_RANGE", "must be 1 to 999 days"));
  }
  return problems;
}

/** Returns the lowest free positive number as text and marks it as taken. */
export function takeLowestFree(taken: Set<string>): string {
  let number = 1;
  while (taken.has(String(number))) number += 1;
  const id = String(number);
  taken.add(id);
  return id;
}

/**
 * Completes the ids of a list: given ids stay, the rest get the lowest free numbers. Calls back for each given
 * id that is already taken.
 */
export function fillIds(
  given: readonly string[],
  inUse: Iterable<string>,
  onDuplicate: (index: number) => void,
): readonly string[] {
  const taken = new Set(inUse);
  for (const [index, id] of given.entries()) {
    if (id === "") continue;
    if (taken.has(id)) onDuplicate(index);
    taken.add(id);
  }
  return given.map((id) => (id === "" ? takeLowestFree(taken) : id));
}

/**
 * The value that a definition sets directly or by selecting an item or button; undefined when it sets none. An
 * empty value does not override a selection.
 */
export function chosenValue({ value, items = [], buttons = [] }: TabDefinition): string | undefined {
  if (value !== undefined && value !== "") return value;
  return [...items, ...buttons].find(({ selected }) => selected)?.value ?? value;
}
