import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension, type StateEffect } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type RefObject, useEffect, useImperativeHandle, useRef } from "react";
import type { Version } from "#api/templates.ts";
import { useTexts } from "../../../texts/texts.tsx";
import type { Finding } from "./findings.ts";

export interface EditorHandle {
  /** Marks a place in the text and goes there. */
  jump(offset: number, length: number): void;
}

export interface CodeEditorProps extends EditorSettings {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSave: () => void;
  readonly findings: readonly Finding[];
  /** The text that the findings are about. */
  readonly checked: string;
  readonly handle: RefObject<EditorHandle | null>;
}

/** Where a text is written. */
export function CodeEditor({ value, onChange, onSave, findings, checked, handle, ...settings }: CodeEditorProps) {
  const { messages } = useTexts("editor");
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  // What the editor is told is always the newest, while the editor itself stays.
  const now = useRef({ value, onChange, onSave, settings });
  now.current = { value, onChange, onSave, settings };
  // What was written and has not come back as the value yet. While a page is slow, more is written meanwhile.
  const underWay = useRef<string[]>([]);
  useEffect(() => {
    if (host.current === null) return;
    const { value: text, settings: first } = now.current;
    const opened = openEditor(host.current, { value: text, settings: first, onSave: () => now.current.onSave() });
    const editor = new EditorView({
      ...opened,
      dispatchTransactions: (transactions, target) => {
        target.update(transactions);
        if (!transactions.some(({ docChanged }) => docChanged)) return;
        const text = target.state.doc.toString();
        if (text === now.current.value) return;
        now.current.value = text;
        underWay.current.push(text);
        now.current.onChange(text);
      },
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    const seen = underWay.current.lastIndexOf(value);
    underWay.current = underWay.current.slice(seen + 1);
    if (seen >= 0 || editor === null || editor.state.doc.toString() === value) return;
    underWay.current = [];
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  const { label, locale, format, isReadOnly } = settings;
  useEffect(() => {
    view.current?.dispatch({ effects: settingsOf({ label, locale, format, isReadOnly }) });
  }, [label, locale, format, isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() !== checked) return;
    const marks = findings.map(({ code, offset, length, severity, message }) => ({
      from: Math.min(offset, checked.length),
      to: Math.min(offset + length, checked.length),
      severity: severity === "ERROR" ? ("error" as const) : ("warning" as const),
      message: messages.get(code) ?? message,
    }));
    editor.dispatch(setDiagnostics(editor.state, marks));
  }, [findings, checked, messages]);
  useImperativeHandle(handle, () => ({ jump: (offset, length) => jump(view.current, offset, length) }), []);
  return <div ref={host} className="code-editor" />;
}

function jump(editor: EditorView | null, offset: number, length: number): void {
  if (editor === null) return;
  const anchor = Math.min(offset, editor.state.doc.length);
  const head = Math.min(offset + length, editor.state.doc.length);
  editor.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  editor.focus();
}

interface EditorSettings {
  readonly label: string;
  /** Of the text. */
  readonly locale: string;
  readonly format: Version["format"];
  readonly isReadOnly: boolean;
}

interface Opening {
  readonly value: string;
  readonly settings: EditorSettings;
  readonly onSave: () => void;
}

/** For a new EditorView in this element. */
function openEditor(host: HTMLElement, { value, settings, onSave }: Opening) {
  // In a shadow root the styles of the editor are constructed ones, which the policy of the page allows; elsewhere they
  // would be a style element, which it refuses.
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const save = () => {
    onSave();
    return true;
  };
  const state = EditorState.create({
    doc: value,
    extensions: [
      lineNumbers(),
      history(),
      lintGutter(),
      highlightActiveLine(),
      EditorView.lineWrapping,
      // Texts from right to left stand among tags from left to right.
      EditorView.perLineTextDirection.of(true),
      // Tab leads on to what is next on the page, as everywhere else.
      keymap.of([
        { key: "Mod-s", run: save, preventDefault: true },
        { key: "F8", run: nextDiagnostic, shift: previousDiagnostic },
        ...defaultKeymap,
        ...historyKeymap,
      ]),
      syntaxHighlighting(highlighting),
      theme,
      varying.of(extensionsOf(settings)),
    ],
  });
  return { state, parent: root, root };
}

/** Other settings for an editor that is open. */
const settingsOf = (settings: EditorSettings): StateEffect<unknown> => varying.reconfigure(extensionsOf(settings));

const varying = new Compartment();

const extensionsOf = ({ label, locale, format, isReadOnly }: EditorSettings): Extension => [
  EditorState.readOnly.of(isReadOnly),
  EditorView.contentAttributes.of({
    "aria-label": label,
    lang: locale,
    spellcheck: "true",
    ...(isReadOnly ? { "aria-readonly": "true" } : {}),
  }),
  format === "html" ? html({ autoCloseTags: false, matchClosingTags: false }) : [],
];

const highlighting = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: "var(--accent-text)" },
  { tag: tags.attributeName, color: "var(--warning)" },
  { tag: tags.attributeValue, color: "var(--success)" },
  { tag: [tags.comment, tags.character], color: "var(--text-quiet)" },
  { tag: tags.invalid, color: "var(--danger)" },
]);

const theme = EditorView.theme({
  "&": {
    background: "var(--field)",
    color: "var(--text)",
    border: "1px solid var(--control-line)",
    borderRadius: "var(--radius)",
    fontSize: "0.875rem",
    overflow: "hidden",
  },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  ".cm-scroller": {
    fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
    lineHeight: "1.6",
    maxHeight: "36rem",
  },
  ".cm-content, .cm-gutter": { minHeight: "20rem" },
  ".cm-content": { caretColor: "var(--text)", padding: "0.5rem 0" },
  ".cm-line": { unicodeBidi: "plaintext", textAlign: "start" },
  ".cm-gutters": {
    background: "var(--code-back)",
    color: "var(--text-quiet)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine": { background: "var(--hover)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--danger) 1px",
    background: "var(--danger-back)",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--warning) 1px",
    background: "var(--warning-back)",
  },
  ".cm-tooltip": {
    background: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius)",
    boxShadow: "var(--shadow)",
    maxWidth: "24rem",
  },
});
