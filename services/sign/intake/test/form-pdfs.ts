import {
  degrees,
  type PDFDocument,
  type PDFField,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFString,
  PDFDocument as Pdf,
  StandardFonts,
} from "pdf-lib";

/** As offices publish them: 60 fields of every kind on two pages, with labels, boxes and scripts that format. */
export async function officeForm(): Promise<Buffer> {
  const document = await Pdf.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const form = document.getForm();
  const pages = [document.addPage([612, 792]), document.addPage([612, 792])];
  const label = (text: string, page: number, x: number, y: number) =>
    pages[page]?.drawText(text, { x, y, size: 8, font });
  const sheet = (at: number) => pages[at] ?? document.getPage(0);
  label("APPLICATION FOR A PERMIT", 0, 40, 760);
  for (let number = 1; number <= 30; number += 1) {
    const [x, y] = [40 + ((number - 1) % 2) * 270, 720 - Math.floor((number - 1) / 2) * 30];
    label(`${number}. Detail`, 0, x, y + 17);
    const field = form.createTextField(`applicant.detail${number}`);
    field.addToPage(sheet(0), { x, y, width: 240, height: 14, font, borderWidth: 0.5 });
    field.setFontSize(9);
    if (number === 1) field.setText("Ada Lovelace");
    if (number <= 10) field.enableRequired();
    if (number === 2) field.setMaxLength(12);
    if (number === 3) scripts(document, field, 'AFDate_FormatEx("mm/dd/yyyy");');
    if (number === 4) scripts(document, field, "AFNumber_Format(2, 0, 0, 0, '$', true);");
    if (number === 5) scripts(document, field, "AFSpecial_Format(0);");
    if (number === 6) tooltip(field, "As in your passport");
  }
  for (let number = 1; number <= 12; number += 1) {
    const y = 240 - ((number - 1) % 6) * 20;
    const x = 40 + Math.floor((number - 1) / 6) * 270;
    label(`Box ${number}`, 0, x + 18, y + 3);
    const box = form.createCheckBox(`box.${number}`);
    box.addToPage(sheet(0), { x, y, width: 12, height: 12, borderWidth: 1 });
    if (number === 2) box.check();
  }
  for (let number = 1; number <= 5; number += 1) {
    const group = form.createRadioGroup(`choice${number}`);
    for (const [index, option] of ["yes", "no", "unknown"].entries()) {
      label(option, 1, 60 + index * 80, 743 - number * 24);
      group.addOptionToPage(option, sheet(1), { x: 40 + index * 80, y: 740 - number * 24, width: 14, height: 14 });
    }
    if (number === 1) group.select("no");
  }
  for (let number = 1; number <= 5; number += 1) {
    const list = form.createDropdown(`list${number}`);
    list.addOptions(["Single", "Married", "Widowed"]);
    if (number === 1) list.select("Married");
    list.addToPage(sheet(1), { x: 40, y: 560 - number * 26, width: 200, height: 16, font });
  }
  for (let number = 1; number <= 4; number += 1) {
    const text = form.createTextField(`remarks${number}`);
    text.enableMultiline();
    if (number === 1) text.setText("First line\nSecond line");
    text.addToPage(sheet(1), { x: 40, y: 380 - number * 62, width: 500, height: 56, font });
  }
  for (let number = 1; number <= 4; number += 1) {
    signatureField(document, {
      page: 1,
      name: `signature${number}`,
      rect: [40 + (number - 1) * 130, 40, 160 + (number - 1) * 130, 75],
    });
  }
  return Buffer.from(await document.save());
}

/** Reader programs format what is entered in such a field. */
export function scripts(document: PDFDocument, field: PDFField, script: string): void {
  const action = document.context.obj({ S: "JavaScript", JS: PDFString.of(script) });
  field.acroField.dict.set(PDFName.of("AA"), document.context.obj({ F: action, K: action }));
}

const tooltip = (field: PDFField, text: string): void =>
  field.acroField.dict.set(PDFName.of("TU"), PDFHexString.fromText(text));

/** pdf-lib makes none. */
export function signatureField(
  document: PDFDocument,
  { page, name, rect }: { readonly page: number; readonly name: string; readonly rect: number[] },
): void {
  const { context } = document;
  const node = document.getPage(page).node;
  const field = context.register(
    context.obj({ Type: "Annot", Subtype: "Widget", FT: "Sig", T: PDFString.of(name), Rect: rect, F: PDFNumber.of(4) }),
  );
  node.addAnnot(field);
  document.catalog.getOrCreateAcroForm().addField(field);
}

/** One text field on a page that is turned and cropped. */
export async function turnedForm(rotation: number): Promise<Buffer> {
  const document = await Pdf.create();
  const page = document.addPage([600, 800]);
  page.setCropBox(100, 100, 400, 600);
  page.setRotation(degrees(rotation));
  const field = document.getForm().createTextField("turned");
  field.addToPage(page, { x: 150, y: 200, width: 100, height: 20 });
  return Buffer.from(await document.save());
}
