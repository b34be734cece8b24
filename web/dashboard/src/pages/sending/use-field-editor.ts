import { useEffect, useMemo, useReducer, useRef, useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { type PageBoxes, pageKey } from "./drag.ts";
import {
  copyOf,
  coveredBy,
  type Field,
  fieldsOf,
  freeSpot,
  newField,
  placed,
  type Spot,
  spotsOf,
  withButton,
  within,
} from "./field.ts";
import { changeFields, type FieldChange, historyOf } from "./field-history.ts";
import { allOf, hasFields, inTurn, nameOf } from "./recipients.ts";
import type { Draft, Recipient, Tab, TabType } from "./types.ts";
import type { FieldSaver } from "./use-field-saver.ts";

/** What the page of the fields knows and does. */
export type FieldEditor = ReturnType<typeof useFieldEditor>;

export function useFieldEditor(draft: Draft, saver: Pick<FieldSaver, "schedule">) {
  const texts = useTexts("sending");
  const [history, dispatch] = useReducer(changeFields, draft, (from) => historyOf(fieldsOf(from)));
  const { fields, past, future } = history;
  const [selectedKey, select] = useState<string>();
  const [said, setSaid] = useState("");
  const [, askFocus] = useState(0);
  /** The field that gets the focus once it is there. */
  const wantsFocus = useRef<string>(undefined);
  const pages = useRef<PageBoxes>(new Map());
  const panel = useRef<HTMLElement>(null);
  const palette = useRef<HTMLElement>(null);
  const people = useMemo(() => inTurn(allOf(draft.recipients).filter(hasFields)), [draft]);
  const { schedule } = saver;
  const known = useRef(fields);
  useEffect(() => {
    if (fields === known.current) return;
    known.current = fields;
    schedule(fields);
  }, [fields, schedule]);

  const personOf = (id: string): Recipient | undefined => people.find(({ recipientId }) => recipientId === id);
  const titleOf = (field: Field): string => {
    const person = personOf(field.recipientId);
    return texts.fieldTitle(texts.types[field.tab.type], person === undefined ? "?" : nameOf(person));
  };
  const change = (wanted: FieldChange, words: string) => {
    dispatch(wanted);
    setSaid(words);
  };
  const take = (field: Field, words: string) => {
    change({ kind: "add", fields: [field] }, words);
    select(field.key);
    wantsFocus.current = field.key;
  };

  return {
    ...{ draft, fields, people, pages, panel, palette, said, wantsFocus, titleOf, select },
    selected: fields.find(({ key }) => key === selectedKey),
    closePanel: () => {
      select(undefined);
      palette.current?.focus({ preventScroll: true });
    },
    /** To the field whose panel it is. */
    leavePanel: (field: Field) => {
      wantsFocus.current = field.key;
      setSaid("");
      // Also when nothing else has changed, so that the field is asked whether it gets the focus.
      askFocus((count) => count + 1);
    },
    /** Those that it covers, or that cover it. */
    coveredBy: (field: Field) => coveredBy(field, fields),
    mayUndo: past.length > 0,
    mayRedo: future.length > 0,
    add: (type: TabType, recipientId: string, spot: Spot) => {
      const size = pages.current.get(pageKey(spot.documentId, spot.page));
      const free = size === undefined ? spot : freeSpot(spot, fields, size);
      const field = newField({ type, recipientId, spot: free, fields });
      take(field, texts.added(titleOf(field), spot.page));
    },
    /** All at once, so that they are undone at once. */
    addAll: (added: readonly Field[]) => {
      if (added.length > 0) change({ kind: "add", fields: added }, "");
    },
    duplicate: (field: Field) => take(copyOf(field, fields), texts.added(titleOf(field), spotsOf(field)[0]?.page ?? 1)),
    remove: (field: Field) => {
      const at = fields.indexOf(field);
      const next = fields[at + 1] ?? fields[at - 1];
      change({ kind: "remove", key: field.key }, texts.removed(titleOf(field)));
      select(next?.key);
      wantsFocus.current = next?.key;
    },
    place: (field: Field, index: number, wanted: Spot, of?: string) => {
      const size = pages.current.get(pageKey(wanted.documentId, wanted.page));
      const spot = size === undefined ? wanted : within(wanted, size);
      const step = of === undefined ? {} : { of };
      change(
        { kind: "tab", key: field.key, tab: placed(field.tab, index, spot), ...step },
        texts.placed(
          spot.page,
          Math.round(spot.x),
          Math.round(spot.y),
          Math.round(spot.width),
          Math.round(spot.height),
        ),
      );
    },
    setTab: (field: Field, given: Partial<Tab>, of?: string) =>
      change({ kind: "tab", key: field.key, tab: { ...field.tab, ...given }, ...(of === undefined ? {} : { of }) }, ""),
    addButton: (field: Field) => change({ kind: "tab", key: field.key, tab: withButton(field) }, ""),
    giveTo: (field: Field, recipientId: string) => change({ kind: "recipient", key: field.key, recipientId }, ""),
    undo: () => change({ kind: "undo" }, past.length > 0 ? texts.undone : ""),
    redo: () => change({ kind: "redo" }, future.length > 0 ? texts.redone : ""),
  };
}
