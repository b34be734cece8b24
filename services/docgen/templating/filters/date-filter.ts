import { TemplateProblem, ValueProblem } from "../liquid-problem.ts";
import { formatOf, type LiquidState, stateOf } from "../liquid-state.ts";
import { directivesOf, formatDirectives } from "./date-directives.ts";
import { type PointInTime, readDate } from "./date-values.ts";
import type { FilterSpec } from "./filter-spec.ts";
import type { FilterCall } from "./filter-values.ts";

export const dateStyles = ["short", "medium", "long", "full"] as const;
type DateStyle = (typeof dateStyles)[number];

/** What is wrong with a date format; undefined when it is one. */
export function dateFormatProblem(format: string): string | undefined {
  if (isStyle(format)) return undefined;
  if (!format.includes("%")) return `A date format is ${dateStyles.join(", ")}, or has directives such as %Y-%m-%d.`;
  const unknown = directivesOf(format).find(({ isKnown }) => !isKnown);
  return unknown && `There is no date directive ${unknown.text}.`;
}

export const isStyle = (format: string): format is DateStyle => (dateStyles as readonly string[]).includes(format);

/** `{{ d | date: "long" }}`, with a time: `{{ d | date: "long", "short" }}`, or by directives: `{{ d | date: "%d.%m.%Y" }}`. */
const date: FilterSpec = {
  input: "date",
  arguments: ["dateFormat", "timeFormat"],
  required: 0,
  handler(this: FilterCall, value: unknown, format: unknown = "long", timeStyle?: unknown) {
    const state = stateOf(this.context);
    const when = readDate(value, state.now);
    if (when === undefined) throw new ValueProblem("date such as 2026-03-31 or 2026-03-31T10:00:00Z");
    if (typeof format !== "string") throw new TemplateProblem("A date format must be a text.");
    const problem = dateFormatProblem(format);
    if (problem !== undefined) throw new TemplateProblem(problem);
    if (!isStyle(format)) return formatDirectives(format, when, state);
    if (timeStyle === undefined) return styled(state, when, { dateStyle: format });
    if (typeof timeStyle !== "string" || !isStyle(timeStyle)) {
      throw new TemplateProblem(`A time format is ${dateStyles.join(", ")}.`);
    }
    return styled(state, when, { dateStyle: format, timeStyle });
  },
};

function styled(state: LiquidState, when: PointInTime, style: Intl.DateTimeFormatOptions): string {
  const timeZone = when.isDay ? "UTC" : state.timeZone;
  const key = `date ${style.dateStyle} ${style.timeStyle} ${timeZone}`;
  const format = formatOf(state, key, () => new Intl.DateTimeFormat(state.locale, { ...style, timeZone }));
  return format.format(when.time);
}

export const dateFilters = { date };
