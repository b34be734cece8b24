import type { DecisionContext } from "./change.ts";
import { chosenValue } from "./chosen-value.ts";
import type { TabDefinition } from "./definition.ts";
import { invalid, problem, refuse } from "./problems.ts";
import type { ListItem, RadioButton, Tab } from "./tab.ts";
import { defaultTab, tabDefaults } from "./tab-defaults.ts";
import { tabProblems } from "./tab-problems.ts";

/** A page of tabs is filled in with one request, which holds no more values. */
export const maxTabs = 2_000;

/** Tabs with ids and defaults. Throws VALIDATION_FAILED; fields are called `<field>[i].label`. */
export function newTabs(
  definitions: readonly TabDefinition[],
  field: string,
  context: Pick<DecisionContext, "newId">,
): readonly Tab[] {
  return definitions.map((definition, index) => newTab(definition, `${field}[${index}]`, context));
}

/** A tab with an id and defaults. Throws VALIDATION_FAILED. */
export function newTab(definition: TabDefinition, field: string, { newId }: Pick<DecisionContext, "newId">): Tab {
  if (definition.type === undefined) throw invalid(problem(`${field}.type`, "REQUIRED", "must be given"));
  const { type, items = [], buttons = [] } = definition;
  const scaled = type === "signature" ? (definition.scale ?? 1) : 1;
  const size = { width: tabDefaults[type].width * scaled, height: tabDefaults[type].height * scaled };
  const made = { ...defaultTab(type, newId()), ...size, ...givenMembers(definition), items };
  const value = chosenValue(definition) ?? made.value;
  const tab = finished({
    ...made,
    buttons: buttons.map((button) => newButton(button, newId)),
    value,
    originalValue: value,
  });
  refuse(tabProblems(tab, field));
  return tab;
}

/** What is left when the members that choose a value or a place are taken by rules of their own. */
function givenMembers({ tabId, items, buttons, label, ...given }: TabDefinition): Partial<Tab> {
  return label === undefined || label === "" ? given : { ...given, label };
}

const newButton = (button: RadioButton, newId: () => string): RadioButton => ({
  ...button,
  tabId: newId(),
  page: Math.max(button.page, 1),
});

/**
 * The tab as the given members say. Absent ones stay; buttons are told apart by their ids or values, and those that are
 * not there yet are added. Throws VALIDATION_FAILED.
 */
export function changedTab(
  tab: Tab,
  definition: TabDefinition,
  field: string,
  { newId }: Pick<DecisionContext, "newId">,
): Tab {
  if (definition.type !== undefined && definition.type !== tab.type) {
    refuse([problem(`${field}.type`, "IMMUTABLE", "cannot change; remove the tab and add another one")]);
  }
  const { items = tab.items, buttons = [] } = definition;
  const changed = { ...tab, ...scaledSize(tab, definition), ...givenMembers(definition), items };
  const value = chosenValue(definition) ?? tab.value;
  const shown = changedButtons(tab.buttons, buttons, newId);
  const made = finished({ ...changed, buttons: shown, value, originalValue: value });
  refuse(tabProblems(made, field));
  return made;
}

/** Signatures grow and shrink with their scale. */
function scaledSize(tab: Tab, { scale }: TabDefinition): Partial<Tab> {
  if (scale === undefined || tab.type !== "signature") return {};
  const ratio = scale / tab.scale;
  return { width: tab.width * ratio, height: tab.height * ratio };
}

function changedButtons(
  existing: readonly RadioButton[],
  given: readonly RadioButton[],
  newId: () => string,
): readonly RadioButton[] {
  const buttons = [...existing];
  for (const button of given) {
    const at = buttons.findIndex(({ tabId, value }) =>
      button.tabId === "" ? value === button.value : tabId === button.tabId,
    );
    const old = buttons[at];
    if (old === undefined) buttons.push(newButton(button, newId));
    else buttons[at] = hasPlace(button) ? { ...button, tabId: old.tabId } : { ...old, value: button.value };
  }
  return buttons;
}

/** Pages count from 1: without one, only the choice is meant. */
const hasPlace = ({ page, anchor }: RadioButton): boolean => page > 0 || anchor !== null;

/** What follows from the rest: what is chosen, and whether the place is known. */
function finished(tab: Tab): Tab {
  const items = tab.items.map((item): ListItem => ({ ...item, selected: item.value === tab.value }));
  const buttons = tab.buttons.map((button): RadioButton => ({ ...button, selected: button.value === tab.value }));
  const isAnchored = tab.anchor !== null || buttons.some(({ anchor }) => anchor !== null);
  const hasNoDocument = tab.anchor !== null || (buttons.length > 0 && buttons.every(({ anchor }) => anchor !== null));
  return { ...tab, items, buttons, isPlaced: !isAnchored, documentId: hasNoDocument ? null : tab.documentId };
}
