/** A place in a text where a value is to be filled in: `{{key}}`. */
export interface MergeField {
  readonly key: string;
  /** 0-based, in UTF-16 code units. */
  readonly offset: number;
  readonly length: number;
}

export type MergeFieldMistake =
  /** `{{` or `}}` without its counterpart. */
  | "UNBALANCED"
  /** Three or more braces: other systems fill in without escaping there. */
  | "TRIPLE_BRACES"
  /** Conditions, loops, helpers, filters: there is no logic. */
  | "LOGIC"
  /** Something else between `{{` and `}}` that is not a key. */
  | "MALFORMED";

export interface MergeFieldProblem {
  readonly mistake: MergeFieldMistake;
  readonly offset: number;
  readonly length: number;
}

export interface MergeFields {
  /** In the order of the text. */
  readonly fields: readonly MergeField[];
  /** The first ones, at most `maxMergeFieldProblems`. A text with problems must not be merged. */
  readonly problems: readonly MergeFieldProblem[];
}

export const maxMergeFieldProblems = 101;

/** The longest text between braces that is told as one mistake. */
const maxMistake = 200;

const keyPattern = /^[a-zA-Z][a-zA-Z0-9_.]{0,63}$/;
const tokenPattern = /\{\{+|\}\}+|\{%/g;

/** Finds the merge fields of a text. The syntax is `{{key}}` and nothing else, without blanks. Takes linear time. */
export function findMergeFields(text: string): MergeFields {
  const fields: MergeField[] = [];
  const problems: MergeFieldProblem[] = [];
  const pattern = new RegExp(tokenPattern);
  for (
    let match = pattern.exec(text);
    match !== null && problems.length < maxMergeFieldProblems;
    match = pattern.exec(text)
  ) {
    const offset = match.index;
    const found = readField(text, match[0], offset);
    if ("key" in found) fields.push(found);
    else problems.push(found);
    pattern.lastIndex = offset + found.length;
  }
  return { fields, problems };
}

function readField(text: string, token: string, offset: number): MergeField | MergeFieldProblem {
  const mistake = (mistake: MergeFieldMistake, length: number): MergeFieldProblem => ({ mistake, offset, length });
  if (token === "{%") return mistake("LOGIC", closingAfter(text, offset, "%}") ?? token.length);
  if (token.startsWith("}")) return mistake("UNBALANCED", token.length);
  const length = closingAfter(text, offset + token.length - 2, "}}");
  if (length === undefined) return mistake("UNBALANCED", token.length);
  const end = offset + token.length - 2 + length;
  if (token.length > 2 || text[end] === "}") return mistake("TRIPLE_BRACES", bracesUntil(text, end) - offset);
  const inner = text.slice(offset + 2, end - 2);
  if (keyPattern.test(inner)) return { key: inner, offset, length };
  return mistake(isLogic(inner) ? "LOGIC" : "MALFORMED", length);
}

/** The length from `{{` at the offset to the end of what closes it, when that comes soon and nothing opens before. */
function closingAfter(text: string, offset: number, closing: string): number | undefined {
  const near = text.slice(offset + 2, offset + maxMistake);
  const end = near.indexOf(closing);
  const reopened = near.indexOf("{{");
  return end === -1 || (reopened !== -1 && reopened < end) ? undefined : 2 + end + closing.length;
}

function bracesUntil(text: string, start: number): number {
  let end = start;
  while (text[end] === "}") end += 1;
  return end;
}

const isLogic = (inner: string): boolean =>
  /^\s*[#/^&>!=~@*]|^\s*(?:if|each|unless|with|for|end|else)\b.|[|()]/.test(inner);
