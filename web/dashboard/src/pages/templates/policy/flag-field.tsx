import { type ReactNode, useId } from "react";
import { useTexts } from "../../../texts/texts.tsx";
import { CheckboxGroup, Switch } from "../../../ui/form.tsx";
import { Select, TextField } from "../../../ui/text-field.tsx";
import type { FlagValue } from "../configuration.ts";
import type { FlagControl } from "./flags.ts";

interface FlagFieldProps {
  readonly name: string;
  readonly control: FlagControl;
  readonly value: FlagValue | undefined;
  /** Of the type, or of what this goes over. */
  readonly fallback: FlagValue | undefined;
  /** Says what the fallback is. */
  readonly usual?: (shown: string) => string;
  readonly isReadOnly: boolean;
}

/** One flag with what it means. */
export function FlagField({ name, control, value, fallback, isReadOnly, ...words }: FlagFieldProps) {
  const texts = useTexts("editor");
  const { label = name, hint = "" } = texts.flags.get(name) ?? {};
  const id = useId();
  const say = words.usual ?? texts.usual;
  const usual = fallback === undefined ? undefined : say(shown(fallback, texts));
  const meaning = (
    <>
      {hint} <span className="flag-usual">{usual}</span> <code className="policy-code">{name}</code>
    </>
  );
  const optionOf = (choice: string) => ({ id: choice, label: texts.choices.get(choice) ?? choice });
  switch (control.kind) {
    case "switch":
      return (
        <OnOff id={id} meaning={meaning}>
          <Switch name={name} defaultSelected={value === true} isReadOnly={isReadOnly} aria-describedby={id}>
            {label}
          </Switch>
        </OnOff>
      );
    case "number":
      return (
        <TextField
          name={name}
          type="number"
          inputMode="numeric"
          label={label}
          hint={meaning}
          defaultValue={String(value ?? 0)}
          isRequired
          isReadOnly={isReadOnly}
        />
      );
    case "choice":
      return (
        <Select
          name={name}
          label={label}
          hint={meaning}
          options={control.choices.map(optionOf)}
          defaultValue={String(value)}
          isDisabled={isReadOnly}
        />
      );
    case "set":
      return (
        <CheckboxGroup
          name={name}
          label={label}
          hint={meaning}
          options={control.choices.map(optionOf)}
          defaultValue={Array.isArray(value) ? value : []}
          isReadOnly={isReadOnly}
        />
      );
  }
}

interface OnOffProps {
  readonly id: string;
  readonly meaning: ReactNode;
  readonly children: ReactNode;
}

const OnOff = ({ id, meaning, children }: OnOffProps) => (
  <div className="flag-switch">
    {children}
    <p id={id} className="field-hint">
      {meaning}
    </p>
  </div>
);

type EditorTexts = ReturnType<typeof useTexts<"editor">>;

function shown(value: FlagValue, texts: EditorTexts): string {
  if (typeof value === "boolean") return value ? texts.on : texts.off;
  if (typeof value === "object") return value.map((item) => texts.choices.get(item) ?? item).join(", ") || texts.none;
  return texts.choices.get(String(value)) ?? String(value);
}
