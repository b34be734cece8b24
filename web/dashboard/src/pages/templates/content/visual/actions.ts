import {
  chainCommands,
  createParagraphNear,
  lift,
  liftEmptyBlock,
  splitBlock,
  toggleMark,
  wrapIn,
} from "prosemirror-commands";
import { redo, undo } from "prosemirror-history";
import type { Mark, Node, NodeType } from "prosemirror-model";
import { liftListItem, sinkListItem, splitListItem, wrapInList } from "prosemirror-schema-list";
import type { Command, EditorState, Transaction } from "prosemirror-state";
import {
  addColumnAfter,
  addRowAfter,
  deleteColumn,
  deleteRow,
  deleteTable,
  isInTable,
  toggleHeaderRow,
} from "prosemirror-tables";
import { type Kept, markType, nodeType } from "./schema.ts";

/** What a button of the toolbar does; its name is that of its words. */
export interface Action {
  readonly name: string;
  readonly run: Command;
  /** Whether it holds at the selection; undefined for what only acts. */
  readonly isOn?: (state: EditorState) => boolean;
}

const emphasis = { bold: "strong", italic: "em", underline: "u", strike: "s", code: "code" } as const;

/** Elements that look alike are one to whoever reads. */
const alike: Readonly<Record<string, readonly string[]>> = { strong: ["strong", "b"], em: ["em", "i"] };

/** The groups of the toolbar, apart from those that ask something first. */
export const actions: readonly (readonly Action[])[] = [
  Object.entries(emphasis).map(([name, mark]) => ({
    name,
    run: emphasize(mark),
    isOn: (state) => hasMark(state, mark),
  })),
  [
    { name: "bullets", run: toggleList("ul"), isOn: (state) => isInside(state, "ul") },
    { name: "numbers", run: toggleList("ol"), isOn: (state) => isInside(state, "ol") },
    { name: "outdent", run: lifting(liftListItem(nodeType("li"))) },
    { name: "indent", run: sinkListItem(nodeType("li")) },
    { name: "quote", run: toggleQuote(), isOn: isInQuote },
    { name: "clear", run: clearMarks },
  ],
  [
    { name: "undo", run: undo },
    { name: "redo", run: redo },
  ],
];

export const tableActions: readonly Action[] = [
  { name: "addRow", run: addRowAfter },
  { name: "addColumn", run: addColumnAfter },
  { name: "headerRow", run: toggleHeaderRow },
  { name: "deleteRow", run: deleteRow },
  { name: "deleteColumn", run: deleteColumn },
  { name: "deleteTable", run: deleteTable },
];

export { isInTable };

/** What the keys of the editor do, beside those of every editor. */
export const enterKey: Command = chainCommands(
  splitting(splitListItem(nodeType("li"))),
  createParagraphNear,
  lifting(liftEmptyBlock),
  splitting(splitBlock),
);

/** Of what becomes two, only the first keeps what there may be once: its id, and its number in a list. */
function splitting(command: Command): Command {
  return (state, dispatch, view) =>
    command(
      state,
      dispatch &&
        ((tr) => {
          const { $from } = tr.selection;
          for (let depth = $from.depth; depth > 0; depth -= 1) {
            const { type, attrs } = $from.node(depth);
            const before = $from.node(depth - 1).maybeChild($from.index(depth - 1) - 1);
            // The very same attributes, not only equal ones: these two were one.
            if (before?.type !== type || before.attrs.kept !== attrs.kept) continue;
            const kept = without(attrs.kept, ["id", "value"]);
            if (kept.length < attrs.kept.length) tr.setNodeAttribute($from.before(depth), "kept", kept);
          }
          dispatch(tr);
        }),
      view,
    );
}

export const breakLine: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodeType("line_break").create()).scrollIntoView());
  return true;
};

export function emphasize(name: string): Command {
  return (state, dispatch) => {
    const present = (alike[name] ?? [name]).find((other) => hasMarkItself(state, other)) ?? name;
    return toggleMark(markType(present))(state, dispatch);
  };
}

const hasMark = (state: EditorState, name: string): boolean =>
  (alike[name] ?? [name]).some((other) => hasMarkItself(state, other));

function hasMarkItself(state: EditorState, name: string): boolean {
  const { from, to, empty, $from } = state.selection;
  const type = markType(name);
  if (empty) return type.isInSet(state.storedMarks ?? $from.marks()) !== undefined;
  return state.doc.rangeHasMark(from, to, type);
}

function clearMarks(
  { selection: { from, to, empty }, tr }: EditorState,
  dispatch?: (tr: Transaction) => void,
): boolean {
  if (!empty) dispatch?.(tr.removeMark(from, to));
  return !empty;
}

/** The kinds of blocks that a choice is offered of. */
export const blockKinds = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "pre"] as const;

/** That of the selection; empty for something else. */
export function blockKindAt({ selection }: EditorState): string {
  const { parent } = selection.$from;
  if (parent.type.name === "heading") return `h${parent.attrs.level}`;
  if (parent.type.name === "pre") return "pre";
  return parent.type.name === "paragraph" || parent.type.name === "line" ? "p" : "";
}

export function setBlockKind(kind: string): Command {
  if (kind === "p") return setTextblocks(nodeType("paragraph"), {});
  if (kind === "pre") return setTextblocks(nodeType("pre"), {});
  return setTextblocks(nodeType("heading"), { level: Number(kind.slice(1)) });
}

