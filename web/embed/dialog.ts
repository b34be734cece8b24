import { el } from "./dom.ts";
import type { Words } from "./words.ts";

/** A window over the page. While it is open, nothing else on the page can be reached. */
export interface Dialog {
  readonly element: HTMLDialogElement;
  open(): void;
  close(): void;
}

export interface DialogOptions {
  readonly title: string;
  /** The content begins with the title. */
  readonly isTitleRepeated: boolean;
  readonly words: Words;
  readonly content: readonly HTMLElement[];
  readonly announce: (text: string) => void;
  /** Gets the focus when what had it before is gone. */
  readonly fallbackFocus: () => HTMLElement | undefined;
  readonly onClosed: () => void;
}

export function createDialog(options: DialogOptions): Dialog {
  const { words, content, announce, fallbackFocus, onClosed } = options;
  const heading = el(
    "h2",
    { id: "dialog-title", tabindex: -1, class: options.isTitleRepeated ? "quiet" : undefined },
    options.title,
  );
  const closeButton = el("button", { type: "button", class: "close", "aria-label": words.close }, "✕");
  const header = el("header", {}, heading, closeButton);
  const element = el("dialog", { "aria-labelledby": heading.id }, el("div", { class: "window" }, header, ...content));
  let opener: HTMLElement | undefined;
  const close = (): void => {
    if (element.open) element.close();
  };
  closeButton.addEventListener("click", close);
  element.addEventListener("keydown", (event) => {
    if (event.key === "Tab") keepInside(event, element);
    if (event.key !== "Escape") return;
    // Nothing that was read or entered is lost by a slip, and no key decides.
    event.preventDefault();
    event.stopPropagation();
    closeButton.focus();
    announce(words.staysOpen);
  });
  // A browser may close it all the same, as by the back gesture of a phone.
  element.addEventListener("cancel", (event) => event.preventDefault());
  element.addEventListener("close", () => {
    const target = opener?.isConnected === true && opener !== document.body ? opener : fallbackFocus();
    target?.focus();
    onClosed();
  });
  return {
    element,
    open: () => {
      if (element.open) return;
      opener = focused();
      element.showModal();
      heading.focus();
    },
    close,
  };
}

/** What has the focus, also inside of shadow trees. */
function focused(): HTMLElement | undefined {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active instanceof HTMLElement ? active : undefined;
}

/** From the last control to the first one and back; browsers would go to their own bars in between. */
function keepInside(event: KeyboardEvent, dialog: HTMLDialogElement): void {
  const controls = [...dialog.querySelectorAll<HTMLElement>("button, input, a[href], [tabindex='0']")].filter(
    (control) => control.checkVisibility?.() ?? true,
  );
  const active = (dialog.getRootNode() as ShadowRoot).activeElement;
  const [first, last] = [controls[0], controls.at(-1)];
  const isAtStart = active === first || !controls.includes(active as HTMLElement);
  const goal = event.shiftKey ? (isAtStart ? last : undefined) : active === last ? first : undefined;
  if (goal === undefined) return;
  event.preventDefault();
  goal.focus();
}
