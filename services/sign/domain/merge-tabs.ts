import { chosenValue } from "./chosen-value.ts";
import type { TabDefinition } from "./definition.ts";

/**
 * The tabs of a later layer over those of an earlier one. A tab whose label the earlier ones have sets the value of all
 * of them, and how they are filled in; where they are and what can be chosen stays. Other tabs are added.
 */
export function mergeTabs(
  earlier: readonly TabDefinition[],
  later: readonly TabDefinition[],
): readonly TabDefinition[] {
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

/** Tabs of two types are two fields, even with one label. A tab that says no type means whatever has its label. */
const isSameField = (below: TabDefinition, { label = "", type }: TabDefinition): boolean =>
  label !== "" && below.label === label && (type === undefined || type === below.type);

function withValue(below: TabDefinition, tab: TabDefinition): TabDefinition {
  const { tabId, type, label, documentId, page, x, y, width, height, anchor, items, buttons, scale, value, ...manner } =
    tab;
  const chosen = chosenValue(tab);
  return { ...below, ...manner, ...(chosen === undefined ? {} : { value: chosen }) };
}
