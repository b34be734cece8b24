import type { CharacterSet } from "./linear-pattern-syntax.ts";
import { type ParsedPattern, type PatternNode, parsePattern } from "./linear-pattern-syntax.ts";

export type LinearPattern =
  | { readonly kind: "pattern"; matches(text: string, work?: PatternWork): boolean }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * A budget of matching steps, a few nanoseconds each, for one caller. Below 0 it is used up and nothing matches
 * any more.
 */
export interface PatternWork {
  left: number;
}

const maxPatternLength = 200;

/** The limit after expanding repetitions such as `{2,50}`. */
const maxStates = 1_024;

/** A longer text never matches. Counted in Unicode characters. */
export const maxMatchedCharacters = 4_096;

/** About 5 ms for everything one request asks. A usual pattern takes seven steps per character. */
export const newPatternWork = (): PatternWork => ({ left: 400_000 });

/**
 * Compiles an untrusted pattern. It must match the whole text; a leading `^` and a trailing `$` are allowed and
 * change nothing. The syntax is JavaScript's with the `u` flag, without assertions, back-references and named
 * groups. All states of the automaton advance in parallel without backtracking, so matching time grows with
 * text length times number of states, where JavaScript's regular expressions would take years for `(a+)+b`. A
 * pattern that still exceeds the work budget does not match.
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

/** Why a pattern cannot be compiled; undefined when it can. Cheaper than compiling. */
export function refusalOfPattern(source: string): string | undefined {
  const parsed = parse(source);
  return parsed.kind === "refused" ? parsed.reason : undefined;
}

/** The cost of compiling, per character of the pattern. */
const stepsOfReading = 10;

const refused = (reason: string): ParsedPattern & { kind: "refused" } => ({ kind: "refused", reason });

function parse(source: string): ParsedPattern {
  if (source.length > maxPatternLength) return refused(`must have at most ${maxPatternLength} characters`);
  const parsed = parsePattern(source);
  const isTooMuch = parsed.kind === "parsed" && statesOf(parsed.node) > maxStates;
  return isTooMuch ? refused("repeats too much; use lower numbers in {}") : parsed;
}

/** A pattern's states. A state that reads a character has its set in `reads`; -1 is a fork and -2 the end. */
interface Automaton {
  readonly sets: readonly CharacterSet[];
  readonly reads: readonly number[];
  readonly next: readonly number[];
  /** A fork's second branch. */
  readonly other: readonly number[];
  readonly start: number;
}

const fork = -1;
const end = -2;

/** The size of the compiled automaton. It can be astronomical, so it is checked before anything is built. */
function statesOf(node: PatternNode): number {
  switch (node.kind) {
    case "character":
      return 1;
    case "sequence":
      return node.parts.reduce((sum, part) => sum + statesOf(part), 0);
    case "choice":
      return node.parts.reduce((sum, part) => sum + statesOf(part), 1);
    case "repeat": {
      const { min, max } = node;
      const states = statesOf(node.part);
      return min * states + (max === Number.POSITIVE_INFINITY ? states + 1 : (max - min) * (states + 1));
    }
  }
}

interface Building {
  /** The copies made by a repetition share one set. */
  readonly sets: Map<CharacterSet, number>;
  readonly reads: number[];
  readonly next: number[];
  readonly other: number[];
}

function createAutomaton(node: PatternNode): Automaton {
  const building: Building = { sets: new Map(), reads: [], next: [], other: [] };
  const start = build(building, node, add(building, end, 0, 0));
  return { ...building, sets: [...building.sets.keys()], start };
}

function add({ reads, next, other }: Building, read: number, first: number, second: number): number {
  reads.push(read);
  next.push(first);
  return other.push(second) - 1;
}

/** Adds a node's states, followed by `next`, and returns the first one. */
function build(building: Building, node: PatternNode, next: number): number {
  switch (node.kind) {
    case "character": {
      const { sets } = building;
      const set = sets.get(node.set) ?? sets.size;
      sets.set(node.set, set);
      return add(building, set, next, 0);
    }
    case "sequence":
      return node.parts.reduceRight((after, part) => build(building, part, after), next);
    case "choice": {
      const [last, ...before] = node.parts.map((part) => build(building, part, next)).reverse();
      return before.reduce((after, way) => add(building, fork, way, after), last ?? next);
    }
    case "repeat":
      return buildRepeat(building, node, next);
  }
}

function buildRepeat(building: Building, node: PatternNode & { kind: "repeat" }, next: number): number {
  let first = next;
  if (node.max === Number.POSITIVE_INFINITY) {
    first = add(building, fork, next, next);
    building.next[first] = build(building, node.part, first);
  } else {
    for (let copy = node.min; copy < node.max; copy += 1) {
      first = add(building, fork, build(building, node.part, first), next);
    }
  }
  for (let copy = 0; copy < node.min; copy += 1) first = build(building, node.part, first);
  return first;
}

/** The active states after the characters read so far, with per-character caches. */
interface Run {
  readonly automaton: Automaton;
  /** By state: the last step that entered it. */
  readonly entered: Uint32Array;
  readonly open: Int32Array;
  active: Int32Array;
  following: Int32Array;
}

/** Whether the automaton accepts the whole text. Each state entered is one step of work. */
function isMatch(automaton: Automaton, text: string, maxCharacters: number, work: { left: number }): boolean {
  const size = automaton.reads.length;
  work.left -= size;
  const states = () => new Int32Array(size);
  const run: Run = {
    ...{ automaton, entered: new Uint32Array(size), open: new Int32Array(2 * size + 1) },
    ...{ active: states(), following: states() },
  };
  const { sets, reads, next } = automaton;
  /** By set: twice the step that last tested it, plus one if it contained the character. */
  const asked = new Uint32Array(sets.length);
  let step = 1;
  let count = enter(run, run.active, 0, automaton.start, step, work);
  for (const character of text) {
    if (step > maxCharacters || count === 0 || work.left < 0) return false;
    step += 1;
    const code = character.codePointAt(0) ?? 0;
    let following = 0;
    for (let at = 0; at < count; at += 1) {
      const state = run.active[at] ?? 0;
      const read = reads[state] ?? end;
      if (read === end) continue;
      if ((asked[read] ?? 0) >> 1 !== step) asked[read] = step * 2 + (sets[read]?.has(code) === true ? 1 : 0);
      if (((asked[read] ?? 0) & 1) === 0) continue;
      following = enter(run, run.following, following, next[state] ?? 0, step, work);
    }
    work.left -= count;
    count = following;
    [run.active, run.following] = [run.following, run.active];
  }
  return work.left >= 0 && run.active.subarray(0, count).includes(0);
}

/** Adds a state and all states reachable from it without reading; returns the new number of states. */
function enter(
  { automaton: { reads, next, other }, entered, open }: Run,
  active: Int32Array,
  already: number,
  first: number,
  step: number,
  work: { left: number },
): number {
  let count = already;
  let top = 0;
  open[top++] = first;
  while (top > 0) {
    const state = open[--top] ?? 0;
    if (entered[state] === step) continue;
    entered[state] = step;
    work.left -= 1;
    if (reads[state] === fork) {
      open[top++] = other[state] ?? 0;
      open[top++] = next[state] ?? 0;
    } else {
      active[count++] = state;
    }
  }
  return count;
}
