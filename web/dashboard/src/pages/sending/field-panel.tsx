import { type KeyboardEvent, useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Switch } from "../../ui/form.tsx";
import { Notice } from "../../ui/states.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { nameOfField } from "./field.ts";
import { FieldPlace, type FieldProps } from "./field-place.tsx";
import { nameOf } from "./recipients.ts";
import { kindOf } from "./tab-kinds.ts";
import type { FieldEditor } from "./use-field-editor.ts";

/** What can be said about the field that is selected. */
export function FieldPanel({ editor }: { readonly editor: FieldEditor }) {
  const texts = useTexts("sending");
  const { selected: field } = editor;
  if (field === undefined) return null;
  const covered = editor.coveredBy(field);
  const [name, type] = [nameOfField(field), texts.types[field.tab.type]];
  const leave = (event: KeyboardEvent) => {
    if (event.key === "Escape") editor.leavePanel(field);
  };
  return (
    <section
      key={field.key}
      ref={editor.panel}
      tabIndex={-1}
      className="sending-panel"
      aria-label={editor.titleOf(field)}
      onKeyDown={leave}
    >
      <header>
        <div>
          <h2>{name ?? type}</h2>
          {name !== undefined && <p>{type}</p>}
        </div>
        <Button kind="quiet" icon="close" aria-label={texts.closePanel} onPress={editor.closePanel} />
      </header>
      <Select
        label={texts.fieldOf}
        options={editor.people.map((one) => ({ id: one.recipientId, label: nameOf(one) }))}
        value={field.recipientId}
        onChange={(key) => editor.giveTo(field, String(key))}
      />
      {covered.length > 0 && (
        <Notice tone="warning">{texts.overlaps(covered.map((other) => editor.titleOf(other)).join(", "))}</Notice>
      )}
      <Rules editor={editor} field={field} />
      <Words editor={editor} field={field} />
      {kindOf(field.tab.type).has.includes("items") && <ListChoices editor={editor} field={field} />}
      {field.tab.type === "radioGroup" && <ButtonChoices editor={editor} field={field} />}
      <FieldPlace editor={editor} field={field} />
      <div className="form-buttons">
        <Button onPress={() => editor.duplicate(field)}>{texts.duplicate}</Button>
        <Button kind="danger" onPress={() => editor.remove(field)}>
          {texts.remove}
        </Button>
      </div>
    </section>
  );
}

function Rules({ editor, field }: FieldProps) {
  const texts = useTexts("sending");
  const { type, required, locked, value } = field.tab;
  const { mayBeRequired, has } = kindOf(type);
  return (
    <>
      {mayBeRequired && (
        <Switch isSelected={required} onChange={(isOn) => editor.setTab(field, { required: isOn })}>
          {texts.required}
        </Switch>
      )}
      {type === "checkbox" && (
        <Switch
          isSelected={value === "true"}
          onChange={(isOn) => editor.setTab(field, { value: isOn ? "true" : "false" })}
        >
          {texts.checkedBefore}
        </Switch>
      )}
      {has.includes("locked") && (
        <Switch isSelected={locked} onChange={(isOn) => editor.setTab(field, { locked: isOn })}>
          {texts.locked}
        </Switch>
      )}
    </>
  );
}

function Words({ editor, field }: FieldProps) {
  const texts = useTexts("sending");
  const { type, label, tooltip, value, maxLength, validationPattern, validationMessage } = field.tab;
  const { has } = kindOf(type);
  const orNothing = (text: string) => (text === "" ? null : text);
  return (
    <>
      <TextField
        label={texts.tooltip}
        hint={texts.tooltipHint}
        value={tooltip ?? ""}
        onChange={(text) => editor.setTab(field, { tooltip: orNothing(text) }, "tooltip")}
        maxLength={500}
      />
      {has.includes("label") && (
        <TextField
          label={texts.label}
          hint={texts.labelHint}
          value={label ?? ""}
          onChange={(text) => editor.setTab(field, { label: orNothing(text) }, "label")}
          maxLength={500}
        />
      )}
      {has.includes("value") && (
        <TextField
          label={type === "note" ? texts.note : texts.value}
          value={value ?? ""}
          onChange={(text) => editor.setTab(field, { value: orNothing(text) }, "value")}
          rows={type === "note" ? 3 : 1}
          maxLength={10_000}
        />
      )}
      {has.includes("maxLength") && (
        <TextField
          type="number"
          label={texts.maxLength}
          value={maxLength === null ? "" : String(maxLength)}
          onChange={(text) => editor.setTab(field, { maxLength: lengthOf(text) }, "maxLength")}
        />
      )}
      {has.includes("pattern") && (
        <>
          <TextField
            label={texts.pattern}
            hint={texts.patternHint}
            value={validationPattern ?? ""}
            onChange={(text) => editor.setTab(field, { validationPattern: orNothing(text) }, "pattern")}
            maxLength={500}
          />
          <TextField
            label={texts.patternMessage}
            value={validationMessage ?? ""}
            onChange={(text) => editor.setTab(field, { validationMessage: orNothing(text) }, "patternMessage")}
            maxLength={500}
          />
        </>
      )}
    </>
  );
}

/** Null for no limit. */
function lengthOf(text: string): number | null {
  const number = Math.floor(Number(text));
  return number >= 1 ? Math.min(number, 10_000) : null;
}

/** One choice in each line, which is both what is shown and what is recorded. */
function ListChoices({ editor, field }: FieldProps) {
  const texts = useTexts("sending");
  const { items } = field.tab;
  // Stored as typed: an empty line is not a choice, but the place where the next one begins.
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
function ButtonChoices({ editor, field }: FieldProps) {
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
