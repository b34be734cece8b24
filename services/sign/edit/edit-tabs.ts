import { DomainError } from "#platform/errors.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import type { Change, DecisionContext } from "../agreement/change.ts";
import type { TabDefinition } from "../agreement/definition.ts";
import { draftModified, problem, refuse } from "../agreement/problems.ts";
import { maxTabs, type Tab } from "../agreement/tab.ts";
import { changedTab, newTabs } from "../create/new-tabs.ts";
import { requireChangeableRecipients } from "./edit-recipients.ts";

export interface ChangeTabs {
  /** The recipientId or the UUID. */
  readonly recipientId: string;
  readonly add: readonly TabDefinition[];
  /** By tabId. */
  readonly change: readonly TabDefinition[];
  readonly removeTabIds: readonly string[];
}

/** The ids of the added tabs, then of the changed ones, each in the order of the request. */
export interface ChangeTabsResult {
  readonly change: Change;
  readonly tabIds: readonly string[];
}

/** Adds, changes and removes tabs of a recipient. */
export function changeTabs(agreement: Agreement, command: ChangeTabs, context: DecisionContext): ChangeTabsResult {
  const [recipient] = requireChangeableRecipients(agreement, [command.recipientId]);
  if (recipient === undefined) throw new DomainError("RECIPIENT_NOT_FOUND");
  const { tabs, ...details } = changedTabs(recipient, command, context);
  const recipients = agreement.recipients.map((one) => (one === recipient ? { ...one, tabs } : one));
  return {
    change: draftModified({ ...agreement, recipients }, context, { recipientId: recipient.recipientId, ...details }),
    tabIds: [...details.tabsAdded, ...details.tabsChanged],
  };
}

/** The tabs of a recipient after a change, and the ids of those that it is about. Throws TAB_NOT_FOUND. */
export function changedTabs(
  recipient: Recipient,
  command: ChangeTabs,
  context: Pick<DecisionContext, "newId">,
  field = "tabs",
) {
  const known = new Set(recipient.tabs.map(({ tabId }) => tabId));
  const wanted = [...command.change.map(({ tabId = "" }) => tabId), ...command.removeTabIds];
  if (!wanted.every((id) => known.has(id))) throw new DomainError("TAB_NOT_FOUND");
  const removed = new Set(command.removeTabIds);
  const changed = withChanges(recipient.tabs, command.change, context).filter(({ tabId }) => !removed.has(tabId));
  const added = newTabs(command.add, field, context);
  const tabs = [...changed, ...added];
  if (tabs.length > maxTabs) {
    refuse([problem(field, "TOO_MANY", `must be at most ${maxTabs} of a recipient`)]);
  }
  return {
    tabs,
    tabsAdded: added.map(({ tabId }) => tabId),
    tabsChanged: command.change.map(({ tabId }) => tabId ?? ""),
    tabsRemoved: command.removeTabIds,
  };
}

/** Tabs with the same type and label are one field in several places, so a change of one applies to all. */
function withChanges(
  tabs: readonly Tab[],
  definitions: readonly TabDefinition[],
  context: Pick<DecisionContext, "newId">,
): readonly Tab[] {
  const byId = new Map(tabs.map((tab) => [tab.tabId, tab]));
  for (const [index, definition] of definitions.entries()) {
    const before = byId.get(definition.tabId ?? "");
    if (before === undefined) continue;
    const after = changedTab(before, definition, `tabs[${index}]`, context);
    byId.set(after.tabId, after);
    if (after.value === before.value) continue;
    for (const [id, other] of byId) {
      const isSameField = id !== after.tabId && other.type === after.type && other.label === after.label;
      if (isSameField) byId.set(id, changedTab(other, { value: after.value }, `tabs[${index}]`, context));
    }
  }
  return [...byId.values()];
}
