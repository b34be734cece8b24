import {
  BreakTag,
  CaseTag,
  CommentTag,
  ContinueTag,
  type FilterImplOptions,
  IfTag,
  InlineCommentTag,
  Liquid,
  UnlessTag,
} from "liquidjs";
import { filterSpecs } from "./filters/filter-specs.ts";
import { renderTemplates } from "./liquid-renderer.ts";
import { liquidLimits } from "./liquid-state.ts";
import { Assign, For } from "./liquid-tags.ts";

/** Tags by what they are; everything else is unknown, in particular all that reads files. */
const liquidTags = {
  if: IfTag,
  unless: UnlessTag,
  case: CaseTag,
  for: For,
  assign: Assign,
  break: BreakTag,
  continue: ContinueTag,
  comment: CommentTag,
  "#": InlineCommentTag,
};

/**
 * Liquid with a fixed set of tags and filters, strict in every way: what is unknown or undefined is an error, only own
 * properties exist, nothing is read from files, no clock but the job's is asked. Outputs never write into the template's
 * text: they leave a mark there, and the values are put in as text when the markup has been read (see fill-outputs.ts).
 */
export function createLiquid(): Liquid {
  const liquid = new Liquid({
    // There are no tags for partials and layouts; this is a second safeguard against reading files.
    templates: {},
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    // A name alone may be undefined in a condition and before the filter default.
    lenientIf: true,
    jsTruthy: false,
    // The defaults would be those of the machine.
    locale: "en",
    timezoneOffset: 0,
    parseLimit: liquidLimits.source,
    memoryLimit: liquidLimits.memory,
    renderLimit: liquidLimits.renderMs,
  });
  replaceAll(liquid.tags, liquidTags);
  const handlers = Object.entries(filterSpecs).map(([name, { handler }]) => [name, handler as FilterImplOptions]);
  replaceAll(liquid.filters, Object.fromEntries(handlers));
  Object.assign(liquid.renderer, { renderTemplates });
  return liquid;
}

function replaceAll(record: Record<string, unknown>, values: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(record)) delete record[name];
  Object.assign(record, values);
}
