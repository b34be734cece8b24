import { useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { FieldProps } from "./field-place.tsx";

/** One choice in each line, which is both what is shown and what is recorded. */
export function ListChoices({ editor, field }: FieldProps) {
  const texts = useTexts("sending");
  const { items } = field.tab;
  // Kept as it was typed: an empty line is no choice, but where the next one begins.
  const [text, setText] = useState(() => items.map((item) => item.text).join("\n"));
  const change = (typed: string) => {
    setText(typed);
    const known = new Map(items.map((item) => [item.text, item.value]));
    const words = [
      ...new Set(
        typed
          .split("\n")
          .map((line) => line.trim())
          .filter(Boolean),
      ),
    ];
    const changed = words.map((word) => ({ text: word, value: known.get(word) ?? word }));
    const isKept = changed.some(({ value }) => value === field.tab.value);
    editor.setTab(field, { items: changed, value: isKept ? field.tab.value : null }, "items");
  };
  return (
    <TextField label={texts.choices} hint={texts.choicesHint} value={text} onChange={change} rows={4} isRequired />
  );
}

/** What the buttons of a group stand for. */
export function ButtonChoices({ editor, field }: FieldProps) {
  const texts = useTexts("sending");
  const { buttons } = field.tab;
  const rename = (index: number, value: string) =>
    editor.setTab(
      field,
      { value: null, buttons: buttons.map((button, at) => (at === index ? { ...button, value } : button)) },
      `button ${index}`,
    );
  const remove = (index: number) =>
    editor.setTab(field, { value: null, buttons: buttons.filter((_, at) => at !== index) });
  return (
    <fieldset className="sending-place">
      <legend>{texts.buttons}</legend>
      {buttons.map((button, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: its words change while they are typed
        <div key={index} className="sending-choice">
          <TextField
            label={texts.button(index + 1)}
            value={button.value}
            onChange={(value) => rename(index, value)}
            isRequired
            maxLength={1_000}
          />
          {buttons.length > 1 && (
            <Button
              kind="quiet"
              icon="close"
              aria-label={texts.removeButton(button.value)}
              onPress={() => remove(index)}
            />
          )}
        </div>
      ))}
      <Button onPress={() => editor.addButton(field)}>{texts.addButton}</Button>
    </fieldset>
  );
}
