import type { ReactNode } from "react";
import {
  Select as AriaSelect,
  type SelectProps as AriaSelectProps,
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
} from "react-aria-components";
import { Icon } from "./icon.tsx";
import "./field.css";

export interface Option {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
}

export interface SelectProps
  extends Omit<AriaSelectProps<Option>, "children" | "className" | "style" | "selectionMode"> {
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
