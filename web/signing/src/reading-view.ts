import type { PDFDocumentProxy } from "pdfjs-dist";
import { element } from "./dom.ts";
import { fill } from "./languages.ts";
import type { Texts } from "./texts/texts.ts";

/** The text of a file, as long and as wide as the screen has room for. It is read when somebody wants to see it. */
export function readingView(document: () => Promise<PDFDocumentProxy>, name: string, texts: Texts): HTMLElement {
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
