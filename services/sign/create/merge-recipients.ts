import type { RecipientDefinition, TabDefinition } from "../agreement/definition.ts";
import { chosenValue, takeLowestFree } from "./given-members.ts";

/** A recipient while compositions are merged. */
export interface RecipientInWork {
  readonly definition: RecipientDefinition;
  /** Whether the request chose the recipientId. Template recipients give up a colliding id. */
  readonly isIdChosen: boolean;
}

/**
 * Merges the recipients of a later layer into those of an earlier one: a recipient that matches fills that
 * role, others are added.
 */
export function layRecipients(
  earlier: readonly RecipientInWork[],
  later: readonly RecipientDefinition[],
  isTemplate: boolean,
): readonly RecipientInWork[] {
  const merged = [...earlier];
  const added: RecipientInWork[] = [];
  const filled = new Set<number>();
  for (const definition of later) {
    const isIdChosen = !isTemplate && definition.recipientId !== "";
    const at = findMatch(earlier, definition, filled);
    const below = merged[at];
    if (below === undefined) {
      added.push({ definition, isIdChosen });
      continue;
    }
    filled.add(at);
    merged[at] = {
      definition: mergeRecipient(below.definition, definition),
      isIdChosen: isIdChosen || below.isIdChosen,
    };
  }
  return [...merged, ...added];
}

/**
 * Each role takes at most one recipient of a layer, so two with the same role name do not overwrite each other.
 */
function findMatch(
  recipients: readonly RecipientInWork[],
  wanted: RecipientDefinition,
  filled: ReadonlySet<number>,
): number {
  const byRole = recipients.findIndex(({ definition }, index) => !filled.has(index) && hasSameRole(definition, wanted));
  if (byRole >= 0) return byRole;
  return recipients.findIndex(({ definition }, index) => !filled.has(index) && hasSameId(definition, wanted));
}

function hasSameRole(a: RecipientDefinition, b: RecipientDefinition): boolean {
  const role = roleKey(a);
  return role !== "" && role === roleKey(b);
}

/** A recipient with another role name does not match, even with the same id. */
const hasSameId = (a: RecipientDefinition, b: RecipientDefinition): boolean =>
  b.recipientId !== "" && a.recipientId === b.recipientId && (roleKey(a) === "" || roleKey(b) === "");

const roleKey = ({ roleName = "" }: RecipientDefinition): string => roleName.toLowerCase();

function mergeRecipient(below: RecipientDefinition, above: RecipientDefinition): RecipientDefinition {
  const { tabs, ...given } = above;
  const recipientId = above.recipientId === "" ? below.recipientId : above.recipientId;
  return { ...below, ...given, recipientId, tabs: mergeTabs(below.tabs, tabs) };
}

/**
 * Merges the recipients of several compositions: a person who appears in two of them becomes one recipient with
 * the tabs of both.
 */
export function joinRecipients(parts: readonly (readonly RecipientInWork[])[]): readonly RecipientInWork[] {
  const people: RecipientInWork[] = [];
  for (const part of parts) {
    // Recipients of one composition are never merged: a duplicate there is intentional.
    const known = new Map(people.map(({ definition }, index) => [personKey(definition), index]));
    for (const recipient of part) {
      const at = known.get(personKey(recipient.definition));
      const first = at === undefined ? undefined : people[at];
      if (at === undefined || first === undefined) people.push(recipient);
      else people[at] = joined(first, recipient);
    }
  }
  return people;
}

/** Unfilled roles match by role name. */
function personKey(recipient: RecipientDefinition): string {
  const { recipientId, role = "signer", name = "", email = "" } = recipient;
  const isUnfilledRole = name === "" && email === "" && roleKey(recipient) !== "";
  if (isUnfilledRole) return JSON.stringify([role, roleKey(recipient)]);
  return JSON.stringify([recipientId, role, name, email.toLowerCase()]);
}

/** Tabs stay separate for each composition, so that none changes another's tabs. */
function joined(first: RecipientInWork, second: RecipientInWork): RecipientInWork {
  const { definition } = first;
  const hidden = [definition, second.definition].flatMap(({ excludedDocuments }) => excludedDocuments ?? []);
  return {
    isIdChosen: first.isIdChosen || second.isIdChosen,
    definition: {
      ...second.definition,
      ...definition,
      clientUserId: definition.clientUserId || second.definition.clientUserId || "",
      excludedDocuments: hidden.length === 0 ? null : hidden,
      tabs: [...definition.tabs, ...second.definition.tabs],
    },
  };
}

/** Resolves recipientId collisions between different people: chosen ids stay, the others get free numbers. */
export function withDistinctIds(recipients: readonly RecipientInWork[]): readonly RecipientDefinition[] {
  const ids = recipients.map(({ definition }) => definition.recipientId);
  const taken = new Set<string>();
  const isKept = recipients.map(() => false);
  for (const chosen of [true, false]) {
    for (const [index, { isIdChosen }] of recipients.entries()) {
      const id = ids[index] ?? "";
      if (isIdChosen !== chosen || id === "" || taken.has(id)) continue;
      taken.add(id);
      isKept[index] = true;
    }
  }
  return recipients.map(({ definition }, index) =>
    isKept[index] ? definition : { ...definition, recipientId: takeLowestFree(taken) },
  );
}

/**
 * Merges the tabs of a later layer into those of an earlier one. A tab with a known label sets the value and
 * the fill-in rules of all tabs with that label; their places and choices stay. Other tabs are added.
 */
function mergeTabs(earlier: readonly TabDefinition[], later: readonly TabDefinition[]): readonly TabDefinition[] {
  const merged = [...earlier];
  const added: TabDefinition[] = [];
  for (const tab of later) {
    let isFound = false;
    for (const [index, below] of merged.entries()) {
      if (!isSameField(below, tab)) continue;
      merged[index] = withValue(below, tab);
      isFound = true;
    }
    if (!isFound) added.push(tab);
  }
  return [...merged, ...added];
}

/**
 * Tabs of different types are different fields even with the same label. A tab without a type matches any type.
 */
const isSameField = (below: TabDefinition, { label = "", type }: TabDefinition): boolean =>
  label !== "" && below.label === label && (type === undefined || type === below.type);

function withValue(below: TabDefinition, tab: TabDefinition): TabDefinition {
  const { tabId, type, label, documentId, page, x, y, width, height, anchor, items, buttons, scale, value, ...manner } =
    tab;
  const chosen = chosenValue(tab);
  return { ...below, ...manner, ...(chosen === undefined ? {} : { value: chosen }) };
}
