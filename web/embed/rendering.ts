import { el } from "./dom.ts";
import type { Recorder } from "./recorder.ts";
import { fill, formatSeconds, type Words } from "./words.ts";

/** What `GET /v1/click/render/…` answers as JSON, as far as a page needs it. */
export interface Rendering {
  readonly sessionId: string | undefined;
  readonly templateId: string | undefined;
  readonly templateType: string;
  readonly versionId: string | undefined;
  /** A draft is shown but cannot be accepted. */
  readonly isDraft: boolean;
  readonly locale: string;
  readonly title: string;
  readonly html: string;
  readonly contentHash: string | undefined;
  /** SHA-256 of the html. */
  readonly renderHash: string | undefined;
  /** What has changed since the person accepted an earlier text. */
  readonly changesHtml: string | undefined;
  readonly changesHash: string | undefined;
  readonly noticeText: string;
  readonly buttonText: string;
  readonly declineText: string;
  readonly checkboxText: string;
  readonly purposes: readonly Purpose[];
  readonly documents: readonly LinkedDocument[];
  /** The file that the text is; the html is then what it says, with a section for each page. */
  readonly pdf: Pdf | undefined;
  /** What is to be shown before the text. */
  readonly disclosure: Disclosure | undefined;
  readonly rules: Rules;
  readonly alreadyAccepted: boolean;
  readonly renderToken: string | undefined;
  readonly displayMode: DisplayMode | undefined;
  /** The look of the brand, in the words of a theme. */
  readonly brand: Readonly<Record<string, unknown>>;
  readonly theme: Readonly<Record<string, unknown>>;
}

export type DisplayMode = "INLINE" | "MODAL" | "LINK" | "FULL_PAGE";

/** What a person decides on by a box of its own. */
export interface Purpose {
  readonly key: string;
  readonly name: string;
  /** Details that the name leaves out. */
  readonly description: string;
  readonly required: boolean;
}

/** A document beside the text. */
export interface LinkedDocument {
  readonly name: string;
  readonly url: string;
  readonly mustRead: boolean;
}

/** A file that is shown page by page. */
export interface Pdf {
  readonly hash: string;
  readonly pages: readonly { readonly width: number; readonly height: number }[];
}

/** What people are told before they agree by electronic records. */
export interface Disclosure {
  readonly locale: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
}

/** What has to happen on the page before somebody can accept. */
export interface Rules {
  readonly checkbox: boolean;
  readonly scroll: boolean;
  readonly view: boolean;
  readonly minDisplaySeconds: number;
  readonly typedName: boolean;
  readonly ageStatement: boolean;
  /** 0 when the statement names no age. */
  readonly minAge: number;
  readonly decline: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads a rendering from the answer of the API; undefined when it is none. */
export function readRendering(value: unknown): Rendering | undefined {
  const json = objectOf(value);
  const html = textOf(json.html);
  const buttonText = textOf(json.buttonText);
  if (html === undefined || buttonText === undefined) return undefined;
  const templateType = textOf(json.templateType) ?? "STATIC";
  const changes = objectOf(json.changes);
  return {
    sessionId: textOf(json.sessionId),
    templateId: textOf(json.templateId),
    templateType,
    versionId: textOf(json.versionId),
    isDraft: json.isDraft === true || json.revision === 0,
    locale: textOf(json.locale) ?? "en",
    title: textOf(json.title) ?? "",
    html,
    contentHash: textOf(json.contentHash),
    renderHash: textOf(json.renderHash),
    changesHtml: textOf(changes.html),
    changesHash: textOf(changes.hash),
    noticeText: textOf(json.noticeText) ?? "",
    buttonText,
    declineText: textOf(json.declineText) ?? "",
    checkboxText: textOf(json.checkboxText) ?? buttonText,
    purposes: listOf(json.purposes).map(purposeOf),
    documents: listOf(json.documents).map(documentOf),
    pdf: pdfOf(json.pdf),
    disclosure: disclosureOf(json.disclosure),
    rules: rulesOf(templateType, objectOf(json.policy), objectOf(json.verification)),
    alreadyAccepted: json.alreadyAccepted === true,
    renderToken: textOf(json.renderToken),
    displayMode: displayModeOf(json.displayMode),
    brand: brandTheme(json.brand),
    theme: objectOf(json.theme),
  };
}

function brandTheme(value: unknown): Json {
  const { colors, font } = objectOf(value);
  const { button, buttonText } = objectOf(colors);
  return { accentColor: button, accentText: buttonText, fontFamily: font === "serif" ? "Georgia, serif" : undefined };
}

export const displayModeOf = (value: unknown): DisplayMode | undefined =>
  value === "INLINE" || value === "MODAL" || value === "LINK" || value === "FULL_PAGE" ? value : undefined;

function rulesOf(templateType: string, policy: Json, verification: Json): Rules {
  const minAge = positiveOf(policy.minAge);
  const mustPass = (method: string): boolean =>
    verification.mode !== "ANY" && listOf(verification.methods).some((item) => objectOf(item).method === method);
  return {
    // The boxes of a CONSENT template are its purposes.
    checkbox: policy.requireCheckbox === true && templateType !== "CONSENT",
    scroll: policy.requireScroll === true,
    view: policy.requireView === true,
    minDisplaySeconds: positiveOf(policy.minDisplaySeconds),
    typedName: policy.requireTypedName === true || mustPass("TYPED_NAME"),
    ageStatement: minAge > 0 || mustPass("AGE_STATEMENT"),
    minAge,
    decline: policy.allowDecline === true,
  };
}

function purposeOf(value: unknown): Purpose {
  const { purpose, key, name, text, description, required } = objectOf(value);
  const id = textOf(purpose) ?? textOf(key) ?? "";
  const [label = id, ...more] = new Set([name, text, description].map(textOf).filter((item) => item !== undefined));
  return { key: id, name: label, description: more.join(" "), required: required === true };
}

function documentOf(value: unknown): LinkedDocument {
  const { name, url, mustRead } = objectOf(value);
  return { name: textOf(name) ?? textOf(url) ?? "", url: textOf(url) ?? "", mustRead: mustRead === true };
}

function pdfOf(value: unknown): Pdf | undefined {
  const { hash, pages } = objectOf(value);
  const sizes = listOf(pages).map(objectOf);
  if (typeof hash !== "string" || sizes.length === 0) return undefined;
  return { hash, pages: sizes.map(({ width, height }) => ({ width: positiveOf(width), height: positiveOf(height) })) };
}

function disclosureOf(value: unknown): Disclosure | undefined {
  const { locale, title, text } = objectOf(value);
  const paragraphs = (textOf(text) ?? "").split("\n").filter((line) => line.trim() !== "");
  if (paragraphs.length === 0) return undefined;
  return { locale: textOf(locale) ?? "en", title: textOf(title) ?? "", paragraphs };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const positiveOf = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

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
