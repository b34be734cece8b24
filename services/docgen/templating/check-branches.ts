import { voidElements } from "#platform/restricted-html/elements.ts";
import { readTokens, type StartTag } from "#platform/restricted-html/tokens.ts";
import type { SourceRange } from "#platform/restricted-html/tree.ts";
import type { FlatBoundary, FlatTemplate } from "./flat-template.ts";
import type { PlacedFinding } from "./place-findings.ts";

/**
 * Checks that each branch has whole elements only: whatever branches are rendered, and how often, the HTML stays well
 * formed. Linear.
 */
export function checkBranches({ text, boundaries }: FlatTemplate): PlacedFinding[] {
  if (boundaries.length === 0) return [];
  const walk = createWalk(boundaries);
  readTokens(text, {
    startTag: (tag) => {
      walk.markup(tag.source, tag);
      if (!voidElements.has(tag.name)) walk.open(tag.name);
    },
    endTag: (name, range) => {
      walk.markup(range);
      walk.close(name);
    },
    comment: (range) => walk.markup(range),
    doctype: (range) => walk.markup(range),
    text: () => {},
    syntaxError: () => {},
  });
  return walk.finish();
}

interface OpenElement {
  readonly name: string;
  readonly id: number;
}

/** Where a block began: in this element, or in this value of an attribute. */
interface Position {
  readonly element: number;
  /** Its offset; -1 outside of tags. */
  readonly attribute: number;
}

function createWalk(boundaries: readonly FlatBoundary[]) {
  const findings: PlacedFinding[] = [];
  const stack: OpenElement[] = [];
  const positions = new Map<number, Position>();
  let ids = 0;
  let next = 0;

  const place = (boundary: FlatBoundary, attribute: number | undefined): void => {
    const position = { element: stack.at(-1)?.id ?? 0, attribute: attribute ?? -1 };
    const offset = boundary.token.begin;
    if (attribute === undefined) {
      const message = `The tag ${boundary.token.name} cannot stand within an HTML tag or comment, apart from the values of class, alt and title.`;
      findings.push({ code: "misplaced_tag", message, offset });
    } else if (boundary.kind === "open") {
      positions.set(boundary.block, position);
    } else if (!isSame(positions.get(boundary.block), position)) {
      const message = `What stands before ${boundary.token.name} opens or closes an element that it does not close or open. Each branch needs whole elements.`;
      findings.push({ code: "unbalanced_branch", message, offset });
      // Told once for each block.
      if (boundary.kind !== "jump") positions.set(boundary.block, position);
    }
  };
  const takeBefore = (offset: number): void => {
    for (
      let boundary = boundaries[next];
      boundary !== undefined && boundary.offset <= offset;
      boundary = boundaries[next]
    ) {
      place(boundary, -1);
      next += 1;
    }
  };
  return {
    markup: (range: SourceRange, tag?: StartTag): void => {
      takeBefore(range.offset);
      const end = range.offset + range.length;
      for (
        let boundary = boundaries[next];
        boundary !== undefined && boundary.offset < end;
        boundary = boundaries[next]
      ) {
        place(boundary, tag && attributeAround(tag, boundary.offset));
        next += 1;
      }
    },
    open: (name: string): void => {
      ids += 1;
      stack.push({ name, id: ids });
    },
    close: (name: string): void => {
      // An end tag that ends nothing is told elsewhere.
      if (stack.at(-1)?.name === name) stack.pop();
    },
    finish: (): PlacedFinding[] => {
      takeBefore(Number.POSITIVE_INFINITY);
      return findings;
    },
  };
}

const isSame = (a: Position | undefined, b: Position): boolean =>
  a?.element === b.element && a.attribute === b.attribute;

const attributesWithTags: ReadonlySet<string> = new Set(["class", "alt", "title"]);

/** The offset of the attribute whose value the place is in, when it may have tags. */
function attributeAround({ attributes }: StartTag, offset: number): number | undefined {
  const around = attributes.find(({ source }) => offset > source.offset && offset < source.offset + source.length);
  if (around === undefined || !attributesWithTags.has(around.name)) return undefined;
  // Behind the name, the equals sign and the quotation mark.
  return offset >= around.source.offset + around.name.length + 2 ? around.source.offset : undefined;
}
