import { api } from "./api.ts";
import { button, element, show, whileBusy } from "./dom.ts";
import { fill, type Language } from "./languages.ts";
import type { Ceremony } from "./model.ts";

/** Asks for the consent to electronic records; resolves when it is given and recorded. */
export function askForConsent(ceremony: Ceremony, { tag, texts }: Language, decline: () => void): Promise<void> {
  const agreement = ceremony.agreement;
  const sender = agreement?.organizationName || agreement?.senderName || "";
  const introduction = fill(texts.consentIntroduction, { sender });
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
          // What was shown is what is recorded.
          const shown = [introduction, ...texts.consentPoints, texts.consentAgree].join("\n");
          await api.consent(await sha256(shown), tag).then(() => resolve(), reject);
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
        element("p", {}, introduction),
        element("ul", {}, ...texts.consentPoints.map((point) => element("li", {}, point))),
        element("label", { class: "choice", for: "consent" }, box, texts.consentAgree),
        problem,
        element("div", { class: "row" }, goOn, button(texts.decline, decline)),
      ),
    );
    heading.focus();
  });
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
