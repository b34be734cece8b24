import { directionOf } from "#platform/language.ts";
import { el, sha256Of, shadowWithStyles } from "./dom.ts";
import { DeliveryError, errorOf, toDeliveryError } from "./handover.ts";
import type { Mounted, MountOptions } from "./options.ts";
import { loadBeside } from "./pdf.ts";
import { type Rendering, readRendering } from "./rendering.ts";
import { type Shown, showRendering } from "./show.ts";
import css from "./style.css?inline";
import { chooseWords, fill, loadWords } from "./words.ts";

/** Shows the text of a session or deployment in an element of the page, and hands over what the person decides. */
export function mount(element: Element, given: MountOptions): Mounted {
  let options = given;
  const learn = async (locale: string): Promise<void> => {
    const words = await loadWords(locale, given.loadWords ?? (() => loadBeside("more-words.js", given.url)));
    options = { ...given, words: { ...words, ...given.words } };
  };
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
      await learn(rendering.locale);
      speak(root, rendering.locale);
      applyTheme(root, rendering.brand);
      applyTheme(root, { ...rendering.theme, accentText: undefined });
      if (host.isConnected) shown = showRendering({ element, root, options, rendering });
      fire(element, "assent:ready", { rendering });
      return rendering;
    } catch (cause) {
      const error = toDeliveryError(cause);
      await learn(earlyLanguage(given));
      showFailure(root, options, error, () => void load().catch(() => undefined));
      fire(element, "assent:error", { error });
      throw error;
    }
  };
  const ready = load();
  // The failure is shown on the page, so a page that ignores the promise must not get an unhandled rejection.
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

/** Fetches a rendering. Rejects with a DeliveryError. */
async function fetchRendering(url: string): Promise<Rendering> {
  const response = await fetch(url, {
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(30_000),
  }).catch(() => {
    throw new DeliveryError({});
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw errorOf(response, answer);
  return checkRendering(answer, response.headers.get("x-request-id") ?? undefined);
}

/** Makes sure that this is a rendering and that nobody has changed its text on the way. */
async function checkRendering(answer: unknown, requestId?: string): Promise<Rendering> {
  const rendering = readRendering(answer);
  if (rendering === undefined) throw new DeliveryError({ requestId, errorCode: "NO_RENDERING" });
  const { html, renderHash, changesHtml, changesHash } = rendering;
  if ((await isOther(html, renderHash)) || (await isOther(changesHtml, changesHash))) {
    throw new DeliveryError({ requestId, errorCode: "TEXT_CHANGED" });
  }
  return rendering;
}

/** Whether the text has another hash than its sender states. */
async function isOther(text: string | undefined, stated: string | undefined): Promise<boolean> {
  if (stated === undefined) return false;
  const own = await sha256Of(new TextEncoder().encode(text));
  return own !== undefined && own !== stated;
}

/** Applies the values of a theme that are known to be safe, and ignores all others. */
function applyTheme(root: HTMLElement, theme: Rendering["theme"]): void {
  const { accentColor, accentText, fontFamily, borderRadius } = theme;
  if (isCss("color", accentColor)) {
    root.style.setProperty("--accent", accentColor);
    const readable = isCss("color", accentText) ? accentText : readableOn(root, accentColor);
    if (readable !== undefined) root.style.setProperty("--on-accent", readable);
  }
  if (isCss("font-family", fontFamily)) root.style.setProperty("--font", fontFamily);
  if (isCss("border-radius", borderRadius)) root.style.setProperty("--radius", borderRadius);
}

// Values such as var() or url() could bring in anything.
const isCss = (property: string, value: unknown): value is string =>
  typeof value === "string" &&
  value.length <= 200 &&
  !/[;{}]|url\(|var\(/i.test(value) &&
  CSS.supports(property, value);

/** Black or white, whichever reads better; one of them always has a contrast of 4.5 or more. */
function readableOn(root: HTMLElement, color: string): string | undefined {
  const probe = document.createElement("span");
  probe.style.color = color;
  root.append(probe);
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(getComputedStyle(probe).color)?.slice(1);
  probe.remove();
  if (parts === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}
