import type { Ceremony } from "#api/ceremony.ts";
import { ApiError, api } from "./api.ts";
import { button, element, show } from "./dom.ts";
import { fill } from "./languages.ts";
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
export function showOutcome(ceremony: Ceremony, texts: Texts, read: () => void): void {
  const { agreement, recipient, timeoutUrl } = ceremony;
  if (agreement === null || recipient === null) return;
  // Mails are sent to those whose link came by mail; an integration tells its own people in its own way.
  const email = timeoutUrl === null ? recipient.email : "";
  const title = element("h1", { tabindex: "-1" }, texts.finishedHeading);
  const news = element("div", { role: "status" });
  const files = element("ul", { class: "files" });
  const tell = (status: string): void => {
    const isComplete = status === "completed";
    const stage = isComplete
      ? texts.outcomeComplete
      : status === "completing"
        ? texts.outcomeSealing
        : texts.outcomeWaiting;
    const mail = isComplete ? texts.outcomeMailed : texts.outcomeMailLater;
    news.replaceChildren(element("p", {}, stage), ...(email === "" ? [] : [element("p", {}, fill(mail, { email }))]));
    const label = isComplete ? texts.downloadSealed : texts.download;
    files.replaceChildren(
      ...agreement.documents.map(({ documentId, name }) =>
        element(
          "li",
          {},
          element(
            "a",
            { class: "download", href: api.documentUrl(documentId), download: "" },
            fill(label, { document: name }),
          ),
        ),
      ),
    );
    if (status === "completing") askLater();
  };
  // Less and less often, and not for ever: whoever asks keeps the session open.
  let asked = 0;
  const askLater = (): void => {
    if (asked < maxAsks) window.setTimeout(() => void ask(), askAgainMs * 2 ** Math.min(asked++, 4));
  };
  const ask = async (): Promise<void> => {
    if (!news.isConnected) return;
    try {
      tell((await api.ceremony()).agreement?.status ?? agreement.status);
    } catch (error) {
      if (error instanceof ApiError && error.isExpired) location.reload();
      else askLater();
    }
  };
  show(
    element(
      "main",
      { class: "card" },
      title,
      element("p", { class: "subject", dir: "auto" }, agreement.emailSubject),
      news,
      files,
      element("div", { class: "row" }, button(texts.readPages, read)),
    ),
  );
  tell(agreement.status);
  title.focus();
}
