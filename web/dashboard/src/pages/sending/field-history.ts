import type { Field } from "./field.ts";
import type { RecipientInput, Tab } from "./types.ts";

/** The fields, and how they were. */
interface FieldHistory {
  readonly fields: readonly Field[];
  readonly past: readonly (readonly Field[])[];
  readonly future: readonly (readonly Field[])[];
  /** What the last change was of: several in a row are undone together, such as the letters of a word. */
  readonly lastOf: string | undefined;
}

export type FieldChange =
  | { readonly kind: "add"; readonly fields: readonly Field[] }
  | { readonly kind: "tab"; readonly key: string; readonly tab: Tab; readonly of?: string }
  | { readonly kind: "recipient"; readonly key: string; readonly recipientId: RecipientInput["recipientId"] }
  | { readonly kind: "remove"; readonly key: string }
  | { readonly kind: "undo" }
  | { readonly kind: "redo" };

export const historyOf = (fields: readonly Field[]): FieldHistory => ({
  fields,
  past: [],
  future: [],
  lastOf: undefined,
});

const mostSteps = 100;

export function changeFields(history: FieldHistory, change: FieldChange): FieldHistory {
  const { fields, past, future, lastOf } = history;
  if (change.kind === "undo" || change.kind === "redo") {
    const isUndo = change.kind === "undo";
    const [wanted, from] = isUndo ? [past.at(-1), past.slice(0, -1)] : [future.at(-1), future.slice(0, -1)];
    if (wanted === undefined) return history;
    return isUndo
      ? { fields: wanted, past: from, future: [...future, fields], lastOf: undefined }
      : { fields: wanted, past: [...past, fields], future: from, lastOf: undefined };
  }
  const of = change.kind === "tab" && change.of !== undefined ? `${change.key} ${change.of}` : undefined;
  const isContinued = of !== undefined && of === lastOf;
  return {
    fields: changed(fields, change),
    past: isContinued ? past : [...past, fields].slice(-mostSteps),
    future: [],
    lastOf: of,
  };
}

type Step = Exclude<FieldChange, { readonly kind: "undo" | "redo" }>;

function changed(fields: readonly Field[], change: Step): readonly Field[] {
  if (change.kind === "add") return [...fields, ...change.fields];
  if (change.kind === "remove") return fields.filter(({ key }) => key !== change.key);
  return fields.map((field) => {
    if (field.key !== change.key) return field;
    return change.kind === "tab" ? { ...field, tab: change.tab } : { ...field, recipientId: change.recipientId };
  });
}
