import { Input, Label, TextField } from "react-aria-components";
import "./field.css";

interface DayFieldProps {
  readonly label: string;
  /** Such as 2026-11-20. */
  readonly value: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}

/** A day of a filter, chosen or typed as the browser does it. */
export function DayField({ label, value = "", onChange }: DayFieldProps) {
  return (
    <TextField className="field" type="date" value={value} onChange={(day) => onChange(day || undefined)}>
      <Label>{label}</Label>
      <Input />
    </TextField>
  );
}
