import type { Answers, Decision } from "./acceptance.ts";
import { el, setAttribute } from "./dom.ts";
import type { Recorder } from "./recorder.ts";
import type { Purpose, Rendering, Steps } from "./rendering.ts";
import { fill, type Words } from "./words.ts";

/** Where a person decides. */
export interface Form {
  readonly element: HTMLFormElement;
  answers(): Answers;
  /** True when nothing is missing; otherwise it says what, and goes there. */
  check(): boolean;
  setBusy(isBusy: boolean): void;
  showError(text: string, reference: string | undefined): void;
  /** Anything that a button depends on has changed. */
  update(): void;
}

export interface FormOptions {
  readonly rendering: Rendering;
  readonly words: Words;
  readonly recorder: Recorder;
  readonly steps: Steps;
  readonly announce: (text: string) => void;
  readonly onDecide: (decision: Decision) => void;
}

export function createForm(options: FormOptions): Form {
  const { rendering, words, recorder, steps, announce } = options;
  const fields = createFields(options, () => update());
  const alert = el("div", { class: "alert", role: "alert" });
  const accept = el("button", { type: "submit", class: "primary" }, rendering.buttonText);
  const decline = el("button", { type: "button", class: "secondary" }, rendering.declineText);
  const buttons = el("div", { class: "buttons" }, accept, rendering.rules.decline ? decline : undefined);
  const notice = rendering.noticeText === "" ? undefined : el("p", { class: "notice" }, rendering.noticeText);
  const parts = [steps.element, ...fields.elements, notice, el("div", {}, alert, buttons)];
  const element = el("form", { novalidate: true }, ...parts);
  let isBusy = false;

  const update = (): void => {
    steps.update();
    for (const field of fields.all) field.hideProblem();
    const isReady = steps.missing().length === 0 && fields.all.every((field) => field.isMet());
    setAttribute(accept, "aria-disabled", isReady && !isBusy ? undefined : "true");
    setAttribute(decline, "aria-disabled", isBusy ? "true" : undefined);
    if (isReady && !isBusy && alert.dataset.kind === "missing") alert.replaceChildren();
  };
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isBusy) return;
    recorder.pressed(rendering.buttonText);
    options.onDecide("ACCEPT");
  });
  decline.addEventListener("click", () => {
    if (isBusy) return;
    recorder.pressed(rendering.declineText);
    options.onDecide("DECLINE");
  });
  update();
  return {
    element,
    update,
    answers: fields.answers,
    check: () => {
      const missing = steps.missing();
      for (const field of fields.all) field.showProblem();
      const wrong = fields.all.find((field) => !field.isMet());
      alert.replaceChildren(...missingText(missing, words));
      alert.dataset.kind = "missing";
      (missing.find(({ target }) => target !== undefined)?.target ?? wrong?.control)?.focus();
      return missing.length === 0 && wrong === undefined;
    },
    setBusy: (busy) => {
      isBusy = busy;
      setAttribute(element, "aria-busy", busy ? "true" : undefined);
      if (busy) {
        alert.replaceChildren();
        announce(words.sending);
      }
      update();
    },
    showError: (text, reference) => {
      const more =
        reference === undefined ? undefined : el("p", { class: "reference" }, fill(words.reference, reference));
      alert.replaceChildren(el("p", {}, text), more ?? "");
      alert.dataset.kind = "error";
    },
  };
}

const missingText = (missing: readonly { readonly text: string }[], words: Words): Node[] =>
  missing.length === 0 ? [] : [el("p", {}, `${words.before} ${missing.map(({ text }) => text).join("; ")}.`)];

interface Fields {
  readonly elements: readonly HTMLElement[];
  readonly all: readonly Field[];
  answers(): Answers;
}

