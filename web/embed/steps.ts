import { el } from "./dom.ts";
import type { Recorder } from "./recorder.ts";
import type { Rendering } from "./rendering.ts";
import { fill, formatSeconds, type Words } from "./words.ts";

/** What has to happen with the text before somebody can accept it. */
export interface Steps {
  /** Undefined when the text asks for nothing. */
  readonly element: HTMLElement | undefined;
  update(): void;
  /** The texts of what is still missing, with where to go for each. */
  missing(): readonly { readonly text: string; readonly target: HTMLElement | undefined }[];
  stop(): void;
}

export interface StepsOptions {
  readonly rendering: Rendering;
  readonly recorder: Recorder;
  readonly words: Words;
  readonly language: string;
  /** Documents of which one was opened when any of these names was. */
  readonly toOpen: readonly DocumentToOpen[];
  /** Where what is told before the text is read. */
  readonly disclosureTarget: HTMLElement | undefined;
  /** Where the text is read. */
  readonly textTarget: HTMLElement;
  readonly announce: (text: string) => void;
  readonly onChange: () => void;
}

export interface DocumentToOpen {
  readonly name: string;
  readonly anyOf: readonly string[];
  readonly target: HTMLElement;
}

interface Step {
  readonly text: () => string;
  readonly isMet: () => boolean;
  readonly target: HTMLElement | undefined;
  /** Said when it is met. */
  readonly whenMet: () => string;
}

export function createSteps(options: StepsOptions): Steps {
  const { words, announce } = options;
  const steps = listSteps(options);
  const items = steps.map((step) => ({
    step,
    text: el("span"),
    state: el("span", { class: "unseen" }),
    wasMet: false,
  }));
  const rows = items.map((item) => ({ ...item, row: el("li", {}, item.text, item.state) }));
  const update = (): void => {
    for (const item of rows) {
      const isMet = item.step.isMet();
      if (isMet && !item.wasMet) announce(item.step.whenMet());
      item.wasMet = isMet;
      item.text.textContent = item.step.text();
      item.state.textContent = isMet ? ` (${words.done})` : "";
      item.row.classList.toggle("met", isMet);
    }
  };
  update();
  const list = el("ul", { role: "list" }, ...rows.map(({ row }) => row));
  return {
    element: steps.length === 0 ? undefined : el("div", { class: "steps" }, el("p", {}, words.before), list),
    update,
    missing: () => steps.filter((step) => !step.isMet()).map(({ text, target }) => ({ text: text(), target })),
    stop: startCountdown(options, update),
  };
}

function listSteps(options: StepsOptions): Step[] {
  const { rendering, recorder, words, toOpen, textTarget, disclosureTarget } = options;
  const { rules, disclosure } = rendering;
  const steps: Step[] = [];
  const add = (text: string, isMet: () => boolean, target: HTMLElement | undefined): void => {
    steps.push({ text: () => text, isMet, target, whenMet: () => `${text}: ${words.done}` });
  };
  if (disclosure !== undefined) {
    add(fill(words.readDisclosure, disclosure.title), () => recorder.isDisclosed, disclosureTarget);
  }
  if (rules.scroll) add(words.readToEnd, () => recorder.isScrolledToEnd, textTarget);
  for (const { name, anyOf, target } of rules.view ? toOpen : []) {
    const isOpened = (): boolean => anyOf.some((item) => recorder.documentsOpened.includes(item));
    add(fill(words.openDocument, name), isOpened, target);
  }
  if (rules.minDisplaySeconds > 0) steps.push(waitStep(options));
  return steps;
}

function waitStep({ rendering, recorder, words, language }: StepsOptions): Step {
  const left = (): number => secondsLeft(rendering, recorder);
  return {
    text: () => (left() > 0 ? fill(words.wait, formatSeconds(left(), language)) : words.waitOver),
    isMet: () => left() === 0,
    target: undefined,
    whenMet: () => words.waitOver,
  };
}

function secondsLeft({ rules }: Rendering, recorder: Recorder): number {
  const shown = recorder.displayedMs() ?? 0;
  return Math.max(0, Math.ceil(rules.minDisplaySeconds - shown / 1000));
}

/** The seconds left at which the countdown is announced: few, so that screen readers can read the text in between. */
const saidAt = new Set([300, 120, 60, 30, 10, 5]);

function startCountdown(options: StepsOptions, update: () => void): () => void {
  const { rendering, recorder, words, language, announce, onChange } = options;
  if (rendering.rules.minDisplaySeconds === 0) return () => undefined;
  let last: number | undefined;
  const timer = setInterval(() => {
    if (recorder.displayedMs() === undefined) return;
    const left = secondsLeft(rendering, recorder);
    if (left === last) return;
    if (left > 0 && (last === undefined || saidAt.has(left))) {
      announce(fill(words.wait, formatSeconds(left, language)));
    }
    last = left;
    update();
    if (left > 0) return;
    clearInterval(timer);
    onChange();
  }, 100);
  return () => clearInterval(timer);
}
