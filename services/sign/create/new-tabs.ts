import type { FieldProblem } from "#platform/errors.ts";
import { refusalOfPattern } from "#platform/linear-pattern.ts";
import type { DecisionContext } from "../agreement/change.ts";
import type { TabDefinition } from "../agreement/definition.ts";
import { invalid, problem, refuse, textProblems } from "../agreement/problems.ts";
import type { Anchor, ListItem, RadioButton, Tab } from "../agreement/tab.ts";
import { chosenValue } from "./given-members.ts";
import { defaultTab, tabDefaults } from "./tab-formats.ts";

/** Creates tabs with ids and defaults. Throws VALIDATION_FAILED; problems name fields as `<field>[i].label`. */
export function newTabs(
  definitions: readonly TabDefinition[],
  field: string,
  context: Pick<DecisionContext, "newId">,
): readonly Tab[] {
  return definitions.map((definition, index) => newTab(definition, `${field}[${index}]`, context));
}

/** Creates a tab with an id and defaults. Throws VALIDATION_FAILED. */
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

/** Leaves out the members that choose a value or a place, which have rules of their own. */
function givenMembers({ tabId, items, buttons, label, ...given }: TabDefinition): Partial<Tab> {
  return label === undefined || label === "" ? given : { ...given, label };
}

const newButton = (button: RadioButton, newId: () => string): RadioButton => ({
  ...button,
  tabId: newId(),
  page: Math.max(button.page, 1),
});

/**
 * Applies the given members to a tab; absent members keep their values. Buttons match by id or value, and new
 * ones are added. Throws VALIDATION_FAILED.
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

/** Signature tabs take their size from their scale. */
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

/** Page 0 means that only the selection is given, because pages start at 1. */
const hasPlace = ({ page, anchor }: RadioButton): boolean => page > 0 || anchor !== null;

/** Sets what derives from the rest: the selected value, and whether the place is known. */
function finished(tab: Tab): Tab {
  const items = tab.items.map((item): ListItem => ({ ...item, selected: item.value === tab.value }));
  const buttons = tab.buttons.map((button): RadioButton => ({ ...button, selected: button.value === tab.value }));
  const isAnchored = tab.anchor !== null || buttons.some(({ anchor }) => anchor !== null);
  const hasNoDocument = tab.anchor !== null || (buttons.length > 0 && buttons.every(({ anchor }) => anchor !== null));
  return { ...tab, items, buttons, isPlaced: !isAnchored, documentId: hasNoDocument ? null : tab.documentId };
}

/** Validates a tab without regard to the documents. */
const tabProblems = (tab: Tab, field: string): readonly FieldProblem[] => [
  ...tabTextProblems(tab, field),
  ...placeProblems(tab, field),
  ...numberProblems(tab, field),
  ...valueProblems(tab, field),
  ...tab.buttons.flatMap((button, index) => buttonProblems(button, `${field}.buttons[${index}]`)),
  ...anchorProblems(tab.anchor, `${field}.anchor`),
];

/** Length limits of text members, in characters. */
const textLimits = [
  ["label", 500],
  ["documentId", 50],
  ["value", 10_000],
  ["tooltip", 500],
  ["name", 500],
  ["validationMessage", 500],
  ["conditionLabel", 500],
  ["conditionValue", 10_000],
  ["variant", 50],
] as const satisfies readonly (readonly [keyof Tab, number])[];

function tabTextProblems(tab: Tab, field: string): readonly FieldProblem[] {
  const { items, style } = tab;
  const long = textLimits.flatMap(([name, limit]) => textProblems(tab[name] ?? "", limit, `${field}.${name}`));
  const inItems = items.flatMap(({ text, value }, index) =>
    textProblems(text + value, 2_000, `${field}.items[${index}]`),
  );
  const inStyle = style === null ? [] : textProblems(style.font + style.color, 100, `${field}.style`);
  return [...long, ...inItems, ...inStyle, ...patternProblems(tab, field)];
}