/** What others refer to by an id, and what is in another language, stays so. */
function setTextblocks(type: NodeType, attrs: object): Command {
  return ({ selection: { ranges }, tr }, dispatch) => {
    for (const { $from, $to } of ranges) {
      tr.setBlockType($from.pos, $to.pos, type, (node) => ({ ...attrs, kept: node.attrs.kept ?? [] }));
    }
    if (tr.docChanged) dispatch?.(tr.scrollIntoView());
    return tr.docChanged;
  };
}

function isInside({ selection: { $from } }: EditorState, name: string): boolean {
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    const node = $from.node(depth);
    // The innermost list decides.
    if (node.type.name === "ul" || node.type.name === "ol") return node.type.name === name;
  }
  return false;
}

/** What only a list with numbers has. */
const numbering = ["start", "type", "reversed"];

const without = (kept: Kept, names: readonly string[]): Kept => kept.filter(([name]) => !names.includes(name));

/** Puts what is selected into a list, takes it out, or makes a list of the other kind of it. */
export function toggleList(name: "ul" | "ol"): Command {
  return (state, dispatch, view) => {
    if (isInside(state, name)) return lifting(liftListItem(nodeType("li")))(state, dispatch, view);
    const other = name === "ul" ? "ol" : "ul";
    if (isInside(state, other)) {
      const { $from } = state.selection;
      for (let depth = $from.depth; depth > 0; depth -= 1) {
        if ($from.node(depth).type.name !== other) continue;
        const kept = without($from.node(depth).attrs.kept, numbering);
        dispatch?.(state.tr.setNodeMarkup($from.before(depth), nodeType(name), { kept }));
        return true;
      }
    }
    return wrapInList(nodeType(name))(state, dispatch && ((tr) => dispatch(asLines(tr))), view);
  };
}

/** Items that say one thing need no paragraph around it. */
function asLines(tr: Transaction): Transaction {
  const { from, to } = tr.selection;
  tr.doc.nodesBetween(from, to, (node, position, parent) => {
    const isPlain = node.type.name === "paragraph" && node.attrs.kept.length === 0;
    if (isPlain && parent?.type.name === "li") tr.setNodeMarkup(position, nodeType("line"), {});
  });
  return tr;
}

/** What comes out of a list or a cell becomes a paragraph where no block is around it. */
export function lifting(command: Command): Command {
  return (state, dispatch, view) =>
    command(
      state,
      dispatch &&
        ((tr) => {
          const { from, to } = tr.selection;
          tr.doc.nodesBetween(from, to, (node, position, parent) => {
            if (node.type.name === "line" && parent?.type.name === "doc") {
              tr.setNodeMarkup(position, nodeType("paragraph"), {});
            }
          });
          dispatch(tr);
        }),
      view,
    );
}

function isInQuote({ selection: { $from } }: EditorState): boolean {
  const around = Array.from({ length: $from.depth }, (_, depth) => $from.node(depth + 1));
  return around.some(({ attrs }) => attrs.name === "blockquote");
}

function toggleQuote(): Command {
  const wrap = wrapIn(nodeType("box"), { name: "blockquote" });
  return (state, dispatch, view) => (isInQuote(state) ? lift : wrap)(state, dispatch, view);
}

/** A table with a row of headings, to be filled in. */
export const insertTable: Command = (state, dispatch) => {
  const cells = (name: string) =>
    Array.from({ length: 3 }, () => nodeType(name).create(null, nodeType("line").create()));
  const row = (name: string, section: string): Node =>
    nodeType("row").create({ section: { name: section, kept: [], index: section === "thead" ? 0 : 1 } }, cells(name));
  const table = nodeType("table").create(null, [row("th", "thead"), row("td", "tbody"), row("td", "tbody")]);
  dispatch?.(state.tr.replaceSelectionWith(table).scrollIntoView());
  return true;
};

export const insertField =
  (key: string): Command =>
  (state, dispatch) => {
    dispatch?.(state.tr.replaceSelectionWith(nodeType("field").create({ key })).scrollIntoView());
    return true;
  };

/** The link that the selection is in or on. */
export function linkAt(state: EditorState): Mark | undefined {
  const { $from, from, to, empty } = state.selection;
  const type = markType("a");
  if (empty) return type.isInSet($from.marks());
  let found: Mark | undefined;
  state.doc.nodesBetween(from, to, (node) => {
    found ??= type.isInSet(node.marks);
  });
  return found;
}

/** Links what is selected, the link around it, or words that are put there; without an address it unlinks. */
export function setLink(href: string | undefined, words: string): Command {
  return (state, dispatch) => {
    const { tr, doc } = state;
    const old = linkAt(state);
    let { from, to } = state.selection;
    if (old !== undefined) {
      const { $from } = state.selection;
      const start = $from.start();
      const ranges: [number, number][] = [];
      doc.nodesBetween(start, $from.end(), (node, position) => {
        if (!old.isInSet(node.marks)) return;
        const last = ranges.at(-1);
        if (last?.[1] === position) last[1] = position + node.nodeSize;
        else ranges.push([position, position + node.nodeSize]);
      });
      const range = ranges.find(([first, last]) => first <= to && from <= last);
      if (range !== undefined) [from, to] = range;
      tr.removeMark(from, to, markType("a"));
    }
    if (href !== undefined) {
      const kept = [...(old?.attrs.kept ?? []).filter(([name]: [string]) => name !== "href"), ["href", href]];
      if (from === to) tr.insertText(words || href, from);
      tr.addMark(from, from === to ? from + (words || href).length : to, markType("a").create({ kept }));
    }
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}
