import { type KeyboardEvent, type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import type { ShownPage } from "../../ui/pdf/pdf-pages.tsx";
import { followPointer, type PageBox, pageKey, scaleOf, spotUnder } from "./drag.ts";
import { type Field, isAnchored, nameOfField, type Spot, spotsOf } from "./field.ts";
import type { Recipient } from "./types.ts";
import type { FieldEditor } from "./use-field-editor.ts";

interface PageFieldsProps {
  readonly editor: FieldEditor;
  readonly documentId: string;
  readonly page: ShownPage;
  readonly onCarry: (ghost: Ghost | undefined) => void;
}

/** The fields on a page; they are placed in parts of its size, so that they stay where they are when it grows. */
export function PageFields({ editor, documentId, page: { number, width, height }, onCarry }: PageFieldsProps) {
  const root = useRef<HTMLDivElement>(null);
  const { pages, fields } = editor;
  useEffect(() => {
    const element = root.current;
    const key = pageKey(documentId, number);
    if (element) pages.current.set(key, { element, documentId, page: number, width, height });
    return () => {
      pages.current.delete(key);
    };
  }, [pages, documentId, number, width, height]);
  const boxes = fields
    .filter((field) => !isAnchored(field))
    .flatMap((field) => spotsOf(field).map((spot, index) => ({ field, spot, index })))
    .filter(({ spot }) => spot.documentId === documentId && spot.page === number);
  return (
    <div ref={root} className="sending-page">
      {boxes.map(({ field, spot, index }) => (
        <FieldBox key={`${field.key} ${index}`} {...{ editor, field, spot, index, size: { width, height }, onCarry }} />
      ))}
    </div>
  );
}

interface FieldBoxProps {
  readonly editor: FieldEditor;
  readonly field: Field;
  readonly spot: Spot;
  /** Which button of a group. */
  readonly index: number;
  readonly size: { readonly width: number; readonly height: number };
  readonly onCarry: (ghost: Ghost | undefined) => void;
}

function FieldBox({ editor, field, spot, index, size, onCarry }: FieldBoxProps) {
  const texts = useTexts("sending");
  const button = useRef<HTMLButtonElement>(null);
  const [grown, setGrown] = useState<Pick<Spot, "width" | "height">>();
  const isSelected = editor.selected?.key === field.key;
  const { wantsFocus } = editor;
  useEffect(() => {
    if (wantsFocus.current !== field.key) return;
    wantsFocus.current = undefined;
    button.current?.focus();
  });
  const box = () => editor.pages.current.get(pageKey(spot.documentId, spot.page));
  const { width, height } = grown ?? spot;
  const words = wordsOf(field, index, texts.types[field.tab.type]);
  const about = { words, hue: hueOf(editor, field.recipientId) };
  return (
    <div
      className="sending-field"
      data-hue={about.hue}
      data-selected={isSelected || undefined}
      style={{
        left: `${(spot.x / size.width) * 100}%`,
        top: `${(spot.y / size.height) * 100}%`,
        width: `${(width / size.width) * 100}%`,
        height: `${(height / size.height) * 100}%`,
      }}
    >
      <button
        ref={button}
        type="button"
        aria-label={texts.fieldAt(editor.titleOf(field), words, Math.round(spot.x), Math.round(spot.y))}
        aria-pressed={isSelected}
        aria-describedby="sending-keys"
        onFocus={() => editor.select(field.key)}
        onClick={({ detail }) => {
          editor.select(field.key);
          // By the keyboard.
          if (detail === 0) editor.panel.current?.focus();
        }}
        onKeyDown={(event) => moveByKey(event, { editor, field, spot, index })}
        onPointerDown={(event) => carry(event, { editor, field, spot, index, onCarry, about, page: box() })}
      >
        <span>
          {words}
          {field.tab.required && <span aria-hidden="true"> *</span>}
        </span>
      </button>
      {isSelected && field.tab.type !== "radioGroup" && (
        <span
          className="sending-handle"
          aria-hidden="true"
          onPointerDown={(event) => resize(event, { editor, field, spot, index, page: box(), onGrow: setGrown })}
        />
      )}
    </div>
  );
}

const wordsOf = (field: Field, index: number, type: string): string =>
  field.tab.type === "radioGroup" ? (field.tab.buttons[index]?.value ?? type) : (nameOfField(field) ?? type);

type Held = Pick<FieldBoxProps, "editor" | "field" | "spot" | "index">;

/** Points that a press of an arrow moves by; with Alt a single one. */
const step = 5;

const directions: ReadonlyMap<string, readonly [x: number, y: number]> = new Map([
  ["ArrowLeft", [-1, 0]],
  ["ArrowRight", [1, 0]],
  ["ArrowUp", [0, -1]],
  ["ArrowDown", [0, 1]],
]);

function moveByKey(event: KeyboardEvent, { editor, field, spot, index }: Held): void {
  if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    editor.remove(field);
    return;
  }
  const direction = directions.get(event.key);
  if (direction === undefined) return;
  event.preventDefault();
  const [x, y] = direction.map((part) => part * (event.altKey ? 1 : step)) as [number, number];
  const wanted = event.shiftKey
    ? { ...spot, width: spot.width + x, height: spot.height + y }
    : { ...spot, x: spot.x + x, y: spot.y + y };
  if (event.shiftKey && field.tab.type === "radioGroup") return;
  editor.place(field, index, wanted, event.shiftKey ? "size" : `place ${index}`);
}

