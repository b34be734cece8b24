import { createDialog, type Dialog } from "./dialog.ts";
import { el, whenSeen } from "./dom.ts";
import type { Recorder } from "./recorder.ts";
import type { DisplayMode } from "./rendering.ts";
import type { Shown, ShowOptions } from "./show.ts";
import type { TextView } from "./text.ts";
import type { Words } from "./words.ts";

export interface Placing extends ShowOptions {
  readonly displayMode: DisplayMode;
  readonly text: TextView;
  readonly bottom: HTMLElement;
  readonly readButton: HTMLButtonElement;
  readonly words: Words;
  readonly announce: (text: string) => void;
  readonly recorder: Recorder;
}

/** Puts the parts on the page, in the form that the display mode asks for. */
export function place(placing: Placing): Shown {
  const { root, options, rendering, displayMode, text, bottom, readButton, recorder } = placing;
  const heading =
    text.hasTitle || rendering.title === "" || options.showTitle === false ? "" : el("h2", {}, rendering.title);
  const nothing = { open: () => undefined, close: () => undefined };
  if (displayMode === "INLINE" || displayMode === "FULL_PAGE") {
    const css = displayMode === "INLINE" ? "card" : "card full";
    root.replaceChildren(el("div", { class: css }, heading, text.element, bottom));
    return { ...nothing, stop: whenSeen(text.element, recorder.displayed) };
  }
  if (displayMode === "LINK") {
    const closing = el("button", { type: "button", class: "secondary" }, placing.words.close);
    const dialog = windowOf(placing, [text.element, el("div", { class: "buttons" }, closing)]);
    closing.addEventListener("click", dialog.close);
    const open = (): void => {
      recorder.opened(rendering.title);
      dialog.open();
    };
    readButton.addEventListener("click", open);
    bottom.prepend(readButton);
    root.replaceChildren(el("div", { class: "card" }, bottom), dialog.element);
    return { open, close: dialog.close, stop: whenSeen(bottom, recorder.displayed) };
  }
  const isManual = options.open === "manual";
  const dialog = windowOf(placing, [text.element, bottom]);
  readButton.addEventListener("click", dialog.open);
  root.replaceChildren(isManual ? "" : el("div", { class: "card" }, readButton), dialog.element);
  const stopWatching = whenSeen(text.element, recorder.displayed);
  if (!isManual) dialog.open();
  return { open: dialog.open, close: dialog.close, stop: stopWatching };
}

const windowOf = (
  { element, options, rendering, words, announce, readButton, text }: Placing,
  content: HTMLElement[],
): Dialog =>
  createDialog({
    title: rendering.title,
    isTitleRepeated: text.hasTitle,
    words,
    content,
    announce,
    fallbackFocus: () => (readButton.isConnected ? readButton : undefined),
    onClosed: () => {
      options.onClose?.();
      element.dispatchEvent(new CustomEvent("assent:close", { bubbles: true, composed: true }));
    },
  });
