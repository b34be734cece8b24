import type { Tab } from "./tab.ts";

/**
 * The tabs that are shown when the tabs have these values. A tab with a condition is shown while a shown tab with the
 * label has the value; a condition on a label that nobody has always holds.
 */
export function shownTabs(tabs: readonly Tab[], enteredIn: (tab: Tab) => string): ReadonlySet<Tab> {
  const byLabel = Map.groupBy(tabs, ({ label }) => label);
  const known = new Map<Tab, boolean>();
  const isShown = (tab: Tab): boolean => {
    const answer = known.get(tab);
    if (answer !== undefined) return answer;
    // Conditions in a circle hide each other.
    known.set(tab, false);
    const parents = tab.conditionLabel === "" ? undefined : byLabel.get(tab.conditionLabel);
    const shown = parents === undefined || parents.some((one) => isMet(tab, one, enteredIn(one)) && isShown(one));
    known.set(tab, shown);
    return shown;
  };
  return new Set(tabs.filter(isShown));
}

function isMet({ conditionValue }: Tab, parent: Tab, value: string): boolean {
  if (parent.type !== "checkbox") return value === conditionValue;
  return (value === "true") === checkedWords.includes(conditionValue.toLowerCase());
}

/** Integrations ask for a checkbox that is "on". */
const checkedWords: readonly string[] = ["on", "true", "x"];
