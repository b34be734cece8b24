import type { Ceremony, PendingCheck } from "#api/ceremony.ts";
import { ApiError, api } from "./api.ts";
import { failureOf } from "./closing-view.ts";
import { button, element, show, whileBusy } from "./dom.ts";
import { fill, type SpokenLanguage } from "./languages.ts";
import { languagePicker } from "./menu.ts";
import type { Texts } from "./texts/texts.ts";

/** Asks for what has to be proved before anything is shown; resolves with what is shown then. */
export async function proveFirst(first: Ceremony, language: SpokenLanguage): Promise<Ceremony> {
  let ceremony = first;
  for (;;) {
    const check = ceremony.agreement === null ? ceremony.verification.find(isFirst) : undefined;
    if (check === undefined) return ceremony;
    await new Promise<void>((resolve, reject) => {
      const form = proofForm(check, ceremony.organizationName, language.texts, { level: "h1", resolve, reject });
      show(
        element(
          "main",
          { class: "card" },
          form,
          languagePicker(language, async () => undefined),
        ),
      );
      focusOn(form);
    });
    ceremony = await api.ceremony();
  }
}

const isFirst = ({ before }: PendingCheck): boolean => before === "viewing";

/** Asks for what has to be proved before the person finishes. False when they do not want to after all. */
export async function proveBeforeFinish({ organizationName }: Ceremony, texts: Texts): Promise<boolean> {
  for (;;) {
    const [check] = (await api.ceremony()).verification;
    if (check === undefined) return true;
    if (!(await askInDialog(check, organizationName, texts))) return false;
  }
}

function askInDialog(check: PendingCheck, sender: string, texts: Texts): Promise<boolean> {
  return new Promise((done, reject) => {
    const dialog = element("dialog", { class: "dialog", "aria-labelledby": "proof-heading" });
    const end = (isPassed: boolean): void => {
      done(isPassed);
      dialog.close();
    };
    const fail = (error: unknown): void => {
      reject(error);
      dialog.close();
    };
    const form = proofForm(check, sender, texts, { level: "h2", resolve: () => end(true), reject: fail });
    dialog.append(
      form,
      element(
        "div",
        { class: "row" },
        button(texts.cancel, () => end(false)),
      ),
    );
    dialog.addEventListener("close", () => {
      done(false);
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
    focusOn(form);
  });
}

/** The field, or the heading while there is no code to enter. */
const focusOn = (form: HTMLElement): void =>
  (
    form.querySelector<HTMLElement>("label:not([hidden]) input") ?? form.querySelector<HTMLElement>("#proof-heading")
  )?.focus();

interface Asked {
  readonly level: "h1" | "h2";
  /** Called once it is passed. */
  readonly resolve: () => void;
  /** Called with what nothing can be done about here. */
  readonly reject: (error: unknown) => void;
}

function proofForm(check: PendingCheck, sender: string, texts: Texts, { level, resolve, reject }: Asked): HTMLElement {
  const said = texts.proof;
  const form = element("form", { class: "proof", novalidate: true });
  const lock = (): void => {
    const heading = element(level, { id: "proof-heading", tabindex: "-1" }, said.lockedHeading);
    form.replaceChildren(heading, element("p", { role: "alert" }, fill(said.lockedText, { sender })));
    heading.focus();
  };
  if (check.isLocked) {
    lock();
    return form;
  }
  const parts = partsOf(check, sender, texts);
  const { input, problem } = parts;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    problem.replaceChildren();
    try {
      await work();
    } catch (error) {
      if (error instanceof ApiError && error.code === "VERIFICATION_LOCKED") lock();
      else if (error instanceof ApiError && error.isExpired) reject(error);
      else problem.replaceChildren(failureOf(error, texts));
    }
  };
  const say = (text: string): void => {
    problem.replaceChildren(text);
    input.setAttribute("aria-invalid", "true");
    input.focus();
  };
  const answer = async (): Promise<void> => {
    if (input.value.trim() === "") return say(said.missing);
    const { outcome, triesLeft } = await api.prove(check.method, input.value);
    if (outcome === "passed") return resolve();
    if (outcome === "locked") return lock();
    input.value = "";
    say(outcome === "wrong" ? fill(said.wrong, { count: String(triesLeft) }) : said.old);
  };
  const goOn = element("button", { type: "submit", class: "button primary" }, texts.continue);
  const resend = button(check.isSent ? said.again : said.send, () => void whileBusy(resend, () => attempt(send)));
  const showEntry = (): void => {
    parts.entry.hidden = false;
    goOn.hidden = false;
    resend.textContent = said.again;
  };
  const send = async (): Promise<void> => {
    const { sent, verification } = await api.sendCode(check.method);
    parts.news.textContent = sent ? fill(said.sentText, { address: check.hint }) : said.wait;
    if (sent || verification.isSent) showEntry();
    if (sent) input.focus();
  };
  const isMailed = check.method === "email_code";
  parts.entry.hidden = isMailed && !check.isSent;
  goOn.hidden = parts.entry.hidden;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void whileBusy(goOn, () => attempt(answer));
  });
  form.append(
    element(level, { id: "proof-heading", tabindex: "-1" }, said.heading),
    element("p", {}, fill(said.intro, { sender })),
    parts.news,
    parts.entry,
    problem,
    element("div", { class: "row" }, goOn, isMailed ? resend : null),
  );
  return form;
}

function partsOf({ method, hint, isSent }: PendingCheck, sender: string, texts: Texts) {
  const said = texts.proof;
  const isMailed = method === "email_code";
  const news = isMailed
    ? fill(isSent ? said.sentText : said.emailText, { address: hint })
    : fill(said.accessHint, { sender });
  const input = element("input", {
    ...{ type: "text", id: "proof", maxlength: 100, required: true, autocapitalize: "none", spellcheck: "false" },
    ...{ autocomplete: isMailed ? "one-time-code" : "off", inputmode: isMailed ? "numeric" : "text" },
    ...{ dir: "auto", "aria-describedby": "proof-problem" },
  });
  return {
    input,
    news: element("p", { role: "status" }, news),
    entry: element("label", { for: "proof" }, isMailed ? said.emailLabel : said.accessLabel, input),
    problem: element("p", { class: "problem", role: "alert", id: "proof-problem" }),
  };
}
