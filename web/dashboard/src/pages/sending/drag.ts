import type { PointerEvent as ReactPointerEvent } from "react";
import { type PageSize, type Spot, within } from "./field.ts";

/** A page on the screen that fields are placed on. */
export interface PageBox extends PageSize {
  readonly element: HTMLElement;
  readonly documentId: string;
  readonly page: number;
}

/** By document and number. */
export type PageBoxes = Map<string, PageBox>;

export const pageKey = (documentId: string, page: number): string => `${page} ${documentId}`;

interface Point {
  readonly clientX: number;
  readonly clientY: number;
}

interface Carried extends PageSize {
  /** Where it is held, in points from its upper left corner. */
  readonly grip: { readonly x: number; readonly y: number };
}

/** Where something comes to lie that is let go at a point; undefined outside of all pages. */
export function spotUnder(pages: PageBoxes, { clientX, clientY }: Point, { grip, ...size }: Carried): Spot | undefined {
  for (const { element, documentId, page, width, height } of pages.values()) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    if (clientX < left || clientX > right || clientY < top || clientY > bottom) continue;
    const scale = (right - left) / width;
    const place = { x: (clientX - left) / scale - grip.x, y: (clientY - top) / scale - grip.y };
    return within({ documentId, page, ...place, ...size }, { width, height });
  }
  return undefined;
}

/** The middle of what can be seen of the page of which most can be seen. */
export function spotInView(pages: PageBoxes, size: PageSize): Spot | undefined {
  let best: { readonly box: PageBox; readonly from: number; readonly to: number } | undefined;
  for (const box of pages.values()) {
    const { top, bottom } = box.element.getBoundingClientRect();
    const [from, to] = [Math.max(top, 0), Math.min(bottom, window.innerHeight)];
    if (best === undefined || to - from > best.to - best.from) best = { box, from, to };
  }
  if (best === undefined) return undefined;
  const { element, documentId, page, width, height } = best.box;
  const { left, right, top } = element.getBoundingClientRect();
  const middle = ((best.from + best.to) / 2 - top) / ((right - left) / width);
  const place = { x: (width - size.width) / 2, y: middle - size.height / 2 };
  return within({ documentId, page, ...place, ...size }, { width, height });
}

/** How many pixels a point has now. */
export const scaleOf = ({ element, width }: PageBox): number => element.getBoundingClientRect().width / width;

interface Following {
  readonly onMove: (point: PointerEvent) => void;
  /** With nothing when it was only a click, or was given up. */
  readonly onEnd: (point?: PointerEvent) => void;
}

/** The distance that a hand may move during a click. */
const tremble = 4;

/** Follows a pressed pointer until it is released; Escape cancels. */
export function followPointer(event: ReactPointerEvent<HTMLElement>, { onMove, onEnd }: Following): void {
  if (event.button !== 0 || !event.isPrimary) return;
  const { currentTarget: target, pointerId, clientX, clientY } = event;
  target.setPointerCapture(pointerId);
  const ended = new AbortController();
  let isDragging = false;
  const move = (point: PointerEvent) => {
    isDragging ||= Math.hypot(point.clientX - clientX, point.clientY - clientY) > tremble;
    if (isDragging) onMove(point);
  };
  const end = (point?: PointerEvent) => {
    ended.abort();
    onEnd(isDragging ? point : undefined);
  };
  const { signal } = ended;
  target.addEventListener("pointermove", move, { signal });
  target.addEventListener("pointerup", end, { signal });
  target.addEventListener("pointercancel", () => end(), { signal });
  window.addEventListener("keydown", ({ key }) => key === "Escape" && end(), { signal });
}
