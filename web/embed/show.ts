import type { Decision } from "./acceptance.ts";
import { createDeliver, type DeliveryFacts } from "./deliver.ts";
import { createDocuments, documentsToOpen } from "./documents.ts";
import { el } from "./dom.ts";
import { createForm, type Form } from "./form.ts";
import { DeliveryError, type HandOverResult, toDeliveryError } from "./handover.ts";
import type { MountOptions } from "./options.ts";
import { place } from "./place.ts";
import { createRecorder } from "./recorder.ts";
import { objectOf, type Rendering } from "./rendering.ts";
import { createSteps } from "./steps.ts";
import { createText } from "./text.ts";
import { chooseWords, fill, type Words } from "./words.ts";

/** A rendering on the page. */
export interface Shown {
  open(): void;
  close(): void;
  stop(): void;
}

export interface ShowOptions {
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
  const text = createText(rendering, recorder, words);
  if (text === undefined) throw new DeliveryError({ errorCode: "TEXT_UNSAFE", isFinal: true });
  const status = el("p", { class: "unseen", role: "status" });
  const announce = (message: string): void => {
    status.textContent = message;
  };
  const readButton = el("button", { type: "button", class: "link" }, fill(words.read, rendering.title));
  const documents = createDocuments(rendering, recorder, words);
  const textTarget = displayMode === "LINK" ? readButton : text.element;
  const known = documents?.toOpen ?? [];
  const toOpen = documentsToOpen({ rendering, displayMode, text, readButton, documents: known });
  const common = { rendering, recorder, words, announce };
  const steps = createSteps({ ...common, language, toOpen, textTarget, onChange });
  const bottom = el("div", { class: "bottom", lang: language }, documents?.element, status);
  const note = noteInsteadOfForm(rendering, words);
  if (note === undefined) {
    const decide = createDecide({ ...show, displayMode, recorder, bottom, words, form: () => form });
    form = createForm({ ...common, steps, onDecide: (decision) => void decide(decision) });
    bottom.append(form.element);
  } else {
    bottom.append(el("p", { class: "note", role: "status" }, note));
  }
  const placed = place({ ...show, displayMode, text, bottom, readButton, words, announce, recorder });
  const stop = (): void => {
    for (const part of [placed, steps, text]) part.stop();
  };
  return { ...placed, stop };
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

function noteInsteadOfForm({ isDraft, alreadyAccepted, templateType }: Rendering, words: Words): string | undefined {
  if (isDraft) return words.draft;
  // Consent can be given anew at any time, and differently.
  return alreadyAccepted && templateType !== "CONSENT" ? words.alreadyAccepted : undefined;
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
