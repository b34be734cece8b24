import type { TabToFill as Tab } from "#api/tabs.ts";
import { api } from "./api.ts";
import { element, icon } from "./dom.ts";
import { type Fields, isPassive, isSignature } from "./fields.ts";
import { pictureOf } from "./handwriting.ts";
import { fill } from "./languages.ts";
import type { Texts } from "./texts/texts.ts";

/** A field as it is seen and used. */
export interface FieldControl {
  readonly tab: Tab;
  /** What is laid over the page; radio groups have one for each choice. */
  readonly parts: readonly { readonly node: HTMLElement; readonly page: number; readonly box: Box }[];
  focus(): void;
  /** Shows what the field has become. */
  update(): void;
  showProblem(message: string | undefined): void;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ControlContext {
  readonly fields: Fields;
  readonly texts: Texts;
  /** Asks for the signature or the initials when there are none yet, or to change them. */
  adopt(tab: Tab): void;
  decline(): void;
  finish(): void;
  /** What the service will fill in; empty when only it knows. */
  preview(type: string): string;
}

export function createControl(tab: Tab, context: ControlContext): FieldControl {
  if (isSignature(tab)) return signatureControl(tab, context);
  if (tab.type === "radio-group") return radioControl(tab, context);
  if (tab.type === "attachment") return attachmentControl(tab, context);
  if (isPassive(tab)) return passiveControl(tab, context);
  if (tab.type === "decline") return actionControl(tab, context, context.texts.decline, () => context.decline());
  if (tab.type === "approve") {
    return actionControl(tab, context, context.texts.approve, () => context.finish());
  }
  return inputControl(tab, context);
}

/** What a person who cannot see the page is told of a field. */
function labelOf(tab: Tab, texts: Texts): string {
  const name = [tab.tooltip, tab.name].find((text) => text !== "") ?? texts.fields[tab.type] ?? tab.label;
  return fill(texts.fieldState, { name, state: tab.required ? texts.required : texts.optional });
}

/** What the field is for and what to do, while the person is at it; its label says the same to those who listen. */
function hintOf(tab: Tab, texts: Texts): HTMLElement | null {
  const hint = texts.hints[tab.type];
  if (hint === undefined || tab.locked) return null;
  return element("span", { class: "field-hint", "aria-hidden": "true" }, `${labelOf(tab, texts)}. ${hint}`);
}

function single(
  tab: Tab,
  node: HTMLElement,
  control: HTMLElement,
  context: ControlContext,
  update: () => void,
): FieldControl {
  const problem = element("span", { class: "field-problem", id: `problem-${tab.tabId}`, hidden: true });
  const frame = element(
    "div",
    { class: `field ${tab.type}`, id: `field-${tab.tabId}` },
    ...[node, problem, hintOf(tab, context.texts)],
  );
  return {
    tab,
    parts: [{ node: frame, page: tab.page, box: tab }],
    focus: () => {
      frame.scrollIntoView({ block: "center", inline: "center", behavior: "auto" });
      control.focus({ preventScroll: true });
    },
    update: () => {
      frame.hidden = !context.fields.isShown(tab);
      frame.classList.toggle("required", tab.required && !tab.locked && !isPassive(tab));
      frame.classList.toggle("done", context.fields.isDone(tab) && !isPassive(tab));
      update();
    },
    showProblem: (message) => {
      problem.hidden = message === undefined;
      problem.textContent = message ?? "";
      frame.classList.toggle("wrong", message !== undefined);
      markInvalid(control, message === undefined ? undefined : problem.id);
    },
  };
}

/** Buttons cannot be invalid, but what is wrong with them can be told. */
function markInvalid(control: HTMLElement, problemId: string | undefined): void {
  const names = control instanceof HTMLButtonElement ? ["aria-describedby"] : ["aria-invalid", "aria-describedby"];
  for (const name of names) {
    if (problemId === undefined) control.removeAttribute(name);
    else control.setAttribute(name, name === "aria-invalid" ? "true" : problemId);
  }
}

/** A button's words, and a drawing that is left of them where there is no room. */
const labelled = (drawing: Parameters<typeof icon>[0], text: string, words = "words"): readonly Node[] => [
  icon(drawing),
  element("span", { class: words }, text),
];

function signatureControl(tab: Tab, context: ControlContext): FieldControl {
  const { fields, texts } = context;
  const invitation = tab.type === "signature" ? texts.signHere : texts.initialHere;
  const control = element("button", { type: "button", class: "sign", onclick: () => context.adopt(tab) });
  return single(tab, control, control, context, () => {
    const adopted = tab.type === "signature" ? fields.signature : fields.initials;
    const isSigned = fields.isDone(tab) && adopted !== null;
    control.replaceChildren(...(isSigned ? [pictureOf(adopted)] : labelled("pen", invitation)));
    control.title = isSigned ? "" : invitation;
    const state = isSigned ? texts.signed : tab.required ? texts.required : texts.optional;
    // Screen readers announce the visible label as part of the name.
    const shown = isSigned && adopted.drawnPng === "" ? `${invitation}: ${adopted.typed}` : invitation;
    control.setAttribute("aria-label", fill(texts.fieldState, { name: shown, state }));
  });
}

function actionControl(tab: Tab, context: ControlContext, text: string, act: () => void): FieldControl {
  const words = labelled(tab.type === "decline" ? "cross" : "tick", text);
  const control = element("button", { type: "button", class: "action", title: text, onclick: act }, ...words);
  return single(tab, control, control, context, () => undefined);
}

/** What a signer attaches is sent at once, so that a slow connection does not spoil the end. */
function attachmentControl(tab: Tab, context: ControlContext): FieldControl {
  const { fields, texts } = context;
  const input = element("input", { type: "file", accept: "application/pdf,image/*", hidden: true });
  const control = element("button", { type: "button", class: "action", onclick: () => input.click() });
  let attached = "";
  const made = single(tab, control, control, context, () => {
    const name = attached === "" ? texts.attached : attached;
    const state = fields.isDone(tab) ? name : texts.attach;
    control.replaceChildren(...(fields.isDone(tab) ? labelled("tick", state, "words name") : labelled("clip", state)));
    control.setAttribute("aria-label", `${labelOf(tab, texts)}: ${state}`);
    control.title = state;
  });
  control.after(input);
  input.addEventListener("change", async () => {
    const file = input.files?.[0];
    if (file === undefined) return;
    control.setAttribute("aria-busy", "true");
    try {
      const { asAttached } = await import("./photo.ts");
      const sent = await asAttached(file);
      if (sent.size > maxAttachmentBytes) throw new Error("the file is too large");
      const contentBase64 = await base64Of(sent);
      const { value } = await api.attach({ tabId: tab.tabId, fileName: file.name, contentBase64 });
      made.showProblem(undefined);
      attached = file.name;
      fields.set(tab, value);
    } catch {
      made.showProblem(texts.attachmentFailed);
    } finally {
      // The same file may be chosen again.
      input.value = "";
      control.removeAttribute("aria-busy");
    }
  });
  return made;
}

const maxAttachmentBytes = 5 * 1024 * 1024;

const base64Of = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result).split(",")[1] ?? ""));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });

