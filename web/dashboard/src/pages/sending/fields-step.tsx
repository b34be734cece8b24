import { type KeyboardEvent, useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Section } from "../../ui/page.tsx";
import { PdfPages } from "../../ui/pdf/pdf-pages.tsx";
import { isAnchored } from "./field.ts";
import { FieldPanel } from "./field-panel.tsx";
import type { Ghost } from "./ghost.ts";
import { PageFields } from "./page-fields.tsx";
import { Palette } from "./palette.tsx";
import { pathOf } from "./queries.ts";
import type { Draft } from "./types.ts";
import { type FieldEditor, useFieldEditor } from "./use-field-editor.ts";
import type { FieldSaver } from "./use-field-saver.ts";

/** The pages of all documents, with the fields on them. */
export function FieldsStep({ draft, saver }: { readonly draft: Draft; readonly saver: FieldSaver }) {
  const texts = useTexts("sending");
  const editor = useFieldEditor(draft, saver);
  const [ghost, setGhost] = useState<Ghost>();
  if (draft.documents.length === 0) return <EmptyState title={texts.noDocuments} text={texts.noDocumentsText} />;
  if (editor.people.length === 0) return <EmptyState title={texts.nobodySigns} text={texts.nobodySignsText} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: shortcuts of the buttons within
    <div className="sending-editor" onKeyDown={(event) => undoByKey(event, editor)}>
      <div className="sending-side">
        <Doings editor={editor} saver={saver} />
        <Palette editor={editor} onCarry={setGhost} />
      </div>
      <FieldPanel editor={editor} />
      <div className="sending-sheets">
        <Anchored editor={editor} />
        {draft.documents.map(({ documentId, name }) => (
          <section key={documentId} aria-label={name} className="sending-sheet">
            <h2>{name}</h2>
            <PdfPages
              source={`${pathOf(draft.id)}/documents/${encodeURIComponent(documentId)}/content`}
              label={name}
              overlay={(page) => <PageFields editor={editor} documentId={documentId} page={page} onCarry={setGhost} />}
            />
          </section>
        ))}
      </div>
      {ghost && <Carried {...ghost} />}
      <p className="unseen" role="status">
        {editor.said}
      </p>
    </div>
  );
}

/** Not while a text is edited, which has an undoing of its own. */
function undoByKey(event: KeyboardEvent, { undo, redo }: FieldEditor): void {
  const isText = event.target instanceof HTMLElement && event.target.matches("input, textarea");
  if (isText || !(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  if (key === "z" || key === "y") {
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo();
    else undo();
  }
}

function Doings({ editor, saver }: { readonly editor: FieldEditor; readonly saver: FieldSaver }) {
  const texts = useTexts("sending");
  return (
    <>
      <div className="sending-doings">
        <Button isDisabled={!editor.mayUndo} onPress={editor.undo}>
          {texts.undo}
        </Button>
        <Button isDisabled={!editor.mayRedo} onPress={editor.redo}>
          {texts.redo}
        </Button>
        <span className="sending-quiet">{texts.saveStates[saver.state]}</span>
      </div>
      {saver.state === "failed" && (
        <>
          <ErrorNotice error={saver.error} />
          <div>
            <Button onPress={() => void saver.flush()}>{texts.saveAgain}</Button>
          </div>
        </>
      )}
    </>
  );
}

/** Fields that stand at a text of the document, which is looked for when it is sent. */
function Anchored({ editor }: { readonly editor: FieldEditor }) {
  const texts = useTexts("sending");
  const anchored = editor.fields.filter(isAnchored);
  if (anchored.length === 0) return null;
  return (
    <Section title={texts.anchored} intro={texts.anchoredIntro}>
      <ul className="sending-anchored">
        {anchored.map((field) => (
          <li key={field.key}>
            <span>
              {editor.titleOf(field)} <code>{field.tab.anchor?.text}</code>
            </span>
            <Button
              kind="quiet"
              icon="close"
              aria-label={texts.removeField(editor.titleOf(field))}
              onPress={() => editor.remove(field)}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Carried({ words, hue, ...box }: Ghost) {
  return (
    <div className="sending-ghost" data-hue={hue} aria-hidden="true" style={box}>
      {words}
    </div>
  );
}
