import { constants, deflateRawSync, deflateSync } from "node:zlib";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { checkPdf } from "../check-pdf.ts";

/** A PDF of objects as they are given, numbered from 1: the first is the catalog. */
export function rawPdf(objects: readonly (string | Buffer)[], trailer = ""): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  for (const [index, object] of objects.entries()) {
    offsets.push(length());
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n"));
  }
  const start = length();
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  parts.push(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${entries}`));
  parts.push(Buffer.from(`trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

export const stream = (dictionary: string, data: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(`<<${dictionary}/Length ${data.length}>>\nstream\n`),
    Buffer.from(data),
    Buffer.from("\nendstream"),
  ]);

/** One page, with what the catalog and the page are to have; further objects are numbered from 6. */
export const onePage = ({
  catalog = "",
  page = "",
  content = "",
  more = [] as (string | Buffer)[],
  trailer = "",
}): Buffer =>
  rawPdf(
    [
      `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>${
        page.includes("/MediaBox") ? "" : "/MediaBox[0 0 600 800]"
      }${page}>>`,
      stream("", content),
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
      ...more,
    ],
    trailer,
  );

/** As a program makes them, with so many pages of text. */
export async function ordinaryPdf(pages = 3, useObjectStreams = true): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.TimesRoman);
  for (let number = 1; number <= pages; number += 1) {
    const page = document.addPage([595, 842]);
    for (let line = 0; line < 30; line += 1) {
      page.drawText(`Line ${line} of page ${number}`, { x: 50, y: 780 - line * 20, size: 11, font });
    }
  }
  return Buffer.from(await document.save({ useObjectStreams }));
}

/** What a file becomes when it comes. */
export async function writtenAnew(pdf: Uint8Array): Promise<Buffer> {
  const { rewritten } = await checkPdf(Buffer.from(pdf));
  return Buffer.from(rewritten ?? pdf);
}

/** Half a megabyte that unpacks to so many. */
export function bombData(megabytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(1_048_576, " "), { finishFlush: constants.Z_FULL_FLUSH, level: 9 });
  const header = Buffer.from([0x78, 0x9c]);
  const end = deflateRawSync(Buffer.alloc(0));
  return Buffer.concat([header, ...Array.from({ length: megabytes }, () => block), end, Buffer.alloc(4)]);
}

export const packed = (text: string): Buffer => deflateSync(text);

/** With a second revision whose cross-reference section says where the one before it is. */
export function revised(pdf: Buffer, previous: (ownOffset: number) => number): Buffer {
  const revision = (offset: number) =>
    `xref\n0 0\ntrailer\n<</Size 6/Root 1 0 R/Prev ${offset}>>\nstartxref\n${pdf.length}\n%%EOF\n`;
  return Buffer.concat([pdf, Buffer.from(revision(previous(pdf.length)))]);
}

/** With a second revision that is a cross-reference stream, which says where these objects are. */
export function withStream(
  pdf: Buffer,
  objects: { readonly [number: number]: { readonly container: number; readonly index: number } },
  trailer = "/Root 1 0 R",
): Buffer {
  const previous = Number(/startxref\n(\d+)/.exec(pdf.toString("latin1"))?.[1]);
  const numbers = Object.keys(objects).map(Number);
  const own = Math.max(...numbers, 50) + 1;
  const row = (type: number, second: number, third: number) => {
    const bytes = Buffer.from([type, 0, 0, 0, 0, third]);
    bytes.writeUInt32BE(second, 1);
    return bytes;
  };
  const rows = numbers.map((number) => row(2, objects[number]?.container ?? 0, objects[number]?.index ?? 0));
  const index = [...numbers.flatMap((number) => [number, 1]), own, 1].join(" ");
  const section = stream(
    `/Type/XRef/Size ${own + 1}${trailer}/Prev ${previous}/W[1 4 1]/Index[${index}]`,
    Buffer.concat([...rows, row(1, pdf.length, 0)]),
  );
  const head = Buffer.from(`${own} 0 obj\n`);
  return Buffer.concat([pdf, head, section, Buffer.from(`\nendobj\nstartxref\n${pdf.length}\n%%EOF\n`)]);
}
