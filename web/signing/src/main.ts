import type { Ceremony } from "#api/ceremony.ts";
import { directionOf } from "#platform/language.ts";
import { ApiError, api } from "./api.ts";
import type { Autosave } from "./autosave.ts";
import { applyBrand } from "./brand.ts";
import {
  failureOf,
  hasDoneTheirPart,
  leaveTo,
  showClosing,
  showExpired,
  showIdle,
  showOutcome,
} from "./closing-view.ts";
import { element, show } from "./dom.ts";
import { fill, loadLanguage, rememberedLanguage, type SpokenLanguage } from "./languages.ts";
import { proveFirst } from "./proof-view.ts";
import { showSigning } from "./signing-view.ts";
import type { Texts } from "./texts/texts.ts";
import { askForConsent, askForReason, showSender } from "./views.ts";

const idleMs = 60 * 60_000;

async function start(): Promise<void> {
  const asked = api.ceremony();
  // Whatever it answers is looked at below.
  asked.catch(() => undefined);
  let language = await useLanguage([rememberedLanguage(), ...navigator.languages]);
  show(element("main", { class: "card" }, element("p", { role: "status" }, language.texts.loading)));
  try {
    const first = await asked;
    applyBrand(first.brand, first.organizationName);
    const ceremony = await proveFirst(first, language);
    const { agreement, recipient } = ceremony;
    // The one that the person has chosen, or that of the recipient; else what the browser prefers.
    language = await useLanguage([rememberedLanguage(), recipient?.locale ?? "", ...navigator.languages]);
    document.title = fill(language.texts.title, { subject: agreement?.emailSubject ?? "" });
    const { texts } = language;
    watchIdle(ceremony, texts);
    if (ceremony.kind !== "recipient") {
      showSender(ceremony, texts);
      return;
    }
    if (ceremony.canAct && ceremony.consent.required && ceremony.consent.givenAt === null) {
      await askForConsent(ceremony, language, () => void declineSigning(ceremony, texts));
    }
    const read = () => showSigning(ceremony, language, (autosave) => void declineSigning(ceremony, texts, autosave));
    if (hasDoneTheirPart(ceremony)) showOutcome(ceremony, language, read);
    else read();
  } catch (error) {
    showFailure(error, language.texts);
  }
}

async function useLanguage(wanted: readonly string[]): Promise<SpokenLanguage> {
  const language = await loadLanguage(wanted);
  document.documentElement.lang = language.tag;
  document.documentElement.dir = directionOf(language.tag);
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
  else if (error instanceof ApiError && error.isLocked) showClosing(texts.locked, "");
  else showClosing(texts.failed, failureOf(error, texts).textContent ?? "");
}

/** The session ends on the server as well; here it is only shown. */
function watchIdle({ timeoutUrl }: Ceremony, texts: Texts): void {
  let timer = 0;
  const restart = (): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (timeoutUrl === null) showIdle(texts);
      else location.assign(timeoutUrl);
    }, idleMs);
  };
  for (const event of ["pointerdown", "keydown", "scroll"])
    document.addEventListener(event, restart, { passive: true });
  restart();
}

// A file of the page may be missing for a moment while another release is started.
void start().catch(() =>
  show(element("main", { class: "card" }, element("p", { role: "alert" }, "This page did not load. Reload it."))),
);
