import { button, element } from "./dom.ts";
import type { Texts } from "./texts/texts.ts";

/** Asks whether somebody really declines, and why; undefined when not. */
export function askForReason(texts: Texts): Promise<string | undefined> {
  const reason = element("textarea", { maxlength: 500, rows: 4 });
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
