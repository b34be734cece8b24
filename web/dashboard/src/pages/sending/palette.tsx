import { type PointerEvent as ReactPointerEvent, useRef, useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { Select } from "../../ui/select.tsx";
import { followPointer, scaleOf, spotInView, spotUnder } from "./drag.ts";
import { type Ghost, hueOf } from "./ghost.ts";
import { nameOf } from "./recipients.ts";
import { kindOf } from "./tab-kinds.ts";
import type { Recipient, TabType } from "./types.ts";
import type { FieldEditor } from "./use-field-editor.ts";

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
export function Palette({ editor, onCarry }: PaletteProps) {
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
