import type { PDFDocumentProxy } from "pdfjs-dist";
import type { CeremonyDocument } from "#api/ceremony.ts";
import { api } from "./api.ts";
import { element } from "./dom.ts";
import { fill } from "./languages.ts";
import type { Texts } from "./texts/texts.ts";

/** A page on the screen; fields are laid over it. */
export interface ShownPage {
  readonly documentId: string;
  /** From 1. */
  readonly number: number;
  readonly fields: HTMLElement;
  readonly width: number;
  readonly height: number;
}

export interface DocumentsView {
  readonly root: HTMLElement;
  readonly pages: readonly ShownPage[];
  /** Makes the pages so large that a field can be read and typed in, where they are smaller than that. */
  zoomTo(field: HTMLElement): void;
}

/** The pages of all documents, one below the other. Pages are drawn when they come near the screen. */
export function showDocuments(
  documents: readonly CeremonyDocument[],
  texts: Texts,
  { hasDownloads = false } = {},
): DocumentsView {
  const pages: ShownPage[] = [];
  const sections = documents.map((one) => {
    const problem = element("p", { class: "problem", role: "alert", hidden: true }, texts.documentFailed);
    const loaded = load(one.documentId);
    loaded.catch(() => {
      problem.hidden = false;
    });
    const frames = one.pages.map((size, index) => {
      const fields = element("div", { class: "fields" });
      const label = fill(texts.pageOf, { document: one.name, page: index + 1, pages: one.pages.length });
      const frame = element("div", { class: "page", role: "region", "aria-label": label });
      frame.style.aspectRatio = `${size.width} / ${size.height}`;
      frame.style.setProperty("--widest", `${Math.round(size.width * 1.6)}px`);
      frame.append(fields);
      pages.push({ documentId: one.documentId, number: index + 1, fields, ...size });
      drawWhenNear(frame, fields, () => loaded, index + 1);
      return frame;
    });
    const download = element(
      "a",
      { class: "download", href: api.documentUrl(one.documentId), download: "" },
      fill(texts.download, { document: pdfNameOf(one.name) }),
    );
    const extras = [hasDownloads ? download : null, readingView(() => loaded, one.name, texts)];
    return element(
      "section",
      { "aria-label": one.name },
      element("h2", { dir: "auto" }, one.name),
      ...extras,
      problem,
      element("div", { class: "pages" }, ...frames),
    );
  });
  const root = element("div", { class: "documents" }, ...sections);
  return { root, pages, zoomTo: zoomIn(root) };
}

/** Of a completed agreement. */
export const certificateLink = (look: string, texts: Texts): HTMLElement =>
  element("a", { class: look, href: api.documentUrl("certificate"), download: "" }, texts.downloadCertificate);

/** What is downloaded is a PDF, whatever it was made from. */
export const pdfNameOf = (name: string): string =>
  name.replace(/\.(?:html?|txt|docx?|odt|rtf|xlsx|pptx|png|jpe?g)$/i, ".pdf");

/** Pixels that a point has at least where somebody types: text of 11 points is as large as that of the page then. */
const legibleScale = 1.45;
const maxZoom = 3;

/** Pages are larger within a frame that scrolls for itself, until the person touches something else or presses Escape. */
function zoomIn(root: HTMLElement): (field: HTMLElement) => void {
  const set = (zoom: number): void => {
    root.style.setProperty("--zoom", String(zoom));
    root.classList.toggle("zoomed", zoom > 1);
  };
  const leave = (target: EventTarget | null): void => {
    const isField = target instanceof Element && target.closest(".field, .bar, dialog") !== null;
    if (!isField) set(1);
  };
  root.addEventListener("pointerup", ({ target }) => leave(target));
  root.addEventListener("keydown", ({ key }) => key === "Escape" && leave(null));
  return (field) => {
    set(1);
    const page = field.closest<HTMLElement>(".page");
    const points = Number.parseFloat(page?.style.aspectRatio ?? "");
    if (page === null || !(points > 0)) return;
    // The whole field stays on the screen.
    const fits = (root.clientWidth - 2 * margin) / Math.max(1, field.offsetWidth);
    set(Math.max(1, Math.min((legibleScale * points) / page.clientWidth, fits, maxZoom)));
    field.scrollIntoView({ block: "center", inline: "center", behavior: "auto" });
  };
}

const margin = 12;

/** What draws pages is larger than the rest of this page: it comes while the person reads what they consent to. */
export const loadViewer = () => import("./pdf-viewer.ts");

