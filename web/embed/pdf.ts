import { el, sha256Of } from "./dom.ts";
import type { MountOptions, OpenPdf, Viewer } from "./options.ts";
import type { Recorder } from "./recorder.ts";
import type { Pdf, Rendering } from "./rendering.ts";
import { fill, type Words } from "./words.ts";

/** A text that is a file, and where it comes from. */
export interface PdfSource extends Pdf {
  /** Undefined when the address is unknown: then people read the text of the file. */
  readonly url: string | undefined;
  readonly viewer: MountOptions["viewer"];
}

/** The address of this script; the viewer is loaded from beside it. */
const scriptUrl = (document.currentScript as HTMLScriptElement | null)?.src;

export function createPdfSource({ pdfUrl, url, viewer }: MountOptions, { pdf }: Rendering): PdfSource | undefined {
  if (pdf === undefined) return undefined;
  if (pdfUrl !== undefined || url === undefined) return { ...pdf, viewer, url: pdfUrl };
  const beside = new URL(url, location.href);
  beside.pathname += "/pdf";
  beside.searchParams.delete("format");
  return { ...pdf, viewer, url: beside.href };
}

/**
 * The pages of a file, each as a picture, and what it says for those who do not see it. When the file cannot be shown, its
 * text can be read instead. `ended` resolves when the last page is drawn, or cannot be.
 */
export function showPdf(pdf: PdfSource, spoken: DocumentFragment, recorder: Recorder, words: Words) {
  const sections = [...spoken.children];
  const file = load(pdf);
  let fail = (): void => undefined;
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const pages = pdf.pages.map(({ width, height }, index) => {
    const label = `${fill(words.page, index + 1)} / ${pdf.pages.length}`;
    const canvas = el("canvas", { "aria-hidden": "true" });
    const text = el("div", { class: "spoken" }, sections[index]);
    const element = el("div", { class: "page", role: "group", "aria-label": label }, canvas, text);
    element.style.aspectRatio = `${width} / ${height}`;
    element.style.maxWidth = `${Math.round(width * 1.6)}px`;
    const drawn = whenNear(element).then(async () => (await file).draw(index + 1, canvas, element.clientWidth));
    return { element, drawn };
  });
  const element = el("div", { class: "pages" }, ...pages.map((page) => page.element));
  const giveUp = (): void => {
    if (element.classList.contains("failed")) return;
    element.classList.add("failed");
    for (const page of pages) page.element.removeAttribute("style");
    element.prepend(el("p", { class: "problem", role: "alert" }, words.pdfFailed));
    recorder.displayed("pdf-text");
    fail();
  };
  file.catch(giveUp);
  for (const { drawn } of pages) drawn.catch(giveUp);
  pages[0]?.drawn.then(() => recorder.displayed("pdf")).catch(() => undefined);
  const last = pages.at(-1)?.drawn ?? Promise.resolve();
  const stop = (): void => void file.then(({ close }) => close()).catch(() => undefined);
  return { element, stop, ended: Promise.race([failed, last.catch(() => failed)]) };
}

/** Some screens before it can be seen. */
const whenNear = (element: Element): Promise<void> =>
  new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        resolve();
      },
      { rootMargin: "800px" },
    );
    observer.observe(element);
  });

/** Rejects when it cannot be had, and when it is not the file that is agreed to. */
async function load({ url, hash, viewer: own = () => loadViewer(url ?? "") }: PdfSource): Promise<OpenPdf> {
  if (url === undefined) throw new Error("no address");
  const bytes = fetch(url, { signal: AbortSignal.timeout(60_000) }).then(async (response) => {
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  });
  const [viewer, data] = await Promise.all([own(), bytes]);
  const found = await sha256Of(data);
  if (found !== undefined && found !== hash) throw new Error("another file");
  return viewer.openPdf(data);
}

const loadViewer = (url: string): Promise<Viewer> => loadBeside("pdf-viewer.js", url) as Promise<Viewer>;

/** From where this script comes; from where the text comes when the page has the script from somewhere else. */
export function loadBeside(file: string, url = ""): Promise<unknown> {
  const known = [scriptUrl, new URL(url, location.href).href].find((one) => one?.includes(apiPath));
  if (known === undefined) return Promise.reject(new Error("no address"));
  return import(/* @vite-ignore */ `${known.slice(0, known.indexOf(apiPath))}/signing/assets/viewer/${file}`);
}

const apiPath = "/v1/click/";
