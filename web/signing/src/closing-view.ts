import { button, element, show } from "./dom.ts";
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

export const showExpired = (texts: Texts, timeoutUrl: string | null = null): void =>
  showClosing(
    texts.expiredHeading,
    texts.expiredText,
    timeoutUrl === null ? undefined : { label: texts.goBack, url: timeoutUrl },
  );