const load = async (documentId: string): Promise<PDFDocumentProxy> =>
  (await loadViewer()).loadPdf({ url: api.documentUrl(documentId) });

function drawWhenNear(
  frame: HTMLElement,
  before: HTMLElement,
  document: () => Promise<PDFDocumentProxy>,
  number: number,
): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      draw(frame, before, document, number).catch(() => frame.classList.add("failed"));
    },
    { rootMargin: "800px" },
  );
  observer.observe(frame);
}

async function draw(
  frame: HTMLElement,
  before: HTMLElement,
  document: () => Promise<PDFDocumentProxy>,
  number: number,
): Promise<void> {
  const { drawPage, TextLayer } = await loadViewer();
  const page = await (await document()).getPage(number);
  const natural = page.getViewport({ scale: 1 });
  const canvas = element("canvas", { "aria-hidden": "true" });
  const layer = element("div", { class: "text-layer" });
  frame.insertBefore(canvas, before);
  frame.insertBefore(layer, before);
  // Sharp when somebody makes it larger, too.
  await drawPage(page, canvas, frame.clientWidth, 2);
  await new TextLayer({
    textContentSource: page.streamTextContent(),
    container: layer,
    viewport: natural,
  }).render();
  keepScale(frame, layer, natural.width);
}

/** The layer is laid out in points; this is how many pixels a point has. */
function keepScale(frame: HTMLElement, layer: HTMLElement, width: number): void {
  const apply = (): void => layer.style.setProperty("--total-scale-factor", String(frame.clientWidth / width));
  apply();
  new ResizeObserver(apply).observe(frame);
}

/** The text of a file, as long and as wide as the screen has room for. It is read when somebody wants to see it. */
function readingView(document: () => Promise<PDFDocumentProxy>, name: string, texts: Texts): HTMLElement {
  const content = element("div", {
    class: "reading",
    role: "region",
    "aria-label": fill(texts.readAsTextOf, { document: name }),
  });
  const view = element("details", {}, element("summary", {}, texts.readAsText), content);
  view.addEventListener(
    "toggle",
    async () => {
      content.replaceChildren(element("p", { role: "status" }, texts.loading));
      try {
        content.replaceChildren(
          element("p", { class: "small" }, texts.readNote),
          ...(await pagesOf(await document(), texts)),
        );
      } catch {
        content.replaceChildren(element("p", { class: "problem", role: "alert" }, texts.documentFailed));
      }
    },
    { once: true },
  );
  return view;
}

async function pagesOf(document: PDFDocumentProxy, texts: Texts): Promise<HTMLElement[]> {
  const parts: HTMLElement[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    const found = paragraphsOf(items.flatMap((item) => ("str" in item ? [item] : [])));
    parts.push(element("h3", {}, fill(texts.readPage, { page: number })));
    const empty = found.length === 0 ? [texts.readEmpty] : found;
    parts.push(...empty.map((one) => element("p", { dir: "auto" }, one)));
  }
  return parts;
}

interface TextRun {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  /** Of which the last two are where it stands, from the lower left corner. */
  readonly transform: readonly number[];
}

/** Lines that follow closely are one paragraph; a word that was divided at the end of a line is joined again. */
function paragraphsOf(runs: readonly TextRun[]): string[] {
  const paragraphs: string[] = [];
  let text = "";
  let last: { readonly y: number; readonly height: number } | undefined;
  const end = (): void => {
    if (text.trim() !== "") paragraphs.push(text.trim().replaceAll(/\s+/g, " "));
    text = "";
  };
  for (const { str, transform, height } of runs) {
    if (str.trim() === "") {
      if (str !== "") text += " ";
      continue;
    }
    const y = transform[5] ?? 0;
    const step = last === undefined ? 0 : Math.abs(last.y - y);
    const size = Math.max(last?.height ?? 0, height, 1);
    const isNewLine = last !== undefined && step > size * 0.5;
    // Another size of letters begins a heading or ends one.
    const isOther = last !== undefined && Math.abs(last.height - height) > size * 0.15 && isNewLine;
    if (isNewLine && (step > size * 1.9 || isOther)) end();
    else if (isNewLine) text = /\p{L}-$/u.test(text) && /^\p{Ll}/u.test(str) ? text.slice(0, -1) : `${text} `;
    text += str;
    last = { y, height: height || size };
  }
  end();
  return paragraphs;
}
