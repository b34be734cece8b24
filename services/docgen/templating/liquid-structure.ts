import { type TagToken, type TopLevelToken, TypeGuards } from "liquidjs";
import { liquidLimits } from "./liquid-state.ts";
import { type PlacedFinding, quoted } from "./place-findings.ts";

/** A place where what is rendered may begin, change or end. */
export interface Boundary {
  readonly token: TagToken;
  /** A jump is break or continue: rendering goes on at the end of the loop. */
  readonly kind: "open" | "branch" | "close" | "jump";
  /** The number of the block, or of the loop that is jumped out of. */
  readonly block: number;
}

export interface Structure {
  readonly findings: readonly PlacedFinding[];
  /** In the order of the source. */
  readonly boundaries: readonly Boundary[];
  /** Tokens within comments, the tags around them included. */
  readonly commented: ReadonlySet<TopLevelToken>;
}

const branches: Readonly<Record<string, readonly string[]>> = {
  if: ["elsif", "else"],
  unless: ["elsif", "else"],
  case: ["when", "else"],
  for: ["else"],
};
const simple: ReadonlySet<string> = new Set(["assign", "#"]);
const jumps: ReadonlySet<string> = new Set(["break", "continue"]);
const branchNames: ReadonlySet<string> = new Set(Object.values(branches).flat());

interface OpenBlock {
  readonly token: TagToken;
  readonly block: number;
  hasElse: boolean;
}

/** Checks that every tag is known and stands where it may. Linear. */
export function readStructure(tokens: readonly TopLevelToken[]): Structure {
  const findings: PlacedFinding[] = [];
  const boundaries: Boundary[] = [];
  const commented = new Set<TopLevelToken>();
  const stack: OpenBlock[] = [];
  let comment: TagToken | undefined;
  let blocks = 0;
  const report = (code: string, message: string, { begin }: { readonly begin: number }) =>
    findings.push({ code, message, offset: begin });

  const open = (token: TagToken): void => {
    blocks += 1;
    stack.push({ token, block: blocks, hasElse: false });
    boundaries.push({ token, kind: "open", block: blocks });
    if (stack.length === liquidLimits.depth + 1) {
      report("too_complex", `Tags are nested more than ${liquidLimits.depth} deep.`, token);
    }
  };
  const branch = (token: TagToken): void => {
    const around = stack.at(-1);
    if (around === undefined || !branches[around.token.name]?.includes(token.name)) {
      report("misplaced_tag", `The tag ${token.name} stands in no tag that it belongs to.`, token);
      return;
    }
    if (around.hasElse) report("misplaced_tag", `The tag ${token.name} comes after else.`, token);
    around.hasElse = token.name === "else";
    boundaries.push({ token, kind: "branch", block: around.block });
  };
  const close = (token: TagToken): void => {
    const around = stack.at(-1);
    if (around === undefined || token.name !== `end${around.token.name}`) {
      const expected = around === undefined ? "There is nothing to end" : `Write end${around.token.name} before`;
      report("misplaced_tag", `The tag ${token.name} does not end what is open. ${expected}.`, token);
      return;
    }
    stack.pop();
    boundaries.push({ token, kind: "close", block: around.block });
  };
  const jump = (token: TagToken): void => {
    const loop = stack.findLast((around) => around.token.name === "for");
    if (loop === undefined) report("misplaced_tag", `The tag ${token.name} stands in no loop.`, token);
    else boundaries.push({ token, kind: "jump", block: loop.block });
  };
  const take = (token: TagToken): void => {
    if (Object.hasOwn(branches, token.name)) open(token);
    else if (branchNames.has(token.name)) branch(token);
    else if (isEnd(token.name)) close(token);
    else if (jumps.has(token.name)) jump(token);
    else if (!simple.has(token.name)) report("unknown_tag", unknownTag(token.name), token);
  };

  for (const token of tokens) {
    const tag = TypeGuards.isTagToken(token) ? token : undefined;
    if (comment !== undefined || tag?.name === "comment") commented.add(token);
    if (tag === undefined) continue;
    if (comment !== undefined) comment = tag.name === "endcomment" ? undefined : comment;
    else if (tag.name === "comment") comment = tag;
    else take(tag);
  }
  const unclosed = [...stack.map(({ token }) => token), ...(comment === undefined ? [] : [comment])];
  for (const token of unclosed)
    report("unclosed_tag", `The tag ${token.name} is not closed with end${token.name}.`, token);
  return { findings, boundaries, commented };
}

const isEnd = (name: string): boolean => name.startsWith("end") && Object.hasOwn(branches, name.slice(3));

const unknownTag = (name: string): string =>
  `There is no tag ${quoted(name)}. Available are if, unless, case, for, assign, break, continue and comment.`;
