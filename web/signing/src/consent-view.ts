import type { Ceremony, ConsentText } from "#api/ceremony.ts";
import { ApiError, api } from "./api.ts";
import { button, element, show, whileBusy } from "./dom.ts";
import { fill, type Language } from "./languages.ts";

/** Asks for the consent to electronic records; resolves when it is given and recorded. */
export function askForConsent(ceremony: Ceremony, language: Language, decline: () => void): Promise<void> {
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
        element("p", { class: "subject" }, agreement?.emailSubject ?? ""),
        agreement?.emailBlurb ? element("p", { class: "blurb" }, agreement.emailBlurb) : null,
        element("p", {}, asked.introduction),
        element("ul", {}, ...asked.points.map((point) => element("li", {}, point))),
        element("label", { class: "choice", for: "consent" }, box, asked.agreement),
        problem,
        element("div", { class: "row" }, goOn, button(texts.decline, decline)),
      ),
    );
    heading.focus();
  });
}

/** In the language of the page; the service has the same ones. */
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
