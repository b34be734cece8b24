import { directionOf } from "#platform/language.ts";
import { el, parseSafeHtml, setAttribute, shadowWithStyles, whenSeen } from "./dom.ts";
import { type PdfSource, showPdf } from "./pdf.ts";
import type { Recorder } from "./recorder.ts";
import type { Rendering } from "./rendering.ts";
import css from "./text.css?inline";
import type { Words } from "./words.ts";

/** The text that is to be agreed to. */
export interface TextView {
  readonly element: HTMLElement;
  /** The text begins with its own title, so that nobody has to repeat it. */
  readonly hasTitle: boolean;
  /** Addresses outside of the page that it links to. */
  readonly links: readonly string[];
  stop(): void;
}

const hintId = "assent-opens-new-tab";

/** Undefined when the text is not safe to show. */
export function createText(
  rendering: Rendering,
  recorder: Recorder,
  words: Words,
  pdf: PdfSource | undefined,
): TextView | undefined {
  const fragment = parseSafeHtml(rendering.html);
  if (fragment === undefined) return undefined;
  const { element, shadow } = createRegion(rendering, rendering.title || rendering.buttonText);
  const end = el("div", { class: "end" });
  const hint = el("span", { id: hintId, hidden: true, lang: "" }, words.newTab);
  const links = [...fragment.querySelectorAll("a[href]")].filter((link) => /^https:/i.test(hrefOf(link)));
  for (const link of links) openInNewTab(link);
  const firstHeading = fragment.firstElementChild?.matches("h1, h2") ? fragment.firstElementChild.textContent : null;
  const pages = pdf === undefined ? undefined : showPdf(pdf, fragment, recorder, words);
  shadow.append(pages?.element ?? fragment, end, hint);
  const stopWatching = watchEnd(end, recorder, pages?.ended);
  shadow.addEventListener("click", (event) => followLink(event, shadow, recorder));
  shadow.addEventListener("auxclick", (event) => followLink(event, shadow, recorder));
  return {
    element,
    hasTitle: firstHeading?.trim() === rendering.title.trim(),
    links: links.map(hrefOf),
    stop: () => {
      stopWatching();
      pages?.stop();
    },
  };
}

/** What has changed since the person accepted an earlier text; "" when nothing is told, undefined when it is not safe. */
export function createChanges(rendering: Rendering, recorder: Recorder): HTMLElement | "" | undefined {
  const { changesHtml } = rendering;
  if (changesHtml === undefined) return "";
  const fragment = parseSafeHtml(changesHtml);
  if (fragment === undefined) return undefined;
  const { element, shadow } = createRegion(rendering, fragment.firstElementChild?.textContent ?? "");
  shadow.append(fragment);
  whenSeen(element, () => recorder.displayed("changes"));
  return element;
}

function createRegion({ locale }: Rendering, label: string) {
  const element = el("div", {
    class: "text",
    role: "region",
    tabindex: 0,
    "aria-label": label,
    lang: locale,
    dir: directionOf(locale),
  });
  // A tree of its own: neither its classes nor its ids can touch the controls around it.
  return { element, shadow: shadowWithStyles(element, css) };
}

const hrefOf = (link: Element): string => link.getAttribute("href") ?? "";

function openInNewTab(link: Element): void {
  setAttribute(link, "target", "_blank");
  setAttribute(link, "rel", "noopener noreferrer");
  setAttribute(link, "aria-describedby", hintId);
}

function followLink(event: Event, shadow: ShadowRoot, recorder: Recorder): void {
  const link = (event.target as Element).closest("a[href]");
  if (link === null) return;
  const href = hrefOf(link);
  if (!href.startsWith("#")) {
    recorder.opened(href);
    return;
  }
  // Browsers look for the target of a fragment outside of shadow trees only.
  event.preventDefault();
  const target = shadow.getElementById(href.slice(1));
  if (target === null) return;
  setAttribute(target, "tabindex", -1);
  target.focus();
}

/** Tells when the end of the text was on the screen, however the reader got there; that of a file once it is drawn. */
function watchEnd(end: Element, recorder: Recorder, drawn: Promise<void> = Promise.resolve()): () => void {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    recorder.displayed();
    void drawn.then(recorder.scrolledToEnd);
  });
  observer.observe(end);
  return () => observer.disconnect();
}