interface Carrying extends Held {
  readonly onCarry: FieldBoxProps["onCarry"];
  readonly about: Pick<Ghost, "words" | "hue">;
  readonly page: PageBox | undefined;
}

function carry(event: ReactPointerEvent<HTMLElement>, held: Carrying): void {
  const { editor, field, spot, index, onCarry, about, page } = held;
  if (page === undefined) return;
  const scale = scaleOf(page);
  const box = event.currentTarget.getBoundingClientRect();
  const offset = { x: event.clientX - box.left, y: event.clientY - box.top };
  const grip = { x: offset.x / scale, y: offset.y / scale };
  const size = { width: spot.width * scale, height: spot.height * scale };
  followPointer(event, {
    onMove: ({ clientX, clientY }) => onCarry({ ...about, left: clientX - offset.x, top: clientY - offset.y, ...size }),
    onEnd: (point) => {
      onCarry(undefined);
      if (point === undefined) return;
      const { width, height } = spot;
      const target = spotUnder(editor.pages.current, point, { width, height, grip });
      if (target !== undefined) editor.place(field, index, target);
    },
  });
}

interface Resizing extends Held {
  readonly page: PageBox | undefined;
  readonly onGrow: (size: Pick<Spot, "width" | "height"> | undefined) => void;
}

function resize(event: ReactPointerEvent<HTMLElement>, { editor, field, spot, index, page, onGrow }: Resizing): void {
  if (page === undefined) return;
  event.preventDefault();
  const scale = scaleOf(page);
  const { clientX, clientY } = event;
  const sizeAt = (point: PointerEvent) => ({
    width: Math.max(8, spot.width + (point.clientX - clientX) / scale),
    height: Math.max(8, spot.height + (point.clientY - clientY) / scale),
  });
  followPointer(event, {
    onMove: (point) => onGrow(sizeAt(point)),
    onEnd: (point) => {
      onGrow(undefined);
      if (point !== undefined) editor.place(field, index, { ...spot, ...sizeAt(point) });
    },
  });
}

/** What is carried over the pages right now, in pixels of the window. */
export interface Ghost {
  readonly words: string;
  readonly hue: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const hues = 6;

/** The color of a recipient; who it is stands in words, too. */
export const hueOf = ({ people }: { readonly people: readonly Recipient[] }, recipientId: string): number =>
  Math.max(
    0,
    people.findIndex((person) => person.recipientId === recipientId),
  ) % hues;
