import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, nextDiagnostic, previousDiagnostic } from "@codemirror/lint";
import { Compartment, EditorState, type Extension, type StateEffect } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Version } from "#api/templates.ts";

export interface EditorSettings {
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
export function openEditor(host: HTMLElement, { value, settings, onSave }: Opening) {
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
export const settingsOf = (settings: EditorSettings): StateEffect<unknown> =>
  varying.reconfigure(extensionsOf(settings));

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
