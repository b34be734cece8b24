import "./visual.css";
import { baseKeymap } from "prosemirror-commands";
import { gapCursor } from "prosemirror-gapcursor";
import { history, redo, undo } from "prosemirror-history";
import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import type { Slice } from "prosemirror-model";
import { liftListItem, sinkListItem } from "prosemirror-schema-list";
import { EditorState, Plugin, PluginKey, TextSelection, type Transaction } from "prosemirror-state";
import { tableEditing } from "prosemirror-tables";
import { Decoration, DecorationSet, EditorView } from "prosemirror-view";
import { useEffect, useImperativeHandle, useRef, useState } from "react";
import { directionOf } from "#platform/language.ts";
import { useTexts } from "../../../../texts/texts.tsx";
import type { CodeEditorProps } from "../code-editor.tsx";
import { isTooLarge } from "../draft.ts";
import type { Finding, Variable } from "../findings.ts";
import { breakLine, emphasize, enterKey, lifting, toggleList } from "./actions.ts";
import { readClipboard, readPlainText } from "./paste.ts";
import { type Refusal, readText } from "./read.ts";
import { nodeType } from "./schema.ts";
import { Toolbar } from "./toolbar.tsx";
import { writeText } from "./write.ts";

interface VisualEditorProps extends Omit<CodeEditorProps, "format"> {
  /** Undefined where the text has no merge fields. */
  readonly fields: readonly Variable[] | undefined;
  /** The text cannot be shown as it will look, or the place that is looked for is not in what is shown. */
  readonly onRefuse: (why: Refusal | "PLACE") => void;
  /** What was pasted is more than a text can have; nothing of it was taken. */
  readonly onTooLarge: () => void;
}

/** Where a text is written as it will look. */
export function VisualEditor(props: VisualEditorProps) {
  const { value, findings, checked, handle, label, locale, isReadOnly, fields } = props;
  const { messages, findingsHere } = useTexts("editor");
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  // The toolbar is drawn again with each state of the editor, which the view itself has.
  const [, setDrawn] = useState<EditorState>();
  // What the editor is told is always the newest, while the editor itself stays.
  const now = useRef(props);
  now.current = props;
  // What was written and has not come back as the value yet. While a page is slow, more is written meanwhile.
  const underWay = useRef<string[]>([]);
  const [toolbarAsked, setToolbarAsked] = useState(0);
  useEffect(() => {
    if (host.current === null) return;
    const read = readText(now.current.value, now.current.fields !== undefined);
    if (typeof read === "string") {
      now.current.onRefuse(read);
      return;
    }
    const plugins = pluginsOf({
      onSave: () => now.current.onSave(),
      onToolbar: () => setToolbarAsked((count) => count + 1),
      onFinding: (step) => goOn(editor, step),
      hasFields: now.current.fields !== undefined,
    });
    const editor = new EditorView(
      { mount: host.current },
      {
        state: EditorState.create({ doc: read.doc, plugins }),
        editable: () => !now.current.isReadOnly,
        attributes: () => attributesOf(now.current),
        handleDOMEvents: clipboardEvents({
          hasFields: () => now.current.fields !== undefined,
          onTooLarge: () => now.current.onTooLarge(),
        }),
        dispatchTransaction: (transaction) => {
          const state = editor.state.apply(transaction);
          editor.updateState(state);
          setDrawn(state);
          if (!transaction.docChanged || transaction.getMeta("theirs")) return;
          const text = writeText(state.doc.content);
          // Not the value itself: while what was told is under way, that is still an older one.
          if (text === (underWay.current.at(-1) ?? now.current.value)) return;
          underWay.current.push(text);
          now.current.onChange(text);
        },
      },
    );
    setView(editor);
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const seen = underWay.current.lastIndexOf(value);
    underWay.current = underWay.current.slice(seen + 1);
    if (seen >= 0 || view === undefined || writeText(view.state.doc.content) === value) return;
    underWay.current = [];
    const read = readText(value, now.current.fields !== undefined);
    if (typeof read === "string") now.current.onRefuse(read);
    else if (!read.doc.eq(view.state.doc)) {
      const { tr, doc } = view.state;
      view.dispatch(
        tr.replaceWith(0, doc.content.size, read.doc.content).setMeta("theirs", true).setMeta("addToHistory", false),
      );
    }
  }, [value, view]);
  useEffect(() => {
    view?.setProps({});
    void [label, locale, isReadOnly];
  }, [view, label, locale, isReadOnly]);
  useEffect(() => {
    if (view === undefined || checked !== now.current.value) return;
    const read = readText(checked, now.current.fields !== undefined);
    if (typeof read === "string") return;
    // In the order of their places, which is that of the text.
    const marks = findings.flatMap((finding): Marked[] => {
      const place = read.placeOf(finding);
      const size = view.state.doc.content.size;
      if (place === undefined || place.to > size) return [];
      return [{ finding, ...place, message: messages.get(finding.code) ?? finding.message }];
    });
    view.dispatch(view.state.tr.setMeta(findingsKey, decorationsOf(view.state, marks)));
  }, [findings, checked, messages, view]);
  useImperativeHandle(
    handle,
    () => ({
      jump: (offset, length) => {
        const read = readText(now.current.value, now.current.fields !== undefined);
        const place = typeof read === "string" ? undefined : read.placeOf({ offset, length });
        if (view === undefined || place === undefined || place.to > view.state.doc.content.size) {
          now.current.onRefuse("PLACE");
        } else select(view, place.from, place.to);
      },
    }),
    [view],
  );
  return (
    <div className="visual-editor">
      {view !== undefined && !isReadOnly && <Toolbar view={view} fields={fields} asked={toolbarAsked} />}
      <div ref={host} />
      {findings.length > 0 && <p className="editor-quiet">{findingsHere}</p>}
    </div>
  );
}

