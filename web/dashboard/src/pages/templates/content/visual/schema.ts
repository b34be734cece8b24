import { type Attrs, type DOMOutputSpec, type MarkSpec, type Node, type NodeSpec, Schema } from "prosemirror-model";

/** The attributes of an element as its text has them: names and decoded values in their order. */
export type Kept = readonly (readonly [name: string, value: string])[];

/** Of these elements a text can have any in any other one; the first are written around the later ones. */
const inlineNames = `a ins del q bdi cite dfn abbr time span strong b em i u s mark small sub sup kbd samp var
  code`.split(/\s+/);

/** Blocks that only gather other blocks. */
const boxNames = "div section article aside address blockquote figure figcaption footer header main".split(" ");

export const isInlineName = (name: string): boolean => inlineNames.includes(name);
export const isBoxName = (name: string): boolean => boxNames.includes(name);

/** What holds for the look of the text; names and classes are of the page that it will be shown in. */
function shown(kept: Kept): Record<string, string> {
  return Object.fromEntries(
    kept.filter(([name]) => ["dir", "lang", "start", "type", "reversed", "value"].includes(name)),
  );
}

const kept = { default: [] as Kept };

const element = (name: string | ((attrs: Attrs) => string), spec: NodeSpec): NodeSpec => ({
  ...spec,
  attrs: { ...spec.attrs, kept },
  toDOM: ({ attrs }): DOMOutputSpec => [typeof name === "string" ? name : name(attrs), shown(attrs.kept), 0],
});

const cell = (name: "td" | "th", tableRole: string): NodeSpec => ({
  content: "(line | block)+",
  isolating: true,
  tableRole,
  attrs: { colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: { default: null }, kept },
  toDOM: ({ attrs }) => {
    const { colspan, rowspan } = attrs;
    return [name, { ...shown(attrs.kept), ...(colspan !== 1 && { colspan }), ...(rowspan !== 1 && { rowspan }) }, 0];
  },
});

const nodes: Record<string, NodeSpec> = {
  doc: { content: "block+" },
  // First, because it is what comes where nothing else is asked for.
  paragraph: { ...element("p", { content: "inline*", group: "block" }), parseDOM: [{ tag: "p" }] },
  /** Text that stands in a block without an element of its own, as in most list items and cells. */
  line: { content: "inline*", group: "block", toDOM: () => ["div", { class: "visual-line" }, 0] },
  heading: element(({ level }) => `h${level}`, {
    content: "inline*",
    group: "block",
    defining: true,
    attrs: { level: { default: 2 } },
  }),
  pre: element("pre", { content: "inline*", group: "block", code: true, whitespace: "pre", defining: true }),
  rule: { attrs: { kept }, group: "block", toDOM: () => ["hr"] },
  box: element(({ name }) => name, {
    content: "block+",
    group: "block",
    defining: true,
    attrs: { name: { default: "blockquote" } },
  }),
  ul: element("ul", { content: "li+", group: "block" }),
  ol: element("ol", { content: "li+", group: "block" }),
  li: element("li", { content: "(line | block)+", defining: true }),
  dl: element("dl", { content: "(dt | dd)+", group: "block" }),
  dt: element("dt", { content: "(line | block)+", defining: true }),
  dd: element("dd", { content: "(line | block)+", defining: true }),
  table: {
    content: "row+",
    group: "block",
    isolating: true,
    tableRole: "table",
    // The HTML of what stands before the rows: a caption, groups of columns.
    attrs: { kept, lead: { default: "" }, caption: { default: "" } },
    toDOM: ({ attrs: { kept: own, caption } }) =>
      caption === ""
        ? ["table", shown(own), ["tbody", 0]]
        : ["table", shown(own), ["caption", { contenteditable: "false" }, caption], ["tbody", 0]],
  },
  row: {
    content: "(td | th)*",
    tableRole: "row",
    // The thead, tbody or tfoot that it stands in; a row that was added belongs to that of its neighbour.
    attrs: { kept, section: { default: null } },
    toDOM: () => ["tr", 0],
  },
  td: cell("td", "cell"),
  th: cell("th", "header_cell"),
  /** A part of the text that is kept as it is. */
  opaque: {
    group: "block",
    atom: true,
    attrs: { html: {}, text: { default: "" } },
    toDOM: ({ attrs }) => ["div", { class: "visual-opaque", contenteditable: "false" }, attrs.text],
  },
  opaque_inline: {
    inline: true,
    group: "inline",
    atom: true,
    attrs: { html: {}, text: { default: "" } },
    toDOM: ({ attrs }) => ["span", { class: "visual-opaque", contenteditable: "false" }, attrs.text || attrs.html],
  },
  /** A place where a value is filled in. */
  field: {
    inline: true,
    group: "inline",
    atom: true,
    attrs: { key: {} },
    toDOM: ({ attrs }) => ["span", { class: "visual-field", contenteditable: "false" }, attrs.key],
    leafText: ({ attrs }) => `{{${attrs.key}}}`,
  },
  line_break: {
    inline: true,
    group: "inline",
    selectable: false,
    attrs: { kept },
    toDOM: () => ["br"],
    parseDOM: [{ tag: "br" }],
    leafText: () => "\n",
  },
  text: { group: "inline" },
};

const mark = (name: string): MarkSpec => ({
  // Two elements of a kind beside each other or in each other differ in their number, so that they stay two.
  attrs: { kept, number: { default: 0 } },
  // Several of one kind hold at once.
  excludes: "",
  inclusive: name !== "a",
  toDOM: ({ attrs }) => {
    const href = (attrs.kept as Kept).find(([attribute]) => attribute === "href")?.[1];
    return [name, { ...shown(attrs.kept), ...(name === "a" && href !== undefined && { href, title: href }) }, 0];
  },
});

/** Everything that restricted HTML can have. */
export const schema = new Schema({ nodes, marks: Object.fromEntries(inlineNames.map((name) => [name, mark(name)])) });

/** How many places a table of these rows has, with all that its cells reach over. */
export function areaOf(rows: readonly Node[]): number {
  let width = 0;
  // How many columns cells of the rows above take, and how many of them end before a row.
  let reaching = 0;
  const ending = new Map<number, number>();
  for (const [index, row] of rows.entries()) {
    reaching -= ending.get(index) ?? 0;
    const spans = row.content.content.map(({ attrs }) => attrs as { readonly colspan: number; rowspan: number });
    width = Math.max(
      width,
      spans.reduce((sum, { colspan }) => sum + colspan, reaching),
    );
    for (const { colspan, rowspan } of spans) {
      if (rowspan === 1) continue;
      reaching += colspan;
      ending.set(index + rowspan, (ending.get(index + rowspan) ?? 0) + colspan);
    }
  }
  return rows.length * width;
}

/** Larger tables take the browser seconds and more with each change. */
export const maxArea = 100_000;

/** The type of this name, which the schema has. */
export function nodeType(name: string) {
  const type = schema.nodes[name];
  if (type === undefined) throw new RangeError(`there is no node ${name}`);
  return type;
}

export function markType(name: string) {
  const type = schema.marks[name];
  if (type === undefined) throw new RangeError(`there is no mark ${name}`);
  return type;
}
