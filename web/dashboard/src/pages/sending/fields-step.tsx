import { type KeyboardEvent, type PointerEvent as ReactPointerEvent, useRef, useState } from "react";
import type { TabProposal } from "#api/tabs.ts";
import { useApi } from "../../api/client.ts";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { PdfPages } from "../../ui/pdf/pdf-pages.tsx";
import { EmptyState, ErrorNotice } from "../../ui/states.tsx";
import { Select } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { followPointer, scaleOf, spotInView, spotUnder } from "./drag.ts";
import { type Field, isAnchored, proposedField } from "./field.ts";
import { FieldPanel } from "./field-panel.tsx";
import { type Ghost, hueOf, PageFields } from "./page-fields.tsx";
import { pathOf } from "./queries.ts";
import { nameOf } from "./recipients.ts";
import { kindOf } from "./tab-kinds.ts";
import type { Draft, Recipient, TabType } from "./types.ts";
import { type FieldEditor, useFieldEditor } from "./use-field-editor.ts";
import type { FieldSaver } from "./use-field-saver.ts";

interface FieldsStepProps {
  readonly draft: Draft;
  /** Saves the fields, where they are not kept until all of a correction is sent. */
  readonly saver?: FieldSaver;
  /** Gets them with each change, where nobody saves them. */
  readonly onChange?: (fields: readonly Field[]) => void;
}

/** The pages of all documents, with the fields on them. */
export function FieldsStep({ draft, saver, onChange = () => {} }: FieldsStepProps) {
  const texts = useTexts("sending");
  const editor = useFieldEditor(draft, saver ?? { schedule: onChange });
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

function Doings({ editor, saver }: { readonly editor: FieldEditor; readonly saver: FieldSaver | undefined }) {
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
        {saver && <span className="sending-quiet">{texts.saveStates[saver.state]}</span>}
      </div>
      {saver && <Saving editor={editor} saver={saver} />}
    </>
  );
}

/** What the service knows, and proposes from it. */
function Saving({ editor, saver }: { readonly editor: FieldEditor; readonly saver: FieldSaver }) {
  const texts = useTexts("sending");
  const [suggested, setSuggested] = useState("");
  const suggestion = useSuggestion(editor, saver, setSuggested);
  return (
    <>
      <div>
        <Button isDisabled={suggestion.isBusy} onPress={() => void suggestion.run()}>
          {texts.suggest}
        </Button>
        <p className="sending-quiet" role="status">
          {suggested}
        </p>
      </div>
      {suggestion.error !== undefined && <ErrorNotice error={suggestion.error} />}
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

/** Takes all fields that the texts of the documents ask for and that are not there yet. */
function useSuggestion(editor: FieldEditor, saver: FieldSaver, say: (words: string) => void) {
  const api = useApi();
  const texts = useTexts("sending");
  const { locale } = useLanguage();
  /** Whose they are, because a text rarely says it. */
  const wordsOf = (added: readonly Field[]): string => {
    if (added.length === 0) return texts.nothingSuggested;
    const shares = people.flatMap((person) => {
      const count = added.filter(({ recipientId }) => recipientId === person.recipientId).length;
      return count === 0 ? [] : [texts.suggestedFor(count, nameOf(person))];
    });
    const list = new Intl.ListFormat(locale, { type: "conjunction" }).format(shares);
    return texts.suggested(added.length, list);
  };
  const { draft, people } = editor;
  return useAction(async () => {
    // The service knows saved fields only, and proposes nothing where one of them is.
    if (!(await saver.flush())) return;
    const added: Field[] = [];
    for (const { documentId } of draft.documents) {
      const path = `${pathOf(draft.id)}/documents/${encodeURIComponent(documentId)}/proposals`;
      for (const proposal of await api.get<readonly TabProposal[]>(path)) {
        const field = proposedField({ ...proposal, documentId }, people, [...editor.fields, ...added]);
        if (field !== undefined) added.push(field);
      }
    }
    editor.addAll(added);
    say(wordsOf(added));
  });
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

interface PaletteProps {
  readonly editor: FieldEditor;
  readonly onCarry: (ghost: Ghost | undefined) => void;
}

const groups = [
  { id: "sign", types: ["signature", "initials", "dateSigned"] },
  { id: "fill", types: ["text", "number", "date", "checkbox", "radioGroup", "list", "attachment"] },
  { id: "person", types: ["fullName", "firstName", "lastName", "email", "company", "title"] },
  { id: "other", types: ["note", "approve", "decline", "agreementId"] },
] as const satisfies readonly { readonly id: string; readonly types: readonly TabType[] }[];

/** What can be placed: pressed, it goes to the page in view; dragged, where it is let go. */
function Palette({ editor, onCarry }: PaletteProps) {
  const texts = useTexts("sending");
  const { people } = editor;
  const [chosen, setChosen] = useState(people[0]?.recipientId ?? "");
  const person = people.find(({ recipientId }) => recipientId === chosen) ?? people[0];
  if (person === undefined) return null;
  return (
    <section ref={editor.palette} tabIndex={-1} className="sending-palette" aria-label={texts.fields}>
      <div className="sending-for" data-hue={hueOf(editor, person.recipientId)}>
        <Select
          label={texts.fieldsFor}
          options={people.map((one) => ({ id: one.recipientId, label: nameOf(one), hint: texts.roles[one.role] }))}
          value={person.recipientId}
          onChange={(key) => setChosen(String(key))}
        />
      </div>
      <p className="sending-quiet sending-how">{texts.howToPlace}</p>
      <p className="unseen" id="sending-keys">
        {texts.keys}
      </p>
      <div className="sending-types">
        {groups.map(({ id, types }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset would be one of a form
          <div key={id} role="group" aria-label={texts.typeGroups[id]}>
            <p className="sending-type-title" aria-hidden="true">
              {texts.typeGroups[id]}
            </p>
            <div className="sending-type-list">
              {types.map((type) => (
                <TypeButton key={type} {...{ editor, onCarry, type, person }} />
              ))}
            </div>
          </div>
        ))}
      </div>
    </section>
  );
}

interface TypeButtonProps extends PaletteProps {
  readonly type: TabType;
  readonly person: Recipient;
}

function TypeButton({ editor, onCarry, type, person }: TypeButtonProps) {
  const texts = useTexts("sending");
  /** A click comes after a drag, too. */
  const wasDragged = useRef(false);
  const { width, height } = kindOf(type);
  const begin = (event: ReactPointerEvent<HTMLElement>) => {
    wasDragged.current = false;
    const [page] = editor.pages.current.values();
    const scale = page === undefined ? 1 : scaleOf(page);
    const box = { width: width * scale, height: height * scale };
    const about = { words: texts.types[type], hue: hueOf(editor, person.recipientId), ...box };
    followPointer(event, {
      onMove: ({ clientX, clientY }) => {
        wasDragged.current = true;
        onCarry({ ...about, left: clientX - box.width / 2, top: clientY - box.height / 2 });
      },
      onEnd: (point) => {
        onCarry(undefined);
        if (point === undefined) return;
        const grip = { x: width / 2, y: height / 2 };
        const spot = spotUnder(editor.pages.current, point, { width, height, grip });
        if (spot !== undefined) editor.add(type, person.recipientId, spot);
      },
    });
  };
  const press = () => {
    const spot = wasDragged.current ? undefined : spotInView(editor.pages.current, { width, height });
    wasDragged.current = false;
    if (spot !== undefined) editor.add(type, person.recipientId, spot);
  };
  return (
    <button type="button" className="sending-type" onPointerDown={begin} onClick={press}>
      {texts.types[type]}
    </button>
  );
}