const attributesOf = ({ label, locale, isReadOnly }: VisualEditorProps): Record<string, string> => ({
  class: "visual-text",
  role: "textbox",
  "aria-multiline": "true",
  "aria-label": label,
  lang: locale,
  dir: directionOf(locale),
  spellcheck: "true",
  // What cannot be written in can still be read through.
  ...(isReadOnly ? { "aria-readonly": "true", tabindex: "0" } : {}),
});

interface Marked {
  readonly finding: Finding;
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const findingsKey = new PluginKey<DecorationSet>("findings");

function decorationsOf({ doc }: EditorState, marks: readonly Marked[]): DecorationSet {
  const decorations = marks.map(({ from, to, finding, message }) => {
    const shown = { class: `visual-finding visual-${finding.severity.toLowerCase()}`, title: message };
    // What has a start and an end is marked as a whole, words for themselves.
    const node = doc.nodeAt(from);
    const isWhole = node !== null && !node.isText && from + node.nodeSize === to;
    return isWhole ? Decoration.node(from, to, shown) : Decoration.inline(from, to, shown);
  });
  return DecorationSet.create(doc, decorations);
}

function select(view: EditorView, from: number, to: number): void {
  const { doc, tr } = view.state;
  view.dispatch(tr.setSelection(TextSelection.between(doc.resolve(from), doc.resolve(to))).scrollIntoView());
  view.focus();
}

/** To the finding after the selection, or to the one before it. */
function goOn(view: EditorView, step: 1 | -1): boolean {
  const found = findingsKey.getState(view.state)?.find() ?? [];
  const sorted = [...found].sort((one, other) => (one.from - other.from) * step);
  const { from } = view.state.selection;
  const next = sorted.find((mark) => (mark.from - from) * step > 1) ?? sorted[0];
  if (next !== undefined) select(view, next.from, next.to);
  return next !== undefined;
}

interface Keys {
  readonly onSave: () => void;
  readonly onToolbar: () => void;
  readonly onFinding: (step: 1 | -1) => boolean;
  readonly hasFields: boolean;
}

function pluginsOf({ onSave, onToolbar, onFinding, hasFields }: Keys): Plugin[] {
  const item = nodeType("li");
  const toNext = () => onFinding(1);
  const does = (act: () => void) => () => {
    act();
    return true;
  };
  return [
    inputRules({ rules: rulesOf(hasFields) }),
    // Tab leads on to what is next on the page, as everywhere else.
    keymap({
      F8: toNext,
      "Shift-F8": () => onFinding(-1),
      "Mod-s": does(onSave),
      "Alt-F10": does(onToolbar),
      "Mod-z": undo,
      "Mod-y": redo,
      "Shift-Mod-z": redo,
      "Mod-b": emphasize("strong"),
      "Mod-i": emphasize("em"),
      "Mod-u": emphasize("u"),
      "Mod-`": emphasize("code"),
      "Mod-]": sinkListItem(item),
      "Mod-[": lifting(liftListItem(item)),
      "Shift-Enter": breakLine,
      Enter: enterKey,
    }),
    keymap(baseKeymap),
    history(),
    gapCursor(),
    tableEditing(),
    new Plugin<DecorationSet>({
      key: findingsKey,
      state: {
        init: () => DecorationSet.empty,
        apply: (transaction, marks) =>
          transaction.getMeta(findingsKey) ?? marks.map(transaction.mapping, transaction.doc),
      },
      props: { decorations: (state) => findingsKey.getState(state) },
    }),
  ];
}

function listRule(pattern: RegExp, name: "ul" | "ol"): InputRule {
  return new InputRule(pattern, (state, _match, start, end) => {
    if (state.selection.$from.parent.type.name !== "paragraph") return null;
    let made: Transaction | null = null;
    toggleList(name)(state, (tr) => {
      made = tr.delete(tr.mapping.map(start), tr.mapping.map(end));
    });
    return made;
  });
}

/** What becomes something else as soon as it is typed. */
const rulesOf = (hasFields: boolean): InputRule[] => [
  textblockTypeInputRule(/^(#{1,6})\s$/, nodeType("heading"), ([, signs = ""]) => ({ level: signs.length })),
  listRule(/^\s*[-*]\s$/, "ul"),
  listRule(/^1\.\s$/, "ol"),
  wrappingInputRule(/^>\s$/, nodeType("box"), { name: "blockquote" }),
  ...(hasFields
    ? [
        new InputRule(/\{\{([a-zA-Z][a-zA-Z0-9_.]{0,63})\}\}$/, ({ tr }, [, key], start, end) =>
          tr.replaceWith(start, end, nodeType("field").create({ key })),
        ),
      ]
    : []),
];

/** Of what other programs put on the clipboard: with their looks it is many times longer than what is left of it. */
const maxPastedLength = 20 * 1_048_576;

interface ClipboardSettings {
  readonly hasFields: () => boolean;
  readonly onTooLarge: () => void;
}

/**
 * What is put on the clipboard here comes back as it was, and what other programs put there as far as a text can have it.
 * Nothing of it is read by the browser, whose policy would refuse that.
 */
function clipboardEvents({ hasFields, onTooLarge }: ClipboardSettings) {
  let own: { readonly html: string; readonly slice: Slice } | undefined;
  const sliceOf = (data: DataTransfer): Slice | "TOO LARGE" | undefined => {
    const html = data.getData("text/html");
    if (own !== undefined && html === own.html) return own.slice;
    const text = data.getData("text/plain");
    if (html.length > maxPastedLength || (html === "" && isTooLarge(text))) return "TOO LARGE";
    const read = html === "" ? undefined : readClipboard(html, hasFields());
    if (read !== undefined) return read;
    if (isTooLarge(text)) return "TOO LARGE";
    return text === "" ? undefined : readPlainText(text, hasFields());
  };
  /** As a whole or not at all. */
  const take = (view: EditorView, tr: Transaction): void => {
    if (tr.docChanged && isTooLarge(writeText(tr.doc.content))) onTooLarge();
    else view.dispatch(tr);
  };
  const copy = (view: EditorView, event: ClipboardEvent): boolean => {
    const { selection } = view.state;
    if (selection.empty || event.clipboardData === null) return false;
    const slice = selection.content();
    own = { html: writeText(slice.content), slice };
    event.preventDefault();
    event.clipboardData.setData("text/html", own.html);
    event.clipboardData.setData("text/plain", slice.content.textBetween(0, slice.content.size, "\n\n"));
    if (event.type === "cut" && view.editable) view.dispatch(view.state.tr.deleteSelection().scrollIntoView());
    return true;
  };
  return {
    copy,
    cut: copy,
    paste: (view: EditorView, event: ClipboardEvent): boolean => {
      event.preventDefault();
      const data = event.clipboardData;
      if (data === null || !view.editable) return true;
      const { tr, selection } = view.state;
      if (selection.$from.parent.type.spec.code) tr.insertText(data.getData("text/plain").replaceAll(/\r\n?/g, "\n"));
      else {
        const slice = sliceOf(data);
        if (slice === "TOO LARGE") {
          onTooLarge();
          return true;
        }
        if (slice !== undefined) tr.replaceSelection(slice);
      }
      take(view, tr.scrollIntoView().setMeta("paste", true).setMeta("uiEvent", "paste"));
      return true;
    },
    drop: (view: EditorView, event: DragEvent): boolean => {
      // What is dragged within the text moves as it is.
      if (view.dragging !== null || event.dataTransfer === null) return false;
      event.preventDefault();
      const slice = view.editable ? sliceOf(event.dataTransfer) : undefined;
      const place = view.posAtCoords({ left: event.clientX, top: event.clientY });
      if (slice === "TOO LARGE") onTooLarge();
      else if (slice !== undefined && place !== null) {
        take(view, view.state.tr.replaceRange(place.pos, place.pos, slice).setMeta("uiEvent", "drop"));
      }
      return true;
    },
  };
}