function passiveControl(tab: Tab, context: ControlContext): FieldControl {
  const node = element("span", { class: "passive", dir: "auto" });
  return single(tab, node, node, context, () => {
    const value = context.fields.valueOf(tab) || context.preview(tab.type);
    const name = context.texts.fields[tab.type] ?? tab.label;
    node.textContent = value === "" ? name : value;
    const state = context.texts.filledWhenFinished;
    node.title = tab.type === "note" ? name : fill(context.texts.fieldState, { name, state });
  });
}

function inputControl(tab: Tab, context: ControlContext): FieldControl {
  const { fields, texts } = context;
  const control = makeInput(tab, texts);
  control.setAttribute("aria-label", labelOf(tab, texts));
  control.title = tab.tooltip;
  if (tab.required) control.setAttribute("aria-required", "true");
  if (tab.locked) control.setAttribute("disabled", "");
  const read = (): string =>
    control instanceof HTMLInputElement && control.type === "checkbox" ? String(control.checked) : control.value;
  control.addEventListener("input", () => fields.set(tab, read()));
  return single(tab, control, control, context, () => {
    const value = fields.valueOf(tab);
    if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === "true";
    else if (control.value !== value) control.value = value;
  });
}

/** Taller than a line and a half: there is room for several lines. */
const severalLines = 32;

