import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import type { Change, DecisionContext } from "../agreement/change.ts";
import type { RecipientDefinition } from "../agreement/definition.ts";
import { draftModified, problem, refuse, requireModifiable } from "../agreement/problems.ts";
import type { Tab } from "../agreement/tab.ts";
import { fillIds } from "../create/given-members.ts";
import { checkRecipients, maxRecipients, newRecipient, recipientProblems } from "../create/new-recipients.ts";
import { changedTab, newTab } from "../create/new-tabs.ts";
import { mergedChecks } from "../identity/checks.ts";

export interface PutRecipients {
  readonly recipients: readonly RecipientDefinition[];
  /** Whether an existing recipientId changes that recipient; otherwise it is an error. */
  readonly changeExisting: boolean;
}

/** The ids are in the order of the request. */
export interface PutResult {
  readonly change: Change;
  readonly recipientIds: readonly string[];
}

/** Checks that these recipients may be put. Throws RECIPIENT_ALREADY_SIGNED, then ENVELOPE_CANNOT_BE_MODIFIED. */
export function requirePuttable(
  agreement: Agreement,
  { recipientIds, changeExisting }: { readonly recipientIds: readonly string[]; readonly changeExisting: boolean },
): void {
  requireUnsigned(agreement, changeExisting ? recipientIds.filter((id) => findRecipient(agreement, id)) : []);
  requireModifiable(agreement);
}

/**
 * Adds new recipients and changes existing ones. Omitted members keep their values; a list of tabs, if given,
 * replaces the recipient's tabs.
 */
export function putRecipients(agreement: Agreement, command: PutRecipients, context: DecisionContext): PutResult {
  const given = command.recipients.map(({ recipientId }) => recipientId);
  requirePuttable(agreement, { recipientIds: given, changeExisting: command.changeExisting });
  const { recipients, recipientIds } = withRecipientsPut(agreement, command, context);
  const details = { recipientsPut: recipientIds };
  return { change: draftModified({ ...agreement, recipients }, context, details), recipientIds };
}

/** All recipients after some were put, whatever the agreement's status. Throws what is wrong with them. */
export function withRecipientsPut(
  agreement: Agreement,
  { recipients: definitions, changeExisting }: PutRecipients,
  context: Pick<DecisionContext, "newId">,
): { readonly recipients: readonly Recipient[]; readonly recipientIds: readonly string[] } {
  const existing = definitions.map(({ recipientId }) =>
    changeExisting && recipientId !== "" ? findRecipient(agreement, recipientId) : undefined,
  );
  const recipientIds = idsOf(agreement, definitions, existing);
  const made = definitions.map((definition, index): Recipient => {
    const before = existing[index];
    const recipientId = recipientIds[index] ?? "";
    if (before !== undefined) return changedRecipient(before, { ...definition, recipientId }, index, context);
    return newRecipient({ ...definition, recipientId }, `recipients[${index}]`, context);
  });
  const changed = new Map(made.map((recipient) => [recipient.recipientId, recipient]));
  const kept = agreement.recipients.map((one) => changed.get(one.recipientId) ?? one);
  const added = made.filter((_, index) => existing[index] === undefined);
  const recipients = [...kept, ...added];
  checkAll(agreement, recipients, recipientIds);
  return { recipients, recipientIds };
}

/** Problems name fields by their position in the request. */
function checkAll(agreement: Agreement, recipients: readonly Recipient[], recipientIds: readonly string[]): void {
  if (recipients.length > maxRecipients) {
    refuse([problem("recipients", "TOO_MANY", `must be at most ${maxRecipients} in an agreement`)]);
  }
  const put = new Map(recipients.map((recipient) => [recipient.recipientId, recipient]));
  const asked = recipientIds.flatMap((id) => put.get(id) ?? []);
  const others = agreement.recipients.filter(({ recipientId }) => !recipientIds.includes(recipientId));
  checkRecipients(asked, others);
}

