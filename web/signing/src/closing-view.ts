import type { Ceremony, CeremonyDocument } from "#api/ceremony.ts";
import { ApiError, api } from "./api.ts";
import { certificateLink, pdfNameOf } from "./documents-view.ts";
import { button, element, show } from "./dom.ts";
import { fill, type SpokenLanguage } from "./languages.ts";
import type { Texts } from "./texts/texts.ts";

/** The last page for somebody who is not sent on automatically, or who cannot go on. */
export function showClosing(
  heading: string,
  text: string,
  goOn?: { readonly label: string; readonly url: string },
): void {
  const title = element("h1", { tabindex: "-1" }, heading);
  const further = goOn === undefined ? null : button(goOn.label, () => location.assign(goOn.url), "primary");
  show(element("main", { class: "card" }, title, element("p", {}, text), further));
  title.focus();
}

/** Goes to the return address of the integration, or says that everything is done when there is none. */
export function leaveTo(returnUrl: string | null, heading: string, text: string): void {
  if (returnUrl === null) showClosing(heading, text);
  else location.assign(returnUrl);
}

/** The session is over on the server as well; what was entered is kept there. */
export const showIdle = (texts: Texts): void => showClosing(texts.idleHeading, texts.idleText);

export const showExpired = (texts: Texts, timeoutUrl: string | null = null): void =>
  showClosing(
    texts.expiredHeading,
    texts.expiredText,
    timeoutUrl === null ? undefined : { label: texts.goBack, url: timeoutUrl },
  );

/** Whether the person has done their part: there is nothing to fill in, but there is something to tell. */
export const hasDoneTheirPart = ({ canAct, recipient }: Ceremony): boolean =>
  !canAct && recipient?.status === "completed" && actingRoles.has(recipient.role);

const actingRoles = new Set(["signer", "in-person-signer", "approver"]);

const askAgainMs = 3_000;
/** Some ten minutes. */
const maxAsks = 16;

/** What has become of the agreement for somebody who has done their part, now and when they come back. */
export function showOutcome(first: Ceremony, { tag, texts }: SpokenLanguage, read: () => void): void {
  const title = element("h1", { tabindex: "-1" });
  const news = element("div", { role: "status" });
  const files = element("ul", { class: "files" });
  let status = "";
  const tell = (ceremony: Ceremony): void => {
    const { agreement } = ceremony;
    if (agreement === null) return;
    ({ status } = agreement);
    title.textContent = status === "completed" ? texts.completeHeading : texts.finishedHeading;
    news.replaceChildren(...newsOf(ceremony, tag, texts).map((text) => element("p", { dir: "auto" }, text)));
    // What is about to be sealed is not offered without its signatures for that moment.
    files.replaceChildren(...(status === "completing" ? [] : agreement.documents.map(fileOf)));
    if (ceremony.hasCertificate) files.append(element("li", {}, certificateLink("download", texts)));
    if (status === "completing") askLater();
  };
  const fileOf = ({ documentId, name }: CeremonyDocument): HTMLElement => {
    const isSealed = status === "completed";
    const label = fill(isSealed ? texts.downloadSealed : texts.downloadUnsigned, { document: pdfNameOf(name) });
    const link = { class: isSealed ? "button primary" : "download", href: api.documentUrl(documentId), download: "" };
    return element("li", {}, element("a", link, label));
  };
  // Less and less often, and not for ever: whoever asks keeps the session open.
  let asked = 0;
  const askLater = (): void => {
    if (asked < maxAsks) window.setTimeout(() => void ask(), askAgainMs * 2 ** Math.min(asked++, 4));
  };
  const ask = async (): Promise<void> => {
    if (!news.isConnected) return;
    try {
      tell(await api.ceremony());
    } catch (error) {
      if (error instanceof ApiError && error.isExpired) location.reload();
      else askLater();
    }
  };
  // Others have gone on while the page was not looked at.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && status !== "completed") void ask();
  });
  show(
    element(
      "main",
      { class: "card" },
      title,
      element("p", { class: "subject", dir: "auto" }, first.agreement?.emailSubject ?? ""),
      news,
      files,
      element("div", { class: "row" }, button(texts.readPages, read)),
      element("p", { class: "small" }, texts.closedText),
    ),
  );
  tell(first);
  title.focus();
}

/** What has happened, whom it waits for, and what comes by mail. */
function newsOf({ agreement, recipient, others, timeoutUrl }: Ceremony, tag: string, texts: Texts): string[] {
  // Mails are sent to those whose link came by mail; an integration tells its own people in its own way.
  const email = timeoutUrl === null ? (recipient?.email ?? "") : "";
  const mailed = (text: string): string[] => (email === "" ? [] : [fill(text, { email })]);
  if (agreement?.status === "completed") return [texts.outcomeComplete, ...mailed(texts.outcomeMailed)];
  const later = mailed(texts.outcomeMailLater);
  if (agreement?.status === "completing") return [texts.outcomeSealing, ...later];
  const names = others.filter(isAwaited).map(({ name }) => name);
  const people = new Intl.ListFormat(tag, { type: "conjunction" }).format(names);
  return [texts.outcomeWaiting, ...(people === "" ? [] : [fill(texts.outcomeWaitingFor, { people })]), ...later];
}

/** A copy waits for nobody, and nobody for a copy. */
const isAwaited = ({ role, status, name }: Ceremony["others"][number]): boolean =>
  role !== "carbon-copy" && status !== "completed" && name !== "";

export function failureOf(error: unknown, texts: Texts): HTMLElement {
  if (error instanceof ApiError && error.isLocked) return element("p", { class: "problem" }, texts.locked);
  const reference =
    error instanceof ApiError && error.requestId !== "" ? fill(texts.reference, { id: error.requestId }) : "";
  return element("p", { class: "problem" }, `${texts.failed} ${reference}`);
}
