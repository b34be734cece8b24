import type { Ceremony, ConsentText } from "#api/ceremony.ts";
import { ApiError, api } from "./api.ts";
import { failureOf, leaveTo, showExpired } from "./closing-view.ts";
import { loadViewer, showDocuments } from "./documents-view.ts";
import { button, element, show, whileBusy } from "./dom.ts";
import { fill, type Language, type SpokenLanguage } from "./languages.ts";
import { languagePicker } from "./menu.ts";
import type { Texts } from "./texts/texts.ts";

/** Asks for the consent to electronic records; resolves when it is given and recorded. */
export function askForConsent(ceremony: Ceremony, language: SpokenLanguage, decline: () => void): Promise<void> {
  const { texts } = language;
  const agreement = ceremony.agreement;
  const sender = agreement?.organizationName || agreement?.senderName || "";
  const asked = textIn(ceremony.consent.texts, language);
  const problem = element("p", { class: "problem", role: "alert" });
  const box = element("input", { type: "checkbox", id: "consent" });
  const heading = element("h1", { tabindex: "-1" }, texts.consentHeading);
  return new Promise((resolve, reject) => {
    const goOn = button(
      texts.continue,
      () =>
        void whileBusy(goOn, async () => {
          if (!box.checked) {
            problem.textContent = texts.consentMissing;
            box.focus();
            return;
          }
          await api.consent(asked.textSha256, asked.locale).then(() => resolve(), reloadOr(reject));
        }),
      "primary",
    );
    show(
      element(
        "main",
        { class: "card" },
        element("p", { class: "small" }, fill(texts.from, { sender })),
        heading,
        element("p", { class: "subject", dir: "auto" }, agreement?.emailSubject ?? ""),
        agreement?.emailBlurb ? element("p", { class: "blurb", dir: "auto" }, agreement.emailBlurb) : null,
        element("p", {}, asked.introduction),
        element("ul", {}, ...asked.points.map((point) => element("li", {}, point))),
        element("label", { class: "choice", for: "consent" }, box, asked.agreement),
        problem,
        element("div", { class: "row" }, goOn, button(texts.decline, decline)),
        languagePicker(language, async () => undefined),
      ),
    );
    heading.focus();
    // Whether it comes is found out when the documents are shown.
    loadViewer().catch(() => undefined);
  });
}

/** The text in the language of the page, or the first one. */
function textIn(texts: readonly ConsentText[], { tag }: Language): ConsentText {
  const found = texts.find(({ locale }) => locale === tag) ?? texts[0];
  if (found === undefined) throw new Error("the service serves no text to consent to");
  return found;
}

/** The text has changed since it was shown: the person has to read the new one. */
const reloadOr =
  (reject: (error: unknown) => void) =>
  (error: unknown): void => {
    const isUnknown = error instanceof ApiError && error.details.some(({ field }) => field === "textSha256");
    if (isUnknown) location.reload();
    else reject(error);
  };

/** Asks for confirmation and a reason; undefined when the person does not decline after all. */
export function askForReason(texts: Texts): Promise<string | undefined> {
  const reason = element("textarea", { maxlength: 500, rows: 4, dir: "auto" });
  return new Promise((resolve) => {
    const dialog = element("dialog", { class: "dialog", "aria-labelledby": "decline-heading" });
    const finish = (answer: string | undefined): void => {
      resolve(answer);
      dialog.close();
    };
    dialog.append(
      element("h2", { id: "decline-heading" }, texts.declineHeading),
      element("p", {}, texts.declineWarning),
      element("label", {}, texts.declineReason, reason),
      element(
        "div",
        { class: "row" },
        button(texts.decline, () => finish(reason.value.trim()), "danger"),
        button(texts.cancel, () => finish(undefined)),
      ),
    );
    dialog.addEventListener("close", () => {
      resolve(undefined);
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
    reason.focus();
  });
}

/** A draft before it is sent: documents, who gets them, and the decision. */
export function showSender(ceremony: Ceremony, texts: Texts): void {
  const { agreement } = ceremony;
  const problems = element("div", { role: "alert" });
  const decide = (label: string, decision: "send" | "save" | "cancel", kind?: "primary") => {
    const pressed = button(
      label,
      () =>
        void whileBusy(pressed, async () => {
          try {
            const { returnUrl } = await api.decide(decision);
            leaveTo(returnUrl, texts.finishedHeading, decision === "send" ? texts.sentText : texts.closedText);
          } catch (error) {
            if (error instanceof ApiError && error.isExpired) showExpired(texts, ceremony.timeoutUrl);
            else problems.replaceChildren(refusalOf(error, texts));
          }
        }),
      kind,
    );
    return pressed;
  };
  const people = ceremony.others.map(({ name, email, role }) =>
    element("li", { dir: "auto" }, `${name}${email ? ` <${email}>` : ""} – ${texts.roles[role] ?? role}`),
  );
  const actions = [
    ceremony.kind === "send" ? decide(texts.send, "send", "primary") : null,
    ceremony.kind === "send" || ceremony.kind === "edit" ? decide(texts.save, "save") : null,
    decide(ceremony.kind === "look" ? texts.close : texts.cancel, "cancel"),
  ];
  show(
    element("header", { class: "top" }, element("h1", { dir: "auto" }, agreement?.emailSubject || texts.senderHeading)),
    element(
      "main",
      {},
      problems,
      people.length === 0
        ? null
        : element("section", { class: "people" }, element("h2", {}, texts.recipients), element("ul", {}, ...people)),
      showDocuments(agreement?.documents ?? [], texts, { hasDownloads: true }).root,
    ),
    element("footer", { class: "bar" }, element("div", { class: "row" }, ...actions)),
  );
}

/** The sender is shown the exact reason why a draft cannot be sent. */
const refusalOf = (error: unknown, texts: Texts): HTMLElement =>
  error instanceof ApiError && error.message !== "" && error.code !== "INTERNAL_ERROR"
    ? element("p", { class: "problem" }, error.message)
    : failureOf(error, texts);
