import { setDiagnostics } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { type RefObject, useEffect, useImperativeHandle, useRef } from "react";
import { useTexts } from "../../../texts/texts.tsx";
import { type EditorSettings, openEditor, settingsOf } from "./editor-state.ts";
import type { Finding } from "./findings.ts";

export interface EditorHandle {
  /** Marks a place in the text and goes there. */
  jump(offset: number, length: number): void;
}

interface CodeEditorProps extends EditorSettings {
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
