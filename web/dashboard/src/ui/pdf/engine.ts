import {
  getDocument,
  type PDFDocumentProxy,
  type PDFPageProxy,
  PDFWorker,
  TextLayer,
  VerbosityLevel,
} from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";

export interface PdfPage {
  /** From 1. */
  readonly number: number;
  /** In points, as the page is shown: a rotated page is as wide as it looks. */
  readonly width: number;
  readonly height: number;
}

export interface Pdf {
  readonly pages: readonly PdfPage[];
  /** A picture of a page, this many pixels for a point. */
  draw(page: number, scale: number, signal: AbortSignal): Promise<HTMLCanvasElement>;
  /** Lays the words of a page into an element, to be selected, searched and read aloud. */
  layText(page: number, container: HTMLElement, signal: AbortSignal): Promise<void>;
  close(): void;
}

const dataFolder = "/dashboard/assets/";

/** Throws when it is no PDF that can be read. */
export async function openPdf(data: Uint8Array): Promise<Pdf> {
  const { document, thread, close } = load(data);
  try {
    return pdfOf(await Promise.race([read(document), failureOf(thread)]), close);
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * How many form fields of a PDF somebody could fill in; 0 for what cannot be read, and for what was signed before, which
 * is taken as it is.
 */
export async function countFormFields(data: Uint8Array): Promise<number> {
  if (new TextDecoder("latin1").decode(data).includes("/ByteRange")) return 0;
  // A broken file is refused when it is sent, which says more than a warning here.
  const { document, thread, close } = load(data, VerbosityLevel.ERRORS);
  try {
    const fields = await Promise.race([document.then((one) => one.getFieldObjects()), failureOf(thread)]);
    // A map by their names, of which its types know nothing.
    const all = [...((fields ?? new Map()) as unknown as ReadonlyMap<string, readonly FieldObject[]>).values()];
    return all.filter((places) => places.some(isFillable)).length;
  } catch {
    return 0;
  } finally {
    close();
  }
}

interface FieldObject {
  readonly type?: string;
  readonly editable?: boolean;
}

const fillable: ReadonlySet<string> = new Set(["text", "checkbox", "radiobutton", "combobox", "listbox", "signature"]);

const isFillable = ({ type = "", editable = true }: FieldObject): boolean => editable && fillable.has(type);

function load(data: Uint8Array, verbosity: number = VerbosityLevel.WARNINGS) {
  const thread = startWorker();
  // Its types know no port.
  const worker = new PDFWorker({ port: thread as unknown as null, verbosity });
  const task = getDocument({
    data,
    verbosity,
    worker,
    cMapUrl: `${dataFolder}cmaps/`,
    standardFontDataUrl: `${dataFolder}standard_fonts/`,
    wasmUrl: `${dataFolder}wasm/`,
    enableXfa: false,
  });
  const close = (): void => {
    void task
      .destroy()
      .catch(() => undefined)
      .finally(() => thread.terminate());
  };
  return { document: task.promise, thread, close };
}

/** The one address from which a thread may be started. */
function startWorker(): Worker {
  const policy = window.trustedTypes?.createPolicy("pdf-worker", { createScriptURL: () => workerUrl });
  // The types of the browser know strings only.
  const address = (policy?.createScriptURL("") ?? workerUrl) as string;
  return new Worker(address, { type: "module" });
}

const failureOf = (worker: Worker): Promise<never> =>
  new Promise((_, reject) => {
    worker.addEventListener("error", (event) => reject(new Error(event.message)), { once: true });
  });

async function read(loading: Promise<PDFDocumentProxy>): Promise<readonly PDFPageProxy[]> {
  const document = await loading;
  return await Promise.all(Array.from({ length: document.numPages }, (_, index) => document.getPage(index + 1)));
}

function pdfOf(pages: readonly PDFPageProxy[], close: () => void): Pdf {
  const pageAt = (number: number): PDFPageProxy => {
    const page = pages[number - 1];
    if (page === undefined) throw new Error(`there is no page ${number}`);
    return page;
  };
  return {
    pages: pages.map((page, index) => {
      const { width, height } = page.getViewport({ scale: 1 });
      return { number: index + 1, width, height };
    }),
    draw: async (number, scale, signal) => {
      const page = pageAt(number);
      const viewport = page.getViewport({ scale });
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(viewport.width);
      canvas.height = Math.round(viewport.height);
      canvas.ariaHidden = "true";
      const task = page.render({ canvas, viewport });
      signal.addEventListener("abort", () => task.cancel(), { once: true });
      await task.promise;
      return canvas;
    },
    layText: async (number, container, signal) => {
      const page = pageAt(number);
      const viewport = page.getViewport({ scale: 1 });
      const layer = new TextLayer({ textContentSource: page.streamTextContent(), container, viewport });
      signal.addEventListener("abort", () => layer.cancel(), { once: true });
      await layer.render();
    },
    close,
  };
}

declare global {
  interface Window {
    /** Where the browser has it. */
    readonly trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL(given: string): string },
      ): { createScriptURL(given: string): unknown };
    };
  }
}
