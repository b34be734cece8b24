import { type Liquid, type Template, Tokenizer, type TopLevelToken, TypeGuards } from "liquidjs";
import { checkExpressions, offsetOf, syntaxMessage } from "./liquid-expressions.ts";
import { liquidLimits } from "./liquid-state.ts";
import { type Boundary, readStructure } from "./liquid-structure.ts";
import type { PlacedFinding } from "./place-findings.ts";
import type { TemplateSource } from "./template-source.ts";

/** A template as Liquid sees it. */
export type ReadLiquid =
  | { readonly findings: readonly PlacedFinding[]; readonly liquid?: undefined }
  | { readonly findings: readonly []; readonly liquid: LiquidTemplate };

export interface LiquidTemplate {
  /** In the order of the source; the texts among them say what of them is trimmed. */
  readonly tokens: readonly TopLevelToken[];
  readonly boundaries: readonly Boundary[];
  readonly commented: ReadonlySet<TopLevelToken>;
  readonly templates: readonly Template[];
}

/** Reads the Liquid of a template; what stands between is not looked at. Linear. */
export function readLiquid(liquid: Liquid, { format, content }: TemplateSource): ReadLiquid {
  if (content.length > liquidLimits.source) {
    return failed("too_complex", `A template has at most ${liquidLimits.source} characters.`, 0);
  }
  const tokens = readTokens(liquid, content);
  if (!Array.isArray(tokens)) return { findings: [tokens] };
  const excess = tokens.filter((token) => !TypeGuards.isHTMLToken(token))[liquidLimits.tags];
  if (excess !== undefined) {
    return failed("too_complex", `A template has at most ${liquidLimits.tags} tags and outputs.`, excess.begin);
  }
  if (format === "markdown") trimTagLines(tokens);
  const { findings, boundaries, commented } = readStructure(tokens);
  const used = tokens.filter((token) => !commented.has(token));
  const all = [...findings, ...used.flatMap((token) => checkExpressions(liquid, token))];
  if (all.length > 0) return { findings: all };
  try {
    const templates = liquid.parser.parseTokens(queueOf(tokens));
    return { findings: [], liquid: { tokens, boundaries, commented, templates } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return failed("syntax_error", syntaxMessage(error), offsetOf(error) ?? 0);
  }
}

const failed = (code: string, message: string, offset: number): ReadLiquid => ({
  findings: [{ code, message, offset }],
});

function readTokens(liquid: Liquid, content: string): TopLevelToken[] | PlacedFinding {
  try {
    return new Tokenizer(content, liquid.options.operators).readTopLevelTokens(liquid.options);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { code: "syntax_error", message: syntaxMessage(error), offset: offsetOf(error) ?? 0 };
  }
}

/** A list of tokens from whose front the parser can take cheaply; Array.shift would move all the others each time. */
function queueOf(tokens: readonly TopLevelToken[]): TopLevelToken[] {
  let next = 0;
  const queue = {
    shift: () => {
      next += 1;
      return tokens[next - 1];
    },
    get length() {
      return tokens.length - next;
    },
  };
  return queue as unknown as TopLevelToken[];
}

/**
 * Takes lines that have nothing but tags out of a Markdown template, so that a loop around the rows of a table or the
 * items of a list does not put blank lines between them. Linear.
 */
function trimTagLines(tokens: readonly TopLevelToken[]): void {
  for (let index = 0; index < tokens.length; index += 1) {
    if (!TypeGuards.isTagToken(tokens[index])) continue;
    const first = index;
    while (isOnLineBetweenTags(tokens, index)) index += 1;
    trimAround(tokens, first - 1, index + 1);
  }
}

/** True while another tag follows on the same line. */
function isOnLineBetweenTags(tokens: readonly TopLevelToken[], index: number): boolean {
  const next = tokens[index + 1];
  if (TypeGuards.isTagToken(next)) return true;
  return TypeGuards.isHTMLToken(next) && /^[ \t]*$/.test(next.getText()) && TypeGuards.isTagToken(tokens[index + 2]);
}

function trimAround(tokens: readonly TopLevelToken[], indexBefore: number, indexAfter: number): void {
  const [before, after] = [tokens[indexBefore], tokens[indexAfter]];
  const indent = before === undefined ? "" : blanksAtEnd(before, indexBefore === 0);
  const rest = after === undefined ? "" : blanksAtStart(after, indexAfter === tokens.length - 1);
  if (indent === undefined || rest === undefined) return;
  if (TypeGuards.isHTMLToken(before)) before.trimRight = Math.max(before.trimRight, indent.length);
  if (TypeGuards.isHTMLToken(after)) after.trimLeft = Math.max(after.trimLeft, rest.length);
}

/** The blanks that the last line of a text is; undefined when it has something else, or other things come before it. */
function blanksAtEnd(token: TopLevelToken, isFirst: boolean): string | undefined {
  if (!TypeGuards.isHTMLToken(token)) return undefined;
  const text = token.getText();
  let start = text.length;
  while (start > 0 && (text[start - 1] === " " || text[start - 1] === "\t")) start -= 1;
  const isLineStart = start === 0 ? isFirst : text[start - 1] === "\n" || text[start - 1] === "\r";
  return isLineStart ? text.slice(start) : undefined;
}

/** The same of the first line, with its end. */
function blanksAtStart(token: TopLevelToken, isLast: boolean): string | undefined {
  if (!TypeGuards.isHTMLToken(token)) return undefined;
  const text = token.getText();
  const line = /^[ \t]*(?:\r\n|\n|\r)/.exec(text)?.[0];
  return line ?? (isLast && /^[ \t]*$/.test(text) ? text : undefined);
}
