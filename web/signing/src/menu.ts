import type { Ceremony } from "#api/ceremony.ts";
import { api } from "./api.ts";
import { certificateLink, pdfNameOf } from "./documents-view.ts";
import { button, element } from "./dom.ts";
import { fill, languages, rememberLanguage, type SpokenLanguage } from "./languages.ts";
import type { Texts } from "./texts/texts.ts";

interface MenuOptions {
  readonly ceremony: Ceremony;
  readonly language: SpokenLanguage;
  /** Null when there is nothing left to do. */
  readonly finishLater: ((event: Event) => void) | null;
  readonly decline: () => void;
  /** Saves what is left before the page is loaded again in another language. */
  readonly beforeReload: () => Promise<void>;
}

/** Everything but the next step: one button, and what it opens. */
export function createMenu(options: MenuOptions): readonly [HTMLButtonElement, HTMLElement] {
  const { ceremony, language, finishLater, decline } = options;
  const { texts } = language;
  const entry = (text: string, act: (event: Event) => void): HTMLButtonElement =>
    button(text, (event) => {
      list.hidePopover();
      act(event);
    });
  const downloads = (ceremony.agreement?.documents ?? []).map(({ documentId, name }) =>
    element(
      "a",
      { class: "button plain", href: api.documentUrl(documentId), download: "" },
      fill(texts.download, { document: pdfNameOf(name) }),
    ),
  );
  const list = element(
    "div",
    { id: "menu", class: "menu", popover: "auto", role: "group", "aria-label": texts.more },
    finishLater === null ? null : entry(texts.finishLater, finishLater),
    finishLater === null ? null : entry(texts.decline, decline),
    ...downloads,
    ceremony.hasCertificate ? certificateLink("button plain", texts) : null,
    entry(texts.whoSent, () => showSenderOf(ceremony, texts)),
    entry(texts.help, () =>
      tell(texts.help, element("ul", {}, ...texts.helpPoints.map((one) => element("li", {}, one))), texts),
    ),
    languagePicker(language, options.beforeReload),
  );
  const opener = element(
    "button",
    { type: "button", class: "button plain more", popovertarget: "menu", "aria-haspopup": "true" },
    texts.more,
  );
  return [opener, list];
}

/** Loads the page again in the language that is chosen. */
export function languagePicker(language: SpokenLanguage, beforeReload: () => Promise<void>): HTMLElement {
  const choices = languages.map(({ tag, name }) =>
    element("option", { value: tag, lang: tag, selected: tag === language.tag }, name),
  );
  const select = element("select", {}, ...choices);
  select.addEventListener("change", async () => {
    rememberLanguage(select.value);
    await beforeReload();
    location.reload();
  });
  return element("label", { class: "language" }, language.texts.language, select);
}

function showSenderOf({ agreement, reportAbuseUrl }: Ceremony, texts: Texts): void {
  if (agreement === null) return;
  const { senderName, organizationName, emailSubject, emailBlurb } = agreement;
  const sender = [senderName, organizationName]
    .filter((one, at, all) => one !== "" && all.indexOf(one) === at)
    .join(", ");
  tell(
    texts.whoSent,
    element(
      "div",
      {},
      element("p", { class: "subject", dir: "auto" }, sender),
      element("p", { dir: "auto" }, emailSubject),
      emailBlurb === "" ? null : element("p", { class: "blurb", dir: "auto" }, emailBlurb),
      element("p", {}, texts.whoSentAdvice),
      reportAbuseUrl === null ? null : element("p", {}, element("a", { href: reportAbuseUrl }, texts.reportAbuse)),
    ),
    texts,
  );
}

/** Something to be read, and closed again. */
function tell(heading: string, content: HTMLElement, texts: Texts): void {
  const dialog = element("dialog", { class: "dialog", "aria-labelledby": "told" });
  dialog.append(
    element("h2", { id: "told" }, heading),
    content,
    element(
      "div",
      { class: "row" },
      button(texts.close, () => dialog.close(), "primary"),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
