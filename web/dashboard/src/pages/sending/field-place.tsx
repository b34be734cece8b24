import { useEffect, useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import type { Field } from "./field.ts";
import { type Spot, spotsOf } from "./field.ts";
import type { FieldEditor } from "./use-field-editor.ts";

export interface FieldProps {
  readonly editor: FieldEditor;
  readonly field: Field;
}

/** Everything that can be done by dragging, as numbers. */
export function FieldPlace({ editor, field }: FieldProps) {
  const texts = useTexts("sending");
  const spots = spotsOf(field);
  if (spots.length === 0) return null;
  const isGroup = field.tab.type === "radioGroup";
  return (
    <>
      {spots.map((spot, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: boxes of a group are told apart by their order
        <fieldset key={index} className="sending-place">
          <legend>{isGroup ? texts.placeOf(field.tab.buttons[index]?.value ?? "") : texts.place}</legend>
          <PageChoice editor={editor} field={field} spot={spot} index={index} />
          {(isGroup ? places : [...places, ...sizes]).map((name) => (
            <PointsField
              key={name}
              label={texts.measures[name]}
              value={spot[name]}
              onChange={(value) => editor.place(field, index, { ...spot, [name]: value }, `${name} ${index}`)}
            />
          ))}
        </fieldset>
      ))}
    </>
  );
}

const places = ["x", "y"] as const;
const sizes = ["width", "height"] as const;

function PageChoice({ editor, field, spot, index }: FieldProps & { readonly spot: Spot; readonly index: number }) {
  const texts = useTexts("sending");
  // Buttons of a group stay on one document.
  const documents = editor.draft.documents.filter(
    ({ documentId }) => field.tab.type !== "radioGroup" || documentId === spot.documentId,
  );
  const pages = documents.flatMap(({ documentId, name, pages: count }) =>
    Array.from({ length: count }, (_, at) => ({ documentId, page: at + 1, name })),
  );
  const options = pages.map(({ name, page }, at) => ({ id: String(at), label: texts.pageOf(name, page) }));
  const current = pages.findIndex(({ documentId, page }) => documentId === spot.documentId && page === spot.page);
  if (options.length < 2) return null;
  return (
    <Select
      label={texts.page}
      options={options}
      value={String(current)}
      onChange={(key) => {
        const { documentId, page } = pages[Number(key)] ?? spot;
        editor.place(field, index, { ...spot, documentId, page });
      }}
    />
  );
}

interface PointsFieldProps {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** Unfinished input stays as it is until the field is left, even if it is not a number yet. */
function PointsField({ label, value, onChange }: PointsFieldProps) {
  const [text, setText] = useState(String(value));
  const [isTyping, setIsTyping] = useState(false);
  useEffect(() => {
    if (!isTyping) setText(String(value));
  }, [isTyping, value]);
  const change = (typed: string) => {
    setText(typed);
    const number = Number(typed);
    if (typed.trim() !== "" && Number.isFinite(number)) onChange(number);
  };
  return (
    <TextField
      type="number"
      label={label}
      value={text}
      onChange={change}
      onFocus={() => setIsTyping(true)}
      onBlur={() => setIsTyping(false)}
      isRequired
    />
  );
}
