import { type ReactNode, useState } from "react";
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  ToggleButton,
} from "react-aria-components";
import { useTexts } from "../texts/texts.tsx";
import "./field.css";

export interface TextFieldProps extends Omit<AriaTextFieldProps, "children" | "className" | "style"> {
  readonly label: string;
  /** What helps to fill it in. */
  readonly hint?: ReactNode;
  readonly placeholder?: string;
  /** More than one: a field of so many lines. */
  readonly rows?: number;
}

export function TextField({ label, hint, placeholder, rows = 1, ...props }: TextFieldProps) {
  const { optional } = useTexts("common");
  const shown = placeholder === undefined ? {} : { placeholder };
  return (
    <AriaTextField {...props} className="field">
      <Label>
        {label}
        {!props.isRequired && !props.isReadOnly && props.type !== "search" && (
          <span className="field-optional"> ({optional})</span>
        )}
      </Label>
      {rows > 1 ? <TextArea rows={rows} {...shown} /> : <Input {...shown} />}
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
    </AriaTextField>
  );
}

export type PasswordFieldProps = Omit<TextFieldProps, "type" | "rows" | "placeholder">;

/** Set autoComplete to current-password or new-password. */
export function PasswordField({ label, hint, ...props }: PasswordFieldProps) {
  const { show, hide } = useTexts("common");
  const [isShown, setIsShown] = useState(false);
  return (
    <AriaTextField {...props} type={isShown ? "text" : "password"} className="field">
      <Label>{label}</Label>
      <div className="field-with-button">
        <Input autoCapitalize="none" spellCheck="false" />
        <ToggleButton
          slot={null}
          className="field-button"
          isSelected={isShown}
          onChange={setIsShown}
          aria-label={`${isShown ? hide : show} ${label}`}
        >
          {isShown ? hide : show}
        </ToggleButton>
      </div>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
    </AriaTextField>
  );
}
