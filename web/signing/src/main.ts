import type { Ceremony } from "#api/ceremony.ts";
import { ApiError, api } from "./api.ts";
import type { Autosave } from "./autosave.ts";
import { hasDoneTheirPart, leaveTo, showClosing, showExpired, showOutcome } from "./closing-view.ts";
import { element, show } from "./dom.ts";
import { chooseLanguage, directionOf, fill, type Language, rememberedLanguage } from "./languages.ts";
import { failureOf, showSigning } from "./signing-view.ts";
import type { Texts } from "./texts/texts.ts";
import { askForConsent, askForReason, showSender } from "./views.ts";

const idleMs = 60 * 60_000;

async function start(): Promise<void> {
  let language = chooseLanguage(navigator.languages);
  show(element("main", { class: "card" }, element("p", { role: "status" }, language.texts.loading)));
  try {
    const ceremony = await api.ceremony();
    language = useLanguage(ceremony);
    watchIdle(ceremony, language.texts);
    if (ceremony.kind !== "recipient") {
      showSender(ceremony, language.texts);
      return;
    }
    if (ceremony.canAct && ceremony.consent.required && ceremony.consent.givenAt === null) {
      await askForConsent(ceremony, language, () => void declineSigning(ceremony, language.texts));
    }
    const read = () =>
      showSigning(ceremony, language, (autosave) => void declineSigning(ceremony, language.texts, autosave));
    if (hasDoneTheirPart(ceremony)) showOutcome(ceremony, language.texts, read);
    else read();
  } catch (error) {
    showFailure(error, language.texts);
  }
}

/** The one that the person has chosen, or that of the recipient; else what the browser prefers. */
function useLanguage({ recipient, agreement }: Ceremony): Language {
  const language = chooseLanguage([rememberedLanguage(), recipient?.locale ?? "", ...navigator.languages]);
  document.documentElement.lang = language.tag;
  document.documentElement.dir = directionOf(language.tag);
  document.title = fill(language.texts.title, { subject: agreement?.emailSubject ?? "" });
  return language;
}

async function declineSigning({ timeoutUrl, agreement }: Ceremony, texts: Texts, autosave?: Autosave): Promise<void> {
  const reason = await askForReason(texts);
  if (reason === undefined) return;
  await autosave?.hold();
  try {
    const { returnUrl } = await api.decline(reason);
    leaveTo(returnUrl, texts.declinedHeading, fill(texts.declinedText, { subject: agreement?.emailSubject ?? "" }));
  } catch (error) {
    showFailure(error, texts, timeoutUrl);
  }
}

function showFailure(error: unknown, texts: Texts, timeoutUrl: string | null = null): void {
  if (error instanceof ApiError && error.isExpired) showExpired(texts, timeoutUrl);
  else showClosing(texts.failed, failureOf(error, texts).textContent ?? "");
}

/** The session ends on the server as well; here it is only shown. */
function watchIdle({ timeoutUrl }: Ceremony, texts: Texts): void {
  let timer = 0;
  const restart = (): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (timeoutUrl === null) showExpired(texts);
      else location.assign(timeoutUrl);
    }, idleMs);
  };
  for (const event of ["pointerdown", "keydown", "scroll"])
    document.addEventListener(event, restart, { passive: true });
  restart();
}

void start();
