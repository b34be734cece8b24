import type { FieldProblem } from "#platform/errors.ts";
import { refusalOfPattern } from "#platform/linear-pattern.ts";
import { problem, textProblems } from "./problems.ts";
import type { Anchor, RadioButton, Tab } from "./tab.ts";

/** What is wrong with a tab, whatever the documents are. */
export const tabProblems = (tab: Tab, field: string): readonly FieldProblem[] => [
  ...tabTextProblems(tab, field),
  ...placeProblems(tab, field),
  ...numberProblems(tab, field),
  ...valueProblems(tab, field),
  ...tab.buttons.flatMap((button, index) => buttonProblems(button, `${field}.buttons[${index}]`)),
  ...anchorProblems(tab.anchor, `${field}.anchor`),
];

/** Everything that is text, with its limit in characters. */
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

/** A pattern that cannot be tried in linear time would be refused only when somebody signs. */
function patternProblems({ validationPattern }: Tab, field: string): readonly FieldProblem[] {
  if (validationPattern === "") return [];
  const refusal = refusalOfPattern(validationPattern);
  return refusal === undefined ? [] : [problem(`${field}.validationPattern`, "PATTERN", refusal)];
}

/** Far outside of any page, and exact in every format that a number passes through. */
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

/** A value that nobody could choose. */
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
  ...(isPlace(x) && isPlace(y) ? [] : [problem(field, "OUT_OF_RANGE", "must have a place in points")]),
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
