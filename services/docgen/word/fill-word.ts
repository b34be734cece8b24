import { FileProblem, writePackage } from "#platform/office-package.ts";
import { RenderError } from "../renderer/render-job.ts";
import { isImageData } from "../templating/image-address.ts";
import type { OutputValue } from "../templating/liquid-state.ts";
import {
  dataError,
  imageExpected,
  renderMarked,
  type TemplateRendering,
  templateError,
} from "../templating/render-template.ts";
import type { TemplateSource } from "../templating/template-source.ts";
import { firstChunk, readWord, type WordTemplate } from "./read-word.ts";
import { createPictures, type Pictures, textValue } from "./word-values.ts";

/** Characters of all filled parts. */
const maxText = 32 * 1024 * 1024;

type Filling = Omit<TemplateRendering, "template"> & {
  /** Called once for each picture of the data before it is shown; may throw. */
  readonly onPicture?: (address: string) => void;
};

/**
 * A Word file with data in place of its tags. Values are text, whatever they hold, or pictures where pictures are. The same
 * data give the same bytes. Throws a RenderError: GEN_INVALID_DATA when a value is to blame, GEN_TEMPLATE_ERROR otherwise.
 */
export function fillWord(file: Uint8Array, { onPicture, ...rendering }: Filling): Uint8Array {
  const word = read(file);
  const template: TemplateSource = { format: "docx", content: word.source };
  const [finding] = word.findings;
  if (finding !== undefined) throw templateError(template, finding.message, finding.offset);
  const { text, state, marks } = renderMarked({ ...rendering, template });
  const pictures = createPictures(onPicture);
  const filled = new Map<string, string[]>();
  let [part, length] = ["", 0];
  const add = (xml: string): void => {
    length += xml.length;
    if (length > maxText) throw templateError(template, "The template renders too much text.", 0);
    const texts = filled.get(part) ?? [];
    texts.push(xml);
    filled.set(part, texts);
  };
  const addChunks = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) {
      const chunk = word.chunks[text.charCodeAt(at) - firstChunk];
      if (chunk === undefined) continue;
      part = chunk.part;
      add(chunk.xml);
    }
  };
  let end = 0;
  for (const mark of marks.find(text)) {
    addChunks(end, mark.offset);
    end = mark.offset + mark.length;
    const value = state.outputs[mark.index];
    if (value !== undefined) add(shown(value, { word, template, part, pictures }));
  }
  addChunks(end, text.length);
  const parts = new Map(word.parts);
  for (const [name, texts] of filled) parts.set(name, Buffer.from(withoutGaps(texts.join(""))));
  pictures.finish(parts);
  return writePackage(parts);
}

function read(file: Uint8Array): WordTemplate {
  try {
    return readWord(file);
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    throw new RenderError("GEN_TEMPLATE_ERROR", error.message, { line: "0", column: "0" });
  }
}

interface Place {
  readonly word: WordTemplate;
  readonly template: TemplateSource;
  readonly part: string;
  readonly pictures: Pictures;
}

function shown(value: OutputValue, { word, template, part, pictures }: Place): string {
  const frame = word.frames.get(value.offset);
  if (frame === undefined) return textValue(value.text);
  if (value.text === "") return "";
  const picture = isImageData(value.text) ? pictures.show(part, frame, value.text) : undefined;
  if (picture === undefined) throw dataError(template, value, imageExpected);
  return picture;
}

/** Cells, headers and text boxes have a paragraph at least, and tables a row. */
function withoutGaps(xml: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const { index, 0: end } of xml.matchAll(noRows)) {
    const start = tableStart(xml, index);
    if (start < from) continue;
    kept.push(xml.slice(from, start));
    from = index + end.length;
  }
  return [...kept, xml.slice(from)]
    .join("")
    .replaceAll(/(<w:tc(?:\s[^<>]*)?>|<\/w:tcPr>|<w:tcPr\/>)<\/w:tc>/g, "$1<w:p/></w:tc>")
    .replaceAll(/(<w:(hdr|ftr|txbxContent)(?:\s[^<>]*)?>)<\/w:\2>/g, "$1<w:p/></w:$2>");
}

const noRows = /<(?:\/w:tblGrid|w:tblGrid\/|\/w:tblPr|w:tblPr\/)>\s*<\/w:tbl>/g;

/** Where the table begins that goes on here, with whatever attributes; -1 when there is none. */
function tableStart(xml: string, at: number): number {
  let start = xml.lastIndexOf("<w:tbl", at);
  while (start > 0 && !/[\s>]/.test(xml[start + 6] ?? "")) start = xml.lastIndexOf("<w:tbl", start - 1);
  return start;
}
