import { el, shadowWithStyles } from "./dom.ts";
import { type DeliveryError, toDeliveryError } from "./handover.ts";
import { checkRendering, fetchRendering } from "./load.ts";
import type { Mounted, MountOptions } from "./options.ts";
import type { Rendering } from "./rendering.ts";
import { type Shown, showRendering } from "./show.ts";
import css from "./style.css?inline";
import { directionOf } from "./text.ts";
import { applyTheme } from "./theme.ts";
import { chooseWords, fill } from "./words.ts";

/** Shows the text of a session or deployment in an element of the page, and hands over what the person decides. */
export function mount(element: Element, options: MountOptions): Mounted {
  // An element of its own in a shadow root: styles of the page do not come in, and ours do not get out.
  const host = document.createElement("assent-embed");
  const root = el("div", { class: "root" });
  shadowWithStyles(host, css).append(root);
  if (options.colorScheme !== undefined) {
    root.style.colorScheme = options.colorScheme === "auto" ? "light dark" : options.colorScheme;
  }
  element.append(host);
  let shown: Shown | undefined;
  const load = async (): Promise<Rendering> => {
    showLoading(root, options);
    try {
      const { url } = options;
      const rendering = url === undefined ? await checkRendering(options.rendering) : await fetchRendering(url);
      speak(root, rendering.locale);
      applyTheme(root, rendering.theme);
      if (host.isConnected) shown = showRendering({ element, root, options, rendering });
      fire(element, "assent:ready", { rendering });
      return rendering;
    } catch (cause) {
      const error = toDeliveryError(cause);
      showFailure(root, options, error, () => void load().catch(() => undefined));
      fire(element, "assent:error", { error });
      throw error;
    }
  };
  const ready = load();
  // Who does not ask for it sees the failure on the page.
  ready.catch(() => undefined);
  return {
    ready,
    open: () => void ready.then(() => shown?.open()).catch(() => undefined),
    close: () => shown?.close(),
    unmount: () => {
      shown?.stop();
      host.remove();
    },
  };
}

const fire = (element: Element, name: string, detail: object): boolean =>
  element.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));

function speak(root: HTMLElement, locale: string): void {
  root.lang = locale;
  root.dir = directionOf(locale);
}

const earlyLanguage = ({ language }: MountOptions): string => language ?? (document.documentElement.lang || "en");

function showLoading(root: HTMLElement, options: MountOptions): void {
  const { words, language } = chooseWords(earlyLanguage(options), options.words);
  speak(root, language);
  root.replaceChildren(el("p", { class: "card loading", role: "status" }, words.loading));
}

function showFailure(root: HTMLElement, options: MountOptions, error: DeliveryError, retry: () => void): void {
  const { words } = chooseWords(earlyLanguage(options), options.words);
  const { errorCode, requestId } = error;
  const isExpired = errorCode === "CLICK_SESSION_EXPIRED" || errorCode === "TOKEN_EXPIRED";
  const text = isExpired ? words.expired : errorCode === "TEXT_UNSAFE" ? words.unsafe : words.loadFailed;
  const button = el("button", { type: "button", class: "secondary" }, words.retry);
  button.addEventListener("click", retry);
  const reference =
    requestId === undefined ? undefined : el("p", { class: "reference" }, fill(words.reference, requestId));
  const canRetry = options.url !== undefined && !isExpired;
  root.replaceChildren(
    el(
      "div",
      { class: "card failure" },
      el("div", { role: "alert" }, el("p", {}, text), reference ?? ""),
      canRetry ? button : "",
    ),
  );
}
