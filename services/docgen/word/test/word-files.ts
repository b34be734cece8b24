import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";

const spaces = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"',
].join(" ");

/** A paragraph; several texts are several runs, as Word splits them. */
export const p = (...texts: readonly string[]): string => `<w:p>${texts.map(run).join("")}</w:p>`;
const run = (text: string): string =>
  text.startsWith("<") ? text : `<w:r><w:rPr><w:b/></w:rPr><w:t>${text}</w:t></w:r>`;

/** A table of cells, each with its paragraphs. */
export const table = (...rows: readonly (readonly string[])[]): string =>
  `<w:tbl><w:tblPr/><w:tblGrid>${(rows[0] ?? []).map(() => '<w:gridCol w:w="3000"/>').join("")}</w:tblGrid>${rows
    .map((cells) => `<w:tr>${cells.map((cell) => `<w:tc><w:tcPr/>${cell}</w:tc>`).join("")}</w:tr>`)
    .join("")}</w:tbl>`;

/** A picture, which stands in place of another one when its text says so. */
export const picture = (text: string): string =>
  `<w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="457200"/><wp:docPr id="1" name="Picture" descr="${text}"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="x"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId9"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="457200"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;

export interface WordFileParts {
  readonly body: string;
  readonly header?: string;
  /** In place of the main part. */
  readonly document?: string;
  readonly more?: Readonly<Record<string, string>>;
}

/** A Word file, as small as one can be. */
export function wordFile({ body, header, document, more = {} }: WordFileParts): Uint8Array {
  const main = "application/vnd.openxmlformats-officedocument.wordprocessingml";
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const declared = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
  const section = header === undefined ? "" : '<w:sectPr><w:headerReference w:type="default" r:id="rId1"/></w:sectPr>';
  const files: Record<string, string> = {
    "[Content_Types].xml": `${declared}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${main}.document.main+xml"/>${header === undefined ? "" : `<Override PartName="/word/header1.xml" ContentType="${main}.header+xml"/>`}</Types>`,
    "_rels/.rels": `${declared}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/document.xml": document ?? `${declared}<w:document ${spaces}><w:body>${body}${section}</w:body></w:document>`,
    ...(header === undefined
      ? {}
      : {
          "word/_rels/document.xml.rels": `${declared}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/header" Target="header1.xml"/></Relationships>`,
          "word/header1.xml": `${declared}<w:hdr ${spaces}>${header}</w:hdr>`,
        }),
    ...more,
  };
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)] as const);
  return zipSync(Object.fromEntries(entries), { mtime: "1980-01-01T00:00:00" });
}

/** A part of a Word file. */
export const partOf = (file: Uint8Array, name = "word/document.xml"): string =>
  strFromU8(unzipSync(file)[name] ?? new Uint8Array());

/** The texts of its paragraphs; those of a table are one line for each row. */
export const linesOf = (file: Uint8Array, name?: string): string[] =>
  [...partOf(file, name).matchAll(/<w:tr[ >].*?<\/w:tr>|<w:p[ >].*?<\/w:p>|<w:p\/>/gs)].map(([part]) =>
    [...part.matchAll(/<w:tc>(.*?)<\/w:tc>/gs)].length > 0
      ? [...part.matchAll(/<w:tc>(.*?)<\/w:tc>/gs)].map(([, cell = ""]) => textIn(cell)).join(" | ")
      : textIn(part),
  );

const textIn = (xml: string): string =>
  xml
    .replaceAll("<w:br/>", "\n")
    .replaceAll("<w:tab/>", "\t")
    .replaceAll(/<[^>]*>/g, "");
