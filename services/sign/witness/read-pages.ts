import { createHash, type Hash } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";

/** One step of drawing, as pdf.js has it. */
export interface Step {
  /** As pdf.js names it: `showText`, `constructPath`. */
  readonly name: string;
  readonly given: readonly unknown[];
}

export interface ReadPage {
  /** The part that is shown, how it is turned, and the size of a unit. */
  readonly view: readonly number[];
  readonly rotate: number;
  readonly userUnit: number;
  readonly steps: readonly Step[];
  /** Remarks and form fields, with how they look and what they do. */
  readonly remarks: readonly string[];
}

/** A PDF as pdf.js reads it, which is what people have signed by. */
export interface PageReader {
  readonly pages: number;
  read(number: number): Promise<ReadPage>;
  /** The steps as texts that are equal when the same is drawn: what pdf.js numbers by the file is numbered anew. */
  digestOf(steps: readonly Step[], into: Hash): void;
  close(): Promise<void>;
}

const assets = (folder: string) =>
  fileURLToPath(new URL(`./${folder}/`, import.meta.resolve("pdfjs-dist/package.json")));

/** In this thread: the process is the fence. */
async function loadLibrary() {
  const [library, worker] = await Promise.all([
    import("pdfjs-dist/legacy/build/pdf.mjs"),
    import("pdfjs-dist/legacy/build/pdf.worker.mjs" as string),
  ]);
  Object.assign(globalThis, { pdfjsWorker: worker });
  return library;
}

/** Without `withImages` larger pictures are left out, as the structure of the file has told already that they are the same. */
export async function readPages(bytes: Uint8Array, withImages: boolean): Promise<PageReader> {
  const { getDocument, OPS } = await loadLibrary();
  const names = new Map(Object.entries(OPS).map(([name, code]) => [code, name]));
  const task = getDocument({
    // It is taken over by the library.
    data: new Uint8Array(bytes),
    cMapUrl: assets("cmaps"),
    cMapPacked: true,
    standardFontDataUrl: assets("standard_fonts"),
    ...{ disableFontFace: true, useSystemFonts: false, useWasm: false, useWorkerFetch: false },
    ...{ isOffscreenCanvasSupported: false, isImageDecoderSupported: false, isEvalSupported: false },
    maxImageSize: withImages ? -1 : 1,
    verbosity: 0,
  });
  const document = await task.promise;
  const known = new Map<string, string>();
  return {
    pages: document.numPages,
    read: (number) => readPage(document, number, names, withImages),
    digestOf: (steps, into) => {
      for (const { name, given } of steps) into.update(`${name} ${written(given, known)}\n`);
    },
    close: () => task.destroy(),
  };
}

async function readPage(
  document: PDFDocumentProxy,
  number: number,
  names: ReadonlyMap<number, string>,
  withImages: boolean,
): Promise<ReadPage> {
  const page = await document.getPage(number);
  const [list, annotations] = [await page.getOperatorList(), await page.getAnnotations()];
  const steps: Step[] = [];
  for (const [index, code] of list.fnArray.entries()) {
    const [name, given] = [names.get(code) ?? String(code), (list.argsArray[index] ?? []) as readonly unknown[]];
    // Says when something is to be fetched, and draws nothing.
    if (name === "dependency") continue;
    const images = withImages && name.startsWith("paintImage") ? [await imageHash(page, given[0])] : [];
    steps.push({ name, given: [...given, ...images] });
  }
  const { view, rotate, userUnit } = page;
  page.cleanup();
  const remarks = annotations.map((one) => written(one, new Map()));
  return { view: [...view], rotate, userUnit, steps, remarks };
}

/** A picture that cannot be shown is the same as another one. */
async function imageHash(page: PDFPageProxy, id: unknown): Promise<string> {
  if (typeof id !== "string") return "";
  const objects = id.startsWith("g_") ? page.commonObjs : page.objs;
  const image = await new Promise<{ data?: Uint8Array } | null>((resolve) => objects.get(id, resolve));
  return createHash("sha256")
    .update(image?.data ?? "")
    .digest("hex");
}

/** Names that pdf.js gives to fonts, pictures and patterns of a file, and numbers as they come. */
const givenName = /^(?:g_)?(?:d\d+_|annot_|img_|mask_|pattern_)/;

const written = (value: unknown, known: Map<string, string>): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "string" && givenName.test(part)) {
      const name = known.get(part) ?? `#${known.size}`;
      known.set(part, name);
      return name;
    }
    if (ArrayBuffer.isView(part)) {
      return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("base64");
    }
    return part instanceof Map || part instanceof Set ? [...part] : part;
  });
