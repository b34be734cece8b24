import { directionOf } from "#platform/language.ts";
import type { Decision } from "./acceptance.ts";
import { createDeliver, type DeliveryFacts } from "./deliver.ts";
import { createDocuments, documentsToOpen } from "./documents.ts";
import { el, whenSeen } from "./dom.ts";
import { createForm, type Form } from "./form.ts";
import { DeliveryError, type HandOverResult, toDeliveryError } from "./handover.ts";
import type { MountOptions } from "./options.ts";
import { createPdfSource } from "./pdf.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { createSteps, type DisplayMode, objectOf, type Rendering } from "./rendering.ts";
import { createChanges, createText, type TextView } from "./text.ts";
import { chooseWords, fill, type Words } from "./words.ts";

/** A rendering on the page. */
export interface Shown {
  open(): void;
  close(): void;
  stop(): void;
}

interface ShowOptions {
  readonly element: Element;
  readonly root: HTMLElement;
  readonly options: MountOptions;
  readonly rendering: Rendering;
}

/** Throws a DeliveryError when the text is not safe to show. */
export function showRendering(show: ShowOptions): Shown {
  const { options, rendering } = show;
  const displayMode = options.display ?? rendering.displayMode ?? "INLINE";
  const { words, language } = chooseWords(rendering.locale, options.words);
  let form: Form | undefined;
  const onChange = (): void => form?.update();
  const recorder = createRecorder(onChange);
  const text = createText(rendering, recorder, words, createPdfSource(options, rendering));
  const changes = createChanges(rendering, recorder);
  if (text === undefined || changes === undefined) throw new DeliveryError({ errorCode: "TEXT_UNSAFE", isFinal: true });
  const status = el("p", { class: "unseen", role: "status" });
  const announce = (message: string): void => {
    status.textContent = message;
  };
  const readButton = el("button", { type: "button", class: "link" }, fill(words.read, rendering.title));
  const documents = createDocuments(rendering, recorder, words);
  const disclosure = createDisclosure(rendering, recorder);
  const textTarget = displayMode === "LINK" ? readButton : text.element;
  const known = documents?.toOpen ?? [];
  const toOpen = documentsToOpen({ rendering, displayMode, text, readButton, documents: known });
  const common = { rendering, recorder, words, announce };
  const steps = createSteps({
    ...common,
    language,
    toOpen,
    textTarget,
    disclosureTarget: disclosure?.element,
    onChange,
  });
  const bottom = el("div", { class: "bottom", lang: language }, documents?.element, status);
  // Browsers hash nothing there, so nobody has compared the text with what its sender states.
  if (globalThis.crypto?.subtle === undefined) bottom.append(el("p", { class: "note" }, words.unchecked));
  const note = noteInsteadOfForm(rendering, words, options.readOnly === true);
  if (note === undefined) {
    const decide = createDecide({ ...show, displayMode, recorder, bottom, words, form: () => form });
    form = createForm({ ...common, steps, onDecide: (decision) => void decide(decision) });
    bottom.append(form.element);
  } else {
    bottom.append(el("p", { class: "note", role: "status" }, note));
  }
  const placed = place({
    ...show,
    ...{ displayMode, disclosure, changes, text, bottom, readButton, words, announce, recorder },
  });
  const stop = (): void => {
    for (const part of [placed, steps, text, disclosure]) part?.stop();
  };
  return { ...placed, stop };
}

/** What people are told before the text. */
interface DisclosureView {
  readonly element: HTMLElement;
  stop(): void;
}

/** It counts as shown once its last paragraph was on the screen. */
function createDisclosure({ disclosure }: Rendering, recorder: Recorder): DisclosureView | undefined {
  if (disclosure === undefined) return undefined;
  const { locale, title, paragraphs } = disclosure;
  const heading = el("h2", { id: "disclosure-title" }, title);
  const parts = paragraphs.map((text) => el("p", {}, text));
  const about = {
    class: "disclosure",
    tabindex: -1,
    "aria-labelledby": heading.id,
    lang: locale,
    dir: directionOf(locale),
  };
  const element = el("section", about, heading, ...parts);
  return { element, stop: whenSeen(parts.at(-1) ?? heading, recorder.disclosed) };
}

interface Deciding extends DeliveryFacts {
  readonly bottom: HTMLElement;
  readonly words: Words;
  readonly form: () => Form | undefined;
}

