import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy, type PDFPageProxy } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";

export { TextLayer } from "pdfjs-dist";

// Of this very file: on pages of others it is loaded from here, too.
const own = (path: string): string => new URL(path, import.meta.url).href;

GlobalWorkerOptions.workerSrc = own(workerUrl);

const dataFolder = "/signing/assets/";

/** A file, by its address or its bytes. */
export const loadPdf = (source: { readonly url: string } | { readonly data: Uint8Array }): Promise<PDFDocumentProxy> =>
  getDocument({
    ...source,
    cMapUrl: own(`${dataFolder}cmaps/`),
    standardFontDataUrl: own(`${dataFolder}standard_fonts/`),
    wasmUrl: own(`${dataFolder}wasm/`),
    enableXfa: false,
  }).promise;

/** Sharp on screens with small dots, but never so large that a telephone runs out of memory. */
const maxPixelWidth = 2_400;

/** Draws a page for this width on the screen, with at least so many pixels for a point. */
export async function drawPage(
  page: PDFPageProxy,
  canvas: HTMLCanvasElement,
  width: number,
  leastScale = 1,
): Promise<void> {
  const natural = page.getViewport({ scale: 1 });
  const wanted = Math.min(
    maxPixelWidth,
    Math.max(width * Math.min(window.devicePixelRatio, 3), natural.width * leastScale),
  );
  const viewport = page.getViewport({ scale: Math.max(1, wanted / natural.width) });
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  await page.render({ canvas, viewport }).promise;
}

/** For scripts that are built without this file, as the one that customers' pages embed. */
export async function openPdf(data: Uint8Array) {
  const pdf = await loadPdf({ data });
  return {
    draw: async (number: number, canvas: HTMLCanvasElement, width: number): Promise<void> =>
      drawPage(await pdf.getPage(number), canvas, width),
    close: (): void => void pdf.loadingTask.destroy(),
  };
}