function idsOf(
  agreement: Agreement,
  definitions: readonly RecipientDefinition[],
  existing: readonly (Recipient | undefined)[],
): readonly string[] {
  const problems: FieldProblem[] = [];
  const changed = new Set(existing.map((recipient) => recipient?.recipientId));
  const ids = fillIds(
    definitions.map(({ recipientId }, index) => existing[index]?.recipientId ?? recipientId),
    agreement.recipients.map(({ recipientId }) => recipientId).filter((id) => !changed.has(id)),
    (index) => problems.push(problem(`recipients[${index}].recipientId`, "DUPLICATE", "must be unique")),
  );
  refuse(problems);
  return ids;
}

function changedRecipient(
  recipient: Recipient,
  { tabs, verification, ...given }: RecipientDefinition,
  index: number,
  context: Pick<DecisionContext, "newId">,
): Recipient {
  const field = `recipients[${index}]`;
  const changed = {
    ...recipient,
    ...given,
    ...(verification === undefined
      ? {}
      : { verification: mergedChecks(recipient.verification, verification ?? [], context) }),
    tabs: tabs.length === 0 ? recipient.tabs : tabsInPlace(recipient, tabs, `${field}.tabs`, context),
  };
  refuse(recipientProblems(changed, field));
  return changed;
}

/** Tabs with the id of an existing one keep the members that the request omits. */
function tabsInPlace(
  { tabs }: Recipient,
  definitions: RecipientDefinition["tabs"],
  field: string,
  context: Pick<DecisionContext, "newId">,
): readonly Tab[] {
  const byId = new Map(tabs.map((tab) => [tab.tabId, tab]));
  return definitions.map((definition, index) => {
    const at = `${field}[${index}]`;
    const before = byId.get(definition.tabId ?? "");
    // An id identifies one tab, so a second use of it creates a new tab.
    byId.delete(definition.tabId ?? "");
    if (before !== undefined) return changedTab(before, definition, at, context);
    return newTab(definition, at, context);
  });
}

/** Removes recipients by recipientId or UUID, with their tabs. */
export function removeRecipients(agreement: Agreement, ids: readonly string[], context: DecisionContext): Change {
  const removed = new Set(requireChangeableRecipients(agreement, ids));
  const recipients = agreement.recipients.filter((recipient) => !removed.has(recipient));
  const recipientsRemoved = [...removed].map(({ recipientId }) => recipientId);
  return draftModified({ ...agreement, recipients }, context, { recipientsRemoved });
}

/** Finds a recipient by recipientId, or else by UUID. */
export function findRecipient({ recipients }: Pick<Agreement, "recipients">, id: string): Recipient | undefined {
  const uuid = id.toLowerCase();
  return (
    recipients.find(({ recipientId }) => recipientId === id) ?? recipients.find((recipient) => recipient.id === uuid)
  );
}

/**
 * Finds recipients by recipientId or UUID and checks that they may be changed. Throws RECIPIENT_NOT_FOUND,
 * RECIPIENT_ALREADY_SIGNED and ENVELOPE_CANNOT_BE_MODIFIED, in this order.
 */
export function requireChangeableRecipients(agreement: Agreement, ids: readonly string[]): readonly Recipient[] {
  const recipients = requireUnsigned(agreement, ids);
  requireModifiable(agreement);
  return recipients;
}

/** Finds recipients by recipientId or UUID. Throws RECIPIENT_NOT_FOUND, then RECIPIENT_ALREADY_SIGNED. */
export function requireUnsigned(agreement: Agreement, ids: readonly string[]): readonly Recipient[] {
  const recipients = ids.map((id) => {
    const recipient = findRecipient(agreement, id);
    if (recipient === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
    return recipient;
  });
  if (recipients.some(({ status }) => status === "completed")) throw new DomainError("RECIPIENT_ALREADY_SIGNED");
  return recipients;
}