function createDecide(deciding: Deciding): (decision: Decision) => Promise<void> {
  const { element, bottom, words } = deciding;
  const deliver = createDeliver(deciding);
  return async (decision) => {
    const form = deciding.form();
    if (form === undefined || (decision === "ACCEPT" && !form.check())) return;
    form.setBusy(true);
    try {
      const result = await deliver(decision, form.answers());
      showResult(bottom, decision, result, words);
      element.dispatchEvent(resultEvent(decision, result));
    } catch (cause) {
      form.setBusy(false);
      const error = toDeliveryError(cause);
      form.showError(error.errorCode === "CLICK_SESSION_EXPIRED" ? words.expired : words.failed, error.requestId);
    }
  };
}

function noteInsteadOfForm(
  { isDraft, alreadyAccepted, templateType }: Rendering,
  words: Words,
  isReadOnly: boolean,
): string | undefined {
  if (isDraft) return words.draft;
  // A consent can be changed at any time.
  if (alreadyAccepted && templateType !== "CONSENT") return words.alreadyAccepted;
  return isReadOnly ? words.readOnly : undefined;
}

function showResult(bottom: HTMLElement, decision: Decision, result: HandOverResult, words: Words): void {
  const { receiptId } = objectOf(result.answer);
  const text = decision === "DECLINE" ? words.declined : words.thanks;
  const done = el("div", { class: "result", tabindex: -1 }, el("p", {}, text));
  if (result.isConfirmed) done.append(el("p", {}, words.recorded));
  if (typeof receiptId === "string") {
    done.append(el("p", { class: "reference" }, fill(words.reference, receiptId)));
  }
  bottom.replaceChildren(done);
  done.focus();
}

const resultEvent = (decision: Decision, { answer }: HandOverResult): CustomEvent =>
  new CustomEvent(decision === "ACCEPT" ? "assent:accepted" : "assent:declined", {
    bubbles: true,
    composed: true,
    detail: { result: answer },
  });

interface Placing extends ShowOptions {
  readonly displayMode: DisplayMode;
  readonly changes: HTMLElement | "";
  readonly text: TextView;
  readonly disclosure: DisclosureView | undefined;
  readonly bottom: HTMLElement;
  readonly readButton: HTMLButtonElement;
  readonly words: Words;
  readonly announce: (text: string) => void;
  readonly recorder: Recorder;
}

/** Puts the parts on the page, in the form that the display mode asks for. */
function place(placing: Placing): Shown {
  const { root, options, rendering, displayMode, changes, text, bottom, readButton, recorder } = placing;
  const heading =
    text.hasTitle || rendering.title === "" || options.showTitle === false ? "" : el("h2", {}, rendering.title);
  const before = placing.disclosure?.element ?? "";
  const nothing = { open: () => undefined, close: () => undefined };
  if (displayMode === "INLINE" || displayMode === "FULL_PAGE") {
    const css = displayMode === "INLINE" ? "card" : "card full";
    root.replaceChildren(el("div", { class: css }, before, heading, changes, text.element, bottom));
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
    root.replaceChildren(el("div", { class: "card" }, before, changes, bottom), dialog.element);
    return { open, close: dialog.close, stop: whenSeen(bottom, recorder.displayed) };
  }
  const isManual = options.open === "manual";
  const dialog = windowOf(placing, [before, changes, text.element, bottom]);
  readButton.addEventListener("click", dialog.open);
  root.replaceChildren(isManual ? "" : el("div", { class: "card" }, readButton), dialog.element);
  const stopWatching = whenSeen(text.element, recorder.displayed);
  if (!isManual) dialog.open();
  return { open: dialog.open, close: dialog.close, stop: stopWatching };
}

const windowOf = (
  { element, options, rendering, words, announce, readButton, text }: Placing,
  content: (HTMLElement | "")[],
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

/** A window over the page. While it is open, nothing else on the page can be reached. */
interface Dialog {
  readonly element: HTMLDialogElement;
  open(): void;
  close(): void;
}

interface DialogOptions {
  readonly title: string;
  /** The content begins with the title. */
  readonly isTitleRepeated: boolean;
  readonly words: Words;
  readonly content: readonly (HTMLElement | "")[];
  readonly announce: (text: string) => void;
  /** Gets the focus when what had it before is gone. */
  readonly fallbackFocus: () => HTMLElement | undefined;
  readonly onClosed: () => void;
}

function createDialog(options: DialogOptions): Dialog {
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
    // Closing by accident must lose nothing, and must not count as a decision.
    event.preventDefault();
    event.stopPropagation();
    closeButton.focus();
    announce(words.staysOpen);
  });
  // Browsers may close it without asking, for example on the back gesture of a phone.
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

/** Keeps the focus inside: after the last control comes the first one, instead of the browser's own bars. */
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