function createFields({ rendering, words, recorder }: FormOptions, onChange: () => void): Fields {
  const { rules, templateType, checkboxText } = rendering;
  const tick = (target: string) => (isTicked: boolean) => {
    recorder.ticked(target, isTicked);
    onChange();
  };
  const statement = (id: string, text: string, problem: string): Field =>
    createCheckbox({ id, text, required: true, problem, words, onTick: tick(id) });
  const boxes = (templateType === "CONSENT" ? rendering.purposes : []).map((purpose) => ({
    purpose,
    field: purposeBox(purpose, words, tick(purpose.key)),
  }));
  const agree = rules.checkbox ? statement("agree", checkboxText, words.tickBox) : undefined;
  const ageText = rules.minAge > 0 ? fill(words.age, rules.minAge) : words.fullAge;
  const age = rules.ageStatement ? statement("age", ageText, words.statement) : undefined;
  const name = rules.typedName ? createNameField(words, onChange) : undefined;
  const singles = [agree, age, name].filter((field) => field !== undefined);
  const legend = el("legend", {}, words.purposes);
  const group = el("fieldset", {}, legend, ...boxes.map(({ field }) => field.element));
  return {
    elements: [...(boxes.length > 0 ? [group] : []), ...singles.map(({ element }) => element)],
    all: [...boxes.map(({ field }) => field), ...singles],
    answers: () => ({
      purposes: new Map(boxes.map(({ purpose, field }) => [purpose.key, field.control.checked])),
      typedName: name?.control.value.trim() ?? "",
      statedAge: age?.control.checked === true,
    }),
  };
}

function purposeBox({ key, name, description, required }: Purpose, words: Words, onTick: (is: boolean) => void): Field {
  const id = `purpose-${key}`;
  return createCheckbox({
    id,
    text: name,
    description,
    required,
    isMarked: required,
    problem: words.tickBox,
    words,
    onTick,
  });
}

/** Something that a person ticks or types. */
interface Field {
  readonly element: HTMLElement;
  readonly control: HTMLInputElement;
  isMet(): boolean;
  /** Shows what is wrong as long as something is wrong. */
  showProblem(): void;
  hideProblem(): void;
}

interface CheckboxOptions {
  readonly id: string;
  readonly text: string;
  readonly description?: string;
  readonly required: boolean;
  /** Says that it is required; for a box among others that are not. */
  readonly isMarked?: boolean;
  readonly problem: string;
  readonly words: Words;
  readonly onTick: (isTicked: boolean) => void;
}

/** A box that is never ticked beforehand. */
function createCheckbox(options: CheckboxOptions): Field {
  const { id, text, description = "", required, isMarked = false, words, onTick } = options;
  // Some browsers restore on reload what was ticked before, unless they are told not to.
  const control = el("input", { type: "checkbox", id, autocomplete: "off", required });
  const label = el("label", { for: id }, text);
  if (isMarked) label.append(" ", el("span", { class: "mark" }, `(${words.required})`));
  const about = description === "" ? undefined : el("p", { class: "about", id: `${id}-about` }, description);
  const problem = createProblem(id, options.problem);
  const describe = (isShown: boolean): void => {
    const ids = [about?.id, isShown ? problem.id : undefined].filter((item) => item !== undefined).join(" ");
    setAttribute(control, "aria-describedby", ids === "" ? undefined : ids);
  };
  describe(false);
  const isMet = (): boolean => !required || control.checked;
  control.addEventListener("change", () => onTick(control.checked));
  // In a form, Enter on a box would press the button.
  control.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  const element = el("div", { class: "box" }, control, el("div", {}, label, about, problem));
  return { element, control, isMet, ...problemOf(control, problem, isMet, describe) };
}

/** Where a person signs by typing the name. */
function createNameField(words: Words, onInput: () => void): Field {
  const id = "name";
  const control = el("input", { type: "text", id, autocomplete: "name", required: true, maxlength: 255 });
  const problem = createProblem(id, fill(words.missing, words.typeName));
  const describe = (isShown: boolean): void =>
    setAttribute(control, "aria-describedby", isShown ? problem.id : undefined);
  const isMet = (): boolean => control.value.trim() !== "";
  control.addEventListener("input", onInput);
  const element = el("div", { class: "name" }, el("label", { for: id }, words.typeName), control, problem);
  return { element, control, isMet, ...problemOf(control, problem, isMet, describe) };
}

const createProblem = (id: string, text: string): HTMLElement =>
  el("p", { class: "problem", id: `${id}-problem`, hidden: true }, text);

function problemOf(
  control: HTMLInputElement,
  problem: HTMLElement,
  isMet: () => boolean,
  describe: (isShown: boolean) => void,
): Pick<Field, "showProblem" | "hideProblem"> {
  const show = (isShown: boolean): void => {
    problem.hidden = !isShown;
    setAttribute(control, "aria-invalid", isShown ? "true" : undefined);
    describe(isShown);
  };
  return {
    showProblem: () => show(!isMet()),
    hideProblem: () => {
      if (isMet()) show(false);
    },
  };
}
