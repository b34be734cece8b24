import { createAutomaton, isMatch, statesOf } from "./linear-pattern-automaton.ts";
import { type ParsedPattern, parsePattern } from "./linear-pattern-syntax.ts";

export type LinearPattern =
  | { readonly kind: "pattern"; matches(text: string, work?: PatternWork): boolean }
  | { readonly kind: "refused"; readonly reason: string };

/** What one caller may make us do: steps of a few nanoseconds. Below 0 it is used up, and nothing matches any more. */
export interface PatternWork {
  left: number;
}

const maxPatternLength = 200;

/** What repetitions such as `{2,50}` unfold to. */
const maxStates = 1_024;

/** A longer text never matches. Counted in Unicode characters. */
export const maxMatchedCharacters = 4_096;

/** Some 5 ms, for all that one request asks. A usual pattern takes seven steps for each character. */
export const newPatternWork = (): PatternWork => ({ left: 400_000 });

/**
 * Compiles a pattern of somebody we do not trust. It must match the whole text; `^` at its start and `$` at its end are
 * allowed and change nothing. The syntax is that of JavaScript with the flag `u` without assertions, references and
 * named groups. The states of the automaton are followed side by side, so that nothing is tried twice: the time to match
 * grows with the length of the text times the number of states. The regular expressions of JavaScript do try, and
 * `(a+)+b` takes them years. What is still too much, because a pattern is made for it, ends with the work that is
 * allowed; then it does not match.
 */
export function compileLinearPattern(source: string): LinearPattern {
  const parsed = parse(source);
  if (parsed.kind === "refused") return parsed;
  return {
    kind: "pattern",
    matches: (text, work = newPatternWork()) => {
      work.left -= source.length * stepsOfReading;
      return work.left >= 0 && isMatch(createAutomaton(parsed.node), text, maxMatchedCharacters, work);
    },
  };
}

/** Why a pattern cannot be compiled; undefined when it can. Costs less than to compile it. */
export function refusalOfPattern(source: string): string | undefined {
  const parsed = parse(source);
  return parsed.kind === "refused" ? parsed.reason : undefined;
}

/** What a character of a pattern costs before anything is matched. */
const stepsOfReading = 10;

const refused = (reason: string): ParsedPattern & { kind: "refused" } => ({ kind: "refused", reason });

function parse(source: string): ParsedPattern {
  if (source.length > maxPatternLength) return refused(`must have at most ${maxPatternLength} characters`);
  const parsed = parsePattern(source);
  const isTooMuch = parsed.kind === "parsed" && statesOf(parsed.node) > maxStates;
  return isTooMuch ? refused("repeats too much; use lower numbers in {}") : parsed;
}
