import { PDFDocument, StandardFonts } from "pdf-lib";

const pages = 10;
const lines = 42;
const sentence =
  "The parties agree on what follows, and neither departs from it without the written consent of the other.";

/** A contract of ten pages with a letterhead as a picture, about 100 KB: what P6 and P12 are measured with. */
export async function agreementPdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const font = await document.embedFont(StandardFonts.TimesRoman);
  for (let number = 1; number <= pages; number += 1) {
    const page = document.addPage([595, 842]);
    for (let line = 0; line < lines; line += 1) {
      const text = `${number}.${line + 1} ${sentence}`;
      page.drawText(text, { x: 60, y: 780 - 17 * line, size: 10, font });
    }
  }
  // A photograph cannot be packed any further, and neither can this.
  const picture = document.context.stream(noise(pictureBytes), {
    ...{ Type: "XObject", Subtype: "Image", ColorSpace: "DeviceGray", BitsPerComponent: 8 },
    ...{ Width: pictureWidth, Height: pictureBytes / pictureWidth },
  });
  document.getPage(0).node.newXObject("Letterhead", document.context.register(picture));
  return document.save({ addDefaultPage: false });
}

const pictureWidth = 256;
const pictureBytes = pictureWidth * 300;

/** The same in every run. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