/**
 * A pattern that cannot be matched in linear time is refused here, because otherwise it would only fail when
 * somebody signs.
 */
function patternProblems({ validationPattern }: Tab, field: string): readonly FieldProblem[] {
  if (validationPattern === "") return [];
  const refusal = refusalOfPattern(validationPattern);
  return refusal === undefined ? [] : [problem(`${field}.validationPattern`, "PATTERN", refusal)];
}

/** Far outside any page, yet exact in every number format it passes through. */
const farthest = 100_000;

const isPlace = (value: number): boolean => Number.isFinite(value) && Math.abs(value) <= farthest;
const isSize = (value: number): boolean => value > 0 && value <= farthest;

function placeProblems(tab: Tab, field: string): readonly FieldProblem[] {
  const message = "must be a number of points";
  return [
    ...(["x", "y"] as const).flatMap((name) =>
      isPlace(tab[name]) ? [] : [problem(`${field}.${name}`, "OUT_OF_RANGE", message)],
    ),
    ...(["width", "height"] as const).flatMap((name) =>
      isSize(tab[name]) ? [] : [problem(`${field}.${name}`, "OUT_OF_RANGE", `${message} above 0`)],
    ),
    ...pageProblems(tab.page, field),
  ];
}

/** More pages than a document may have. */
const lastPage = 100_000;

const pageProblems = (page: number, field: string): readonly FieldProblem[] =>
  page >= 1 && page <= lastPage ? [] : [problem(`${field}.page`, "OUT_OF_RANGE", "must be 1 or more")];

function numberProblems({ scale, style, maxLength, tabOrder }: Tab, field: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!(scale >= 0.5 && scale <= 2)) problems.push(problem(`${field}.scale`, "OUT_OF_RANGE", "must be 0.5 to 2"));
  if (style !== null && !(style.size >= 0 && style.size <= 200)) {
    problems.push(problem(`${field}.style.size`, "OUT_OF_RANGE", "must be 0 to 200 points"));
  }
  if (maxLength > 10_000) problems.push(problem(`${field}.maxLength`, "OUT_OF_RANGE", "must be at most 10000"));
  if (tabOrder > 1_000_000) problems.push(problem(`${field}.tabOrder`, "OUT_OF_RANGE", "must be at most 1000000"));
  return problems;
}

/** The value must be one that a person could choose. */
function valueProblems({ type, value, items, buttons }: Tab, field: string): readonly FieldProblem[] {
  const at = `${field}.value`;
  if (type === "checkbox" && value !== "true" && value !== "false") {
    return [problem(at, "NOT_A_CHOICE", 'must be "true" or "false"')];
  }
  const choices = type === "list" ? items : type === "radio-group" ? buttons : [];
  if (value === "" || choices.length === 0 || choices.some((choice) => choice.value === value)) return [];
  return [problem(at, "NOT_A_CHOICE", "must be the value of one of the choices")];
}

const buttonProblems = ({ value, page, x, y, anchor }: RadioButton, field: string): readonly FieldProblem[] => [
  ...textProblems(value, 1_000, `${field}.value`),
  ...pageProblems(page, field),
  ...(isPlace(x) && isPlace(y) ? [] : [problem(field, "OUT_OF_RANGE", "must have a position in points")]),
  ...anchorProblems(anchor, `${field}.anchor`),
];

function anchorProblems(anchor: Anchor | null, field: string): readonly FieldProblem[] {
  if (anchor === null) return [];
  const { text, xOffset, yOffset } = anchor;
  const offsets = isPlace(xOffset) && isPlace(yOffset);
  return [
    ...(text.trim() === "" ? [problem(`${field}.text`, "REQUIRED", "must not be blank")] : []),
    ...textProblems(text, 4_000, `${field}.text`),
    ...(offsets ? [] : [problem(field, "OUT_OF_RANGE", "must have offsets that are numbers")]),
  ];
}