function makeInput(tab: Tab, texts: Texts): HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement {
  if (tab.type === "list") {
    const choices = tab.items.map(({ text, value }) => element("option", { value }, text));
    return element("select", {}, element("option", { value: "" }, texts.chooseOne), ...choices);
  }
  if (tab.type === "text" && tab.height >= severalLines) {
    return element("textarea", { maxlength: maxLengthOf(tab), dir: "auto" });
  }
  const input = element("input", {
    type: inputTypes[tab.type] ?? "text",
    dir: "auto",
    autocomplete: autocomplete[tab.type] ?? "off",
  });
  input.maxLength = maxLengthOf(tab);
  if (tab.type === "number") input.inputMode = "decimal";
  return input;
}

/** What the service takes of any field. */
const longest = 10_000;
const maxLengthOf = ({ maxLength }: Tab): number => Math.min(maxLength || longest, longest);

const inputTypes: Readonly<Record<string, string>> = { checkbox: "checkbox", email: "email", date: "text" };

const autocomplete: Readonly<Record<string, string>> = {
  email: "email",
  company: "organization",
  title: "organization-title",
};

/** As large as a finger needs on most pages. */
const radioSize = 12;

function radioControl(tab: Tab, context: ControlContext): FieldControl {
  const { fields, texts } = context;
  const inputs = tab.buttons.map(({ value }) => {
    const input = element("input", {
      type: "radio",
      name: `radio-${tab.tabId}`,
      value,
      "aria-label": `${labelOf(tab, texts)}: ${value}`,
      onchange: () => fields.set(tab, value),
    });
    input.disabled = tab.locked;
    return input;
  });
  const problem = element("span", { class: "field-problem", id: `problem-${tab.tabId}`, hidden: true });
  const frames = inputs.map((input, index) =>
    index === 0
      ? element("div", { class: "field radio-group", id: `field-${tab.tabId}` }, input, problem, hintOf(tab, texts))
      : element("div", { class: "field radio-group" }, input, hintOf(tab, texts)),
  );
  return {
    tab,
    parts: frames.map((node, index) => {
      const { page, x, y } = tab.buttons[index] ?? tab;
      return { node, page, box: { x, y, width: radioSize, height: radioSize } };
    }),
    focus: () => {
      const target = inputs.find(({ checked }) => checked) ?? inputs[0];
      target?.scrollIntoView({ block: "center", inline: "center", behavior: "auto" });
      target?.focus({ preventScroll: true });
    },
    update: () => {
      for (const input of inputs) input.checked = input.value === fields.valueOf(tab);
      for (const frame of frames) {
        frame.hidden = !fields.isShown(tab);
        frame.classList.toggle("required", tab.required);
        frame.classList.toggle("done", fields.isDone(tab));
      }
    },
    showProblem: (message) => {
      problem.hidden = message === undefined;
      problem.textContent = message ?? "";
      for (const [index, input] of inputs.entries()) {
        frames[index]?.classList.toggle("wrong", message !== undefined);
        markInvalid(input, message === undefined ? undefined : problem.id);
      }
    },
  };
}
