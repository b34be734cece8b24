import { el, setAttribute } from "./dom.ts";
import { fill, type Words } from "./words.ts";

/** Something that a person ticks or types. */
export interface Field {
  readonly element: HTMLElement;
  readonly control: HTMLInputElement;
  isMet(): boolean;
  /** Shows what is wrong as long as something is wrong. */
  showProblem(): void;
  hideProblem(): void;
}

export interface CheckboxOptions {
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
export function createCheckbox(options: CheckboxOptions): Field {
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
export function createNameField(words: Words, onInput: () => void): Field {
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
