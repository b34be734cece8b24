import "./field.css";
import { type ReactNode, useState } from "react";
import {
  Select as AriaSelect,
  type SelectProps as AriaSelectProps,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
  TextArea,
  ToggleButton,
} from "react-aria-components";
import { useTexts } from "../texts/texts.tsx";
import { Icon } from "./button.tsx";

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

export interface Option {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
}

interface SelectProps extends Omit<AriaSelectProps<Option>, "children" | "className" | "style" | "selectionMode"> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly Option[];
}

/** One of several; with a name its id is a value of the form. */
export function Select({ label, hint, options, ...props }: SelectProps) {
  return (
    <AriaSelect {...props} className="field">
      <Label className="field-label">{label}</Label>
      <Button className="select-button">
        <SelectValue>{({ selectedText, defaultChildren }) => selectedText || defaultChildren}</SelectValue>
        <Icon name="down" />
      </Button>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
      <Popover className="select-list" offset={4}>
        <ListBox items={options}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.label} className="select-item">
              <Text slot="label">{option.label}</Text>
              {option.hint && <small>{option.hint}</small>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

interface DayFieldProps {
  readonly label: string;
  /** Such as 2026-11-20. */
  readonly value: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}

/** A day of a filter, chosen or typed as the browser does it. */
export function DayField({ label, value = "", onChange }: DayFieldProps) {
  return (
    <AriaTextField className="field" type="date" value={value} onChange={(day) => onChange(day || undefined)}>
      <Label>{label}</Label>
      <Input />
    </AriaTextField>
  );
}
