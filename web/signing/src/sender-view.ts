import type { Ceremony } from "#api/ceremony.ts";
import { ApiError, api } from "./api.ts";
import { leaveTo, showExpired } from "./closing-view.ts";
import { showDocuments } from "./documents-view.ts";
import { button, element, show, whileBusy } from "./dom.ts";
import { failureOf } from "./signing-view.ts";
import type { Texts } from "./texts/texts.ts";

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
    element("li", {}, `${name}${email ? ` <${email}>` : ""} – ${role}`),
  );
  const actions = [
    ceremony.kind === "send" ? decide(texts.send, "send", "primary") : null,
    ceremony.kind === "send" || ceremony.kind === "edit" ? decide(texts.save, "save") : null,
    decide(ceremony.kind === "look" ? texts.close : texts.cancel, "cancel"),
  ];
  show(
    element("header", { class: "top" }, element("h1", {}, agreement?.emailSubject || texts.senderHeading)),
    element(
      "main",
      {},
      problems,
      people.length === 0
        ? null
        : element("section", { class: "people" }, element("h2", {}, texts.recipients), element("ul", {}, ...people)),
      showDocuments(agreement?.documents ?? [], texts).root,
    ),
    element("footer", { class: "bar" }, element("div", { class: "row" }, ...actions)),
  );
}

/** Why a draft cannot be sent is for the sender to know. */
const refusalOf = (error: unknown, texts: Texts): HTMLElement =>
  error instanceof ApiError && error.message !== "" && error.code !== "INTERNAL_ERROR"
    ? element("p", { class: "problem" }, error.message)
    : failureOf(error, texts);
