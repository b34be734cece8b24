import { type RefObject, useMemo, useRef } from "react";
import "./source.css";

interface SourceFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isReadOnly?: boolean;
  /** Numbers of the lines in which something is wrong, from 1. */
  readonly marked: readonly number[];
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** The id of what says more about it. */
  readonly describedBy?: string;
  readonly isLow?: boolean;
}

/** Pixels; also in source.css. */
const lineHeight = 20;

/** A text of a programming kind, with the numbers of its lines. Tab leaves it, as it does any field. */
export function SourceField(props: SourceFieldProps) {
  const { id, label, value, onChange, isReadOnly = false, marked, field, describedBy, isLow = false } = props;
  const behind = useRef<HTMLDivElement>(null);
  const count = useMemo(() => value.split("\n").length, [value]);
  const numbers = useMemo(() => Array.from({ length: count }, (_, index) => index + 1).join("\n"), [count]);
  const follow = (top: number) => {
    if (behind.current !== null) behind.current.style.transform = `translateY(${-top}px)`;
  };
  return (
    <div className="source-field">
      <label htmlFor={id}>{label}</label>
      <div className={isLow ? "source source-low" : "source"}>
        <div className="source-behind" ref={behind} aria-hidden="true">
          <pre className="source-numbers">{numbers}</pre>
          {marked.map((line) => (
            <div key={line} className="source-mark" style={{ top: (line - 1) * lineHeight + padding }} />
          ))}
        </div>
        <textarea
          id={id}
          ref={field}
          value={value}
          readOnly={isReadOnly}
          wrap="off"
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          aria-invalid={marked.length > 0}
          aria-describedby={describedBy}
          onChange={(event) => onChange(event.currentTarget.value)}
          onScroll={(event) => follow(event.currentTarget.scrollTop)}
        />
      </div>
    </div>
  );
}

const padding = 8;

/** Puts the cursor to a place; lines and columns begin with 1. */
export function jumpTo(field: HTMLTextAreaElement, line: number, column: number): void {
  const before = field.value.split("\n").slice(0, line - 1);
  const start = before.reduce((sum, { length }) => sum + length + 1, 0);
  const length = field.value.split("\n")[line - 1]?.length ?? 0;
  const at = start + Math.min(Math.max(column - 1, 0), length);
  field.focus();
  field.setSelectionRange(at, start + length);
  field.scrollTop = Math.max(0, (line - 4) * lineHeight);
}
