import { reportUnsafeCharacters, voidElements } from "#platform/restricted-html/elements.ts";
import type { HtmlFinding, LocatedHtmlFinding } from "#platform/restricted-html/findings.ts";
import { type ConvertedMarkdown, convertMarkdown } from "#platform/restricted-html/markdown.ts";
import { maxHtmlFindings, parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { placeInMarkdown } from "#platform/restricted-html/read-content.ts";
import { readTokens, type StartTag } from "#platform/restricted-html/tokens.ts";
import type { SourceRange } from "#platform/restricted-html/tree.ts";
import type { FlatBoundary, FlatTemplate } from "./flat-template.ts";
import { assetIdOf } from "./image-address.ts";
import { findMisplacedOutputs, type OutputMarks } from "./outputs.ts";
import type { PlacedFinding } from "./place-findings.ts";
import { printRules } from "./print-style.ts";
import type { TemplateSource } from "./template-source.ts";

export interface CheckedMarkup {
  readonly findings: readonly PlacedFinding[];
  /** Ids that `asset:` addresses name, each once. */
  readonly assetIds: readonly string[];
}

/** Checks what stands between the tags of a template. Places are those of the template. */
export function checkMarkup(format: TemplateSource["format"], flat: FlatTemplate, marks: OutputMarks): CheckedMarkup {
  return format === "html" ? checkHtml(flat, marks) : checkMarkdown(flat, marks);
}

function checkHtml(flat: FlatTemplate, marks: OutputMarks): CheckedMarkup {
  const misplaced = misplacedOutputs(flat.text, flat, marks);
  if (misplaced.length > 0) return { findings: misplaced, assetIds: [] };
  const branches = checkBranches(flat);
  if (branches.some(({ code }) => code === "misplaced_tag")) return { findings: branches, assetIds: [] };
  const { assetIds, missing } = readImages(flat.text);
  const found = errorsOf(flat.text, marks).map((finding) => placed(finding, flat.sourceOf(finding.offset), marks));
  // Branches cannot be balanced while the whole is not well formed; that error is reported already.
  const findings = [...found, ...(found.length === 0 ? branches : [])];
  return { findings: [...findings, ...missing.map((offset) => withoutAlt(flat.sourceOf(offset)))], assetIds };
}

function checkMarkdown(flat: FlatTemplate, marks: OutputMarks): CheckedMarkup {
  const dropped: HtmlFinding[] = [];
  reportUnsafeCharacters(flat.text, maxHtmlFindings, (finding) => dropped.push(finding));
  const converted = convertMarkdown(flat.text, (finding) => dropped.push(finding));
  const misplaced = misplacedOutputs(converted.html, flat, marks);
  const { assetIds } = readImages(converted.html);
  // The place and the reason are known from the checks above, so the general error is left out.
  const isExplained = dropped.length > 0;
  const found = errorsOf(converted.html, marks).filter(
    ({ code }) => !(isExplained && explained.has(code)) && misplaced.length === 0,
  );
  const findings = [
    ...dropped.map((finding) => placed(finding, flat.sourceOf(finding.offset), marks)),
    ...misplaced,
    ...found.map((finding) => placed(finding, sourceInMarkdown(finding, converted, flat), marks)),
  ];
  return { findings, assetIds };
}

const explained: ReadonlySet<string> = new Set(["MALFORMED_HTML", "CONTROL_CHARACTER"]);

const misplacedOutputs = (html: string, flat: FlatTemplate, marks: OutputMarks): PlacedFinding[] =>
  findMisplacedOutputs(html, marks).map(({ index, message }) => ({
    code: "misplaced_output",
    message,
    offset: flat.outputs[index] ?? 0,
  }));

/** The errors by the rules of print; those about an address that begins with an output are found when it is rendered. */
const errorsOf = (html: string, marks: OutputMarks): LocatedHtmlFinding[] =>
  parseRestrictedHtml(html, printRules).findings.filter((finding) => {
    if (finding.severity !== "ERROR") return false;
    if (finding.name !== "href" && finding.name !== "src") return true;
    const attribute = html.slice(finding.offset, finding.offset + finding.length);
    return !attribute
      .slice(attribute.indexOf("=") + 1)
      .trimStart()
      .slice(1)
      .startsWith(marks.prefix);
  });

function placed({ code, message }: HtmlFinding, offset: number, marks: OutputMarks): PlacedFinding {
  const shown = message.replaceAll(new RegExp(`${marks.prefix}\\d*z?`, "g"), "{{…}}");
  return { code: code.toLowerCase(), message: shown, offset };
}

/** The place of a link or image, or else the begin. */
const sourceInMarkdown = (finding: LocatedHtmlFinding, converted: ConvertedMarkdown, flat: FlatTemplate): number =>
  flat.sourceOf(placeInMarkdown(finding, converted).offset);

function readImages(html: string): { readonly assetIds: readonly string[]; readonly missing: readonly number[] } {
  const ids = new Set<string>();
  const missing: number[] = [];
  readTokens(html, {
    startTag: ({ name, attributes, source }) => {
      if (name !== "img") return;
      const attributeOf = (wanted: string) => attributes.find((attribute) => attribute.name === wanted)?.value;
      const id = assetIdOf(attributeOf("src") ?? "");
      if (id !== undefined) ids.add(id);
      if (attributeOf("src") === undefined || attributeOf("alt") === undefined) missing.push(source.offset);
    },
    endTag: () => {},
    text: () => {},
    comment: () => {},
    doctype: () => {},
    syntaxError: () => {},
  });
  return { assetIds: [...ids], missing };
}

const withoutAlt = (offset: number): PlacedFinding => ({
  code: "missing_attribute",
  message: "An image needs src and alt. Write what it shows into alt, or nothing when it is an ornament.",
  offset,
});

/**
 * Checks that each branch has whole elements only: whatever branches are rendered, and how often, the HTML stays well
 * formed. Linear.
 */
function checkBranches({ text, boundaries }: FlatTemplate): PlacedFinding[] {
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
      // Reported once for each block.
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
      // The parser reports an end tag without a start tag.
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
