import { describe, expect, test } from "@jest/globals";
import { PDFDocument, PDFName, PDFString } from "pdf-lib";
import type { TabDefinition } from "../../agreement/definition.ts";
import { checkPdf } from "../check-pdf.ts";
import { findTexts } from "../find-texts.ts";
import { officeForm, scripts, signatureField, turnedForm } from "./form-pdfs.ts";
import { onePage, stream } from "./pdfs.ts";
import { signedPdf } from "./signed-pdf.ts";

const transformed = async (pdf: Uint8Array): Promise<readonly TabDefinition[]> =>
  (await checkPdf(Buffer.from(pdf), "transform")).tabs ?? [];

/** A page with one field of these entries, and what else it needs from object 7 on. */
const fieldPdf = (entries: string, more: (string | Buffer)[] = [], form = ""): Buffer =>
  onePage({
    catalog: `/AcroForm<</Fields[6 0 R]${form}>>`,
    page: "/Annots[6 0 R]",
    more: [`<</Type/Annot/Subtype/Widget/Rect[100 700 200 720]/F 4${entries}>>`, ...more],
  });

const tabOf = async (entries: string, more?: (string | Buffer)[], form?: string): Promise<TabDefinition | undefined> =>
  (await transformed(fieldPdf(entries, more, form)))[0];

describe("form fields that become tabs", () => {
  test("many fields whose names begin alike, and are cut, have labels of their own", async () => {
    const pdf = await PDFDocument.create();
    const page = pdf.addPage();
    for (let n = 0; n < 300; n += 1) {
      pdf
        .getForm()
        .createTextField(`${"a".repeat(500)}${n}`)
        .addToPage(page, { x: n % 20, y: n, width: 20, height: 10 });
    }
    pdf
      .getForm()
      .createTextField(`${"a".repeat(490)} 7`)
      .addToPage(page, { x: 9, y: 400, width: 20, height: 10 });
    const labels = (await transformed(await pdf.save())).map(({ label = "" }) => label);
    expect(labels).toHaveLength(301);
    expect(new Set(labels).size).toBe(301);
    expect(labels.filter((label) => label.endsWith(" 300"))).toHaveLength(1);
  });

  test("a form of 60 fields has 60 tabs in their places, and no fields and scripts any more", async () => {
    const { tabs = [], rewritten = new Uint8Array(), pages } = await checkPdf(await officeForm(), "transform");
    expect(pages).toHaveLength(2);
    const counts = Object.fromEntries(
      [...Map.groupBy(tabs, ({ type }) => type)].map(([type, all]) => [type, all.length]),
    );
    expect(counts).toEqual({ text: 32, date: 1, number: 1, checkbox: 12, "radio-group": 5, list: 5, signature: 4 });
    expect(tabs.map(({ tabOrder }) => tabOrder)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    const byLabel = new Map(tabs.map((tab) => [tab.label, tab]));
    expect(byLabel.get("applicant.detail1")).toMatchObject({
      ...{ type: "text", value: "Ada Lovelace", required: true, locked: false, page: 1 },
      ...{ x: 39.75, y: 57.75, width: 240.5, height: 14.5, style: { font: "helvetica", size: 9, color: "#000000" } },
    });
    expect(byLabel.get("applicant.detail2")).toMatchObject({ maxLength: 12 });
    expect(byLabel.get("applicant.detail3")).toMatchObject({ validationMessage: "must have the form mm/dd/yyyy" });
    expect(byLabel.get("applicant.detail5")).toMatchObject({ variant: "zip" });
    expect(byLabel.get("applicant.detail6")).toMatchObject({ tooltip: "As in your passport" });
    expect(byLabel.get("applicant.detail20")).toMatchObject({ required: false });
    expect([1, 2].map((number) => byLabel.get(`box.${number}`)?.value)).toEqual(["false", "true"]);
    expect(byLabel.get("choice1")).toMatchObject({
      value: "no",
      buttons: [
        { value: "yes", page: 2, x: 41, y: 63, selected: false },
        { value: "no", selected: true },
        { value: "unknown", selected: false },
      ],
    });
    expect(byLabel.get("list1")).toMatchObject({
      value: "Married",
      items: [{ value: "Single" }, {}, { text: "Widowed" }],
    });
    expect(byLabel.get("remarks1")).toMatchObject({ value: "First line\nSecond line", style: { size: 23 } });
    expect(byLabel.get("remarks2")).toMatchObject({ height: 57, style: { size: 0 } });
    expect(byLabel.get("signature1")).toMatchObject({ page: 2, x: 40, y: 717, width: 120, height: 35, required: true });

    const written = Buffer.from(rewritten).toString("latin1");
    expect(written).not.toMatch(/AcroForm|Widget|AFDate|JavaScript/);
    const wanted = ["Ada", "APPLICATION"].map((text) => ({ text, caseSensitive: true, wholeWord: false }));
    const found = await findTexts(rewritten, wanted);
    expect(found.map(({ length }) => length)).toEqual([0, 1]);
  });

  test.each([
    [0, { x: 50, y: 480, width: 100, height: 20 }],
    [90, { x: 100, y: 50, width: 20, height: 100 }],
    [180, { x: 250, y: 100, width: 100, height: 20 }],
    [270, { x: 480, y: 250, width: 20, height: 100 }],
  ])("on a page that is cropped and turned by %i degrees, they stand where the fields were seen", async (turn, box) => {
    const [tab] = await transformed(await turnedForm(turn));
    const { x = 0, y = 0, width = 0, height = 0 } = tab ?? {};
    // A frame of one point is drawn half outside.
    expect({ x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 }).toEqual(box);
  });

  test("what parents say counts for their kids, and several places of one field have one label", async () => {
    const kid = (rect: string) => `<</Type/Annot/Subtype/Widget/Parent 7 0 R/Rect[${rect}]>>`;
    const pdf = onePage({
      catalog: "/AcroForm<</Fields[6 0 R]/DA(/TiRo 8 Tf 1 0 0 rg)>>",
      page: "/Annots[9 0 R 8 0 R]",
      more: [
        "<</T(person)/FT/Tx/Ff 2/MaxLen 20/Kids[7 0 R]>>",
        "<</T(name)/Parent 6 0 R/V(Ann)/Kids[8 0 R 9 0 R]>>",
        ...[kid("100 600 200 620"), kid("100 700 200 720")],
      ],
    });
    const tabs = await transformed(pdf);
    expect(tabs.map(({ y }) => y)).toEqual([80, 180]);
    for (const tab of tabs) {
      expect(tab).toMatchObject({ type: "text", label: "person.name", required: true, maxLength: 20, value: "Ann" });
      expect(tab.style).toMatchObject({ font: "timesnewroman", size: 8, color: "#ff0000" });
    }
  });

  test("the order of the tab key is that of the page", async () => {
    const field = (name: string, x: number, y: number) =>
      `<</Type/Annot/Subtype/Widget/FT/Tx/T(${name})/Rect[${x} ${y} ${x + 50} ${y + 20}]>>`;
    const labels = async (order: string) => {
      const more = [field("a", 300, 700), field("b", 100, 500), field("c", 100, 700)];
      const page = `/Annots[6 0 R 7 0 R 8 0 R]${order}`;
      return (await transformed(onePage({ catalog: "/AcroForm<</Fields[6 0 R 7 0 R 8 0 R]>>", page, more }))).map(
        ({ label }) => label,
      );
    };
    expect(await labels("")).toEqual(["a", "b", "c"]);
    expect(await labels("/Tabs/R")).toEqual(["c", "a", "b"]);
    expect(await labels("/Tabs/C")).toEqual(["c", "b", "a"]);
  });

  test("read-only fields are locked with their value, or stay drawn", async () => {
    expect(await tabOf("/FT/Tx/T(a)/Ff 1/V(fixed)")).toMatchObject({ locked: true, required: false, value: "fixed" });
    expect(await tabOf("/FT/Tx/T(a)/Ff 3")).toBeUndefined();
    expect(await tabOf("/FT/Sig/T(a)/Ff 1")).toBeUndefined();
  });

  test.each([
    ["DocuSignSignHere1", { type: "signature", required: true }],
    ["form.eSignSignHereOptional", { type: "signature", required: false }],
    ["docusignInitialHere", { type: "initials" }],
    ["eSignDateSigned", { type: "date-signed" }],
    ["eSignDate", { type: "date" }],
    ["DocuSignFullName_2", { type: "full-name" }],
    ["eSignEmailAddress", { type: "email", variant: "emailAddress" }],
    ["DocuSignCompany", { type: "company" }],
    ["eSignEnvelopeID", { type: "agreement-id" }],
    ["eSignSSN", { type: "text", variant: "ssn" }],
    ["DocuSignSignerAttachment", { type: "attachment", required: true }],
    ["DocuSignLetter", { type: "text" }],
  ])("a text field with the name %s", async (name, expected) => {
    expect(await tabOf(`/FT/Tx/T(${name})`)).toMatchObject({ ...expected, label: name });
  });

  test("a date whose form cannot be stored, or is too long to check, takes any date", async () => {
    for (const form of ["mm\\000yy", "mmmd".repeat(10)]) {
      const script = `/AA<</F<</S/JavaScript/JS(AFDate_FormatEx("${form}");)>>>>`;
      const tab = await tabOf(`/FT/Tx/T(a)${script}`);
      expect(tab).toMatchObject({ type: "date", label: "a" });
      expect(tab).not.toHaveProperty("validationPattern");
    }
  });

  test.each([
    ['AFDate_FormatEx("dd.mm.yyyy");', ["31.12.2026"], ["2026-12-31", "31/12/2026"]],
    ["AFDate_KeystrokeEx('mmm d, yyyy')", ["Dec 31, 2026"], ["12 31, 2026"]],
    ["AFDate_Format(1)", ["1/2/26"], ["1/2/2026"]],
  ])("a date has the format of its script %s", async (script, good, bad) => {
    const tab = await tabOf("/FT/Tx/T(a)/AA<</F 7 0 R>>", [
      `<</S/JavaScript/JS(${script.replaceAll(/[()]/g, "\\$&")})>>`,
    ]);
    expect(tab?.type).toBe("date");
    const pattern = new RegExp(`^(?:${tab?.validationPattern ?? ""})$`, "u");
    expect(good.every((value) => pattern.test(value))).toBe(true);
    expect(bad.some((value) => pattern.test(value))).toBe(false);
  });

  test("checkboxes of one field that stand for different things are a choice of one", async () => {
    const box = (state: string, x: number, more: string) =>
      `<</Type/Annot/Subtype/Widget/Parent 6 0 R/Rect[${x} 700 ${x + 12} 712]/AP<</N<</${state} 9 0 R/Off 9 0 R>>>>${more}>>`;
    const pdf = (first: string, second: string) =>
      onePage({
        catalog: "/AcroForm<</Fields[6 0 R]>>",
        page: "/Annots[7 0 R 8 0 R]",
        more: [
          "<</T(sex)/FT/Btn/Kids[7 0 R 8 0 R]>>",
          ...[box(first, 100, "/AS/Off"), box(second, 200, `/AS/${second}`), stream("/BBox[0 0 12 12]", "")],
        ],
      });
    const [choice, ...none] = await transformed(pdf("M", "F"));
    expect(none).toEqual([]);
    expect(choice).toMatchObject({
      type: "radio-group",
      value: "F",
      buttons: [{ value: "M" }, { value: "F", x: 200, y: 88 }],
    });
    const same = await transformed(pdf("On", "On"));
    expect(same).toMatchObject([
      { type: "checkbox", value: "true" },
      { type: "checkbox", value: "true" },
    ]);
  });

  test("fields without a name, and names that look the same, have labels of their own", async () => {
    const field = (name: string, y: number) =>
      `<</Type/Annot/Subtype/Widget/FT/Tx${name}/Rect[100 ${y} 200 ${y + 20}]>>`;
    const more = [field("", 700), field("", 660), field("/T(a\\nb)", 620), field("/T(a b)", 580)];
    const tabs = await transformed(onePage({ page: "/Annots[6 0 R 7 0 R 8 0 R 9 0 R]", more }));
    expect(tabs.map(({ label }) => label)).toEqual(["field", "field 2", "a b", "a b 2"]);
  });

  test("what no tab can be is drawn as it looks", async () => {
    const document = await PDFDocument.create();
    const page = document.addPage([600, 800]);
    const form = document.getForm();
    form.createButton("push").addToPage("PRINT ME", page, { x: 50, y: 700, width: 100, height: 20 });
    const list = form.createOptionList("several");
    list.addOptions(["first", "second", "third"]);
    list.enableMultiselect();
    list.select(["first", "third"]);
    list.addToPage(page, { x: 50, y: 500, width: 100, height: 80 });
    const ignored = form.createTextField("DocuSignIgnoreTransform");
    ignored.setText("STAYS");
    ignored.addToPage(page, { x: 50, y: 300, width: 100, height: 20 });
    form.createTextField("taken").addToPage(page, { x: 50, y: 200, width: 100, height: 20 });
    const { tabs = [], rewritten = new Uint8Array() } = await checkPdf(Buffer.from(await document.save()), "transform");
    expect(tabs.map(({ label }) => label)).toEqual(["taken"]);
    const wanted = ["PRINT ME", "second", "STAYS"].map((text) => ({ text, caseSensitive: true, wholeWord: false }));
    expect((await findTexts(rewritten, wanted)).map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  test("hidden fields, fields off the page and fields without extent become none", async () => {
    const rect = (corners: string, flags = 4) =>
      `<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/F ${flags}/Rect[${corners}]>>`;
    const more = [rect("100 700 200 720", 2), rect("900 900 950 920"), rect("5 5 5 5"), rect("0 0 (x) 9")];
    expect(await transformed(onePage({ page: "/Annots[6 0 R 7 0 R 8 0 R 9 0 R]", more }))).toEqual([]);
  });
});

describe("forms that are hostile or odd", () => {
  const refusal = (pdf: Buffer) =>
    checkPdf(pdf, "transform").then(
      () => "",
      (error: Error) => error.message,
    );

  test("an XFA form is refused by its name, however its fields are wanted", async () => {
    const pdf = fieldPdf("/FT/Tx/T(a)", [], "/XFA[(x)]");
    for (const mode of ["keep", "flatten", "transform"] as const) {
      await expect(checkPdf(pdf, mode)).rejects.toThrow("XFA");
    }
  });

  test("scripts refuse a file whose fields are kept, and are removed with fields that are drawn or transformed", async () => {
    const document = await PDFDocument.create();
    const field = document.getForm().createTextField("a");
    field.setText("SHOWN");
    field.addToPage(document.addPage(), { x: 50, y: 50 });
    scripts(document, field, "app.alert(1)");
    document.addJavaScript("all", "app.alert(2)");
    const send = document.context.obj({ S: "SubmitForm", F: PDFString.of("https://elsewhere.example") });
    document.catalog.set(PDFName.of("OpenAction"), send);
    const pdf = Buffer.from(await document.save());
    await expect(checkPdf(pdf)).rejects.toThrow("JavaScript");
    for (const mode of ["flatten", "transform"] as const) {
      const { rewritten = new Uint8Array(), tabs } = await checkPdf(pdf, mode);
      expect(Buffer.from(rewritten).toString("latin1")).not.toMatch(/app\.alert|SubmitForm|elsewhere/);
      expect(tabs?.length ?? 0).toBe(mode === "transform" ? 1 : 0);
      const found = await findTexts(rewritten, [{ text: "SHOWN", caseSensitive: true, wholeWord: false }]);
      expect(found[0]).toHaveLength(mode === "transform" ? 0 : 1);
    }
  });

  test("other things that act are refused all the same", async () => {
    const launch = fieldPdf("/FT/Tx/T(a)/A<</S/Launch/F(x)>>");
    expect(await refusal(launch)).toContain("starts a program");
  });

  test("parents in a circle, and very deep ones, are refused", async () => {
    expect(
      await refusal(fieldPdf("/FT/Tx/Parent 7 0 R", ["<</T(b)/Parent 8 0 R>>", "<</T(c)/Parent 7 0 R>>"])),
    ).toContain("nested");
    const deep = Array.from({ length: 40 }, (_, index) => `<</T(x)/Parent ${index + 8} 0 R>>`);
    expect(await refusal(fieldPdf("/FT/Tx/T(a)/Parent 7 0 R", [...deep, "<</T(end)>>"]))).toContain("nested");
  });

  test("more fields than a recipient may have are refused, and so are choices without an end", async () => {
    const field = (number: number) => `<</Type/Annot/Subtype/Widget/FT/Tx/T(f${number})/Rect[10 10 50 30]>>`;
    const many = Array.from({ length: 2_001 }, (_, index) => field(index));
    const refs = many.map((_, index) => `${index + 6} 0 R`).join(" ");
    expect(await refusal(onePage({ page: `/Annots[${refs}]`, more: many }))).toContain("2,000 form fields");
    const choices = `[${`(${"x".repeat(900)})`.repeat(2)}${Array.from({ length: 990 }, (_, index) => `(${index}${"y".repeat(900)})`).join("")}]`;
    const list = (number: number) =>
      `<</Type/Annot/Subtype/Widget/FT/Ch/T(l${number})/Opt ${8} 0 R/Rect[10 10 50 30]>>`;
    expect(await refusal(onePage({ page: "/Annots[6 0 R 7 0 R]", more: [list(1), list(2), choices] }))).toContain(
      "too many choices",
    );
  });

  test.each([
    ["a value that is a number", "/FT/Tx/T(a)/V 7", 0],
    ["a name that is a list", "/FT/Tx/T[1]", 1],
    ["flags that are a text", "/FT/Tx/T(a)/Ff(x)", 1],
    ["an endless length", "/FT/Tx/T(a)/MaxLen 99999999999999999999", 1],
    ["a look that makes no sense", "/FT/Tx/T(a)/DA(/ 99999999 Tf rg rg 1 2 3 4 5 6 k)", 1],
    ["characters that cannot be stored", "/FT/Tx/T<FEFF0000D800>/V<FEFFD800000A0041>/TU<FEFF0000>", 1],
    ["an appearance that is none", "/FT/Btn/T(a)/AP<</N 7>>/MK<</BC[9 9 9]/BG[(x)]>>/BS<</W -5>>", 1],
    ["choices that are nothing", "/FT/Ch/T(a)/Opt[null 5[]<<>>]", 0],
    ["a type that does not exist", "/FT/Xx/T(a)", 0],
  ])("%s harms nobody", async (_what, entries, count) => {
    const { tabs = [], rewritten } = await checkPdf(fieldPdf(entries), "transform");
    expect(tabs).toHaveLength(count);
    expect(JSON.stringify(tabs)).not.toMatch(/\\u0000|\\ud800/i);
    await expect(PDFDocument.load(rewritten ?? new Uint8Array())).resolves.toBeDefined();
  });

  test("in a file that others have signed no field can become a tab", async () => {
    expect(await checkPdf(await signedPdf(), "transform")).toMatchObject({ isSigned: true });
    const seen = await signedPdf(fieldPdf("/FT/Sig/T(a)/V<</Type/Sig>>"));
    expect(await checkPdf(seen, "transform").catch(({ message }: Error) => message)).not.toContain("form fields");
    const signed = await signedPdf(fieldPdf("/FT/Tx/T(a)"));
    expect(await checkPdf(signed)).toMatchObject({ isSigned: true });
    expect(await refusal(signed)).toContain("carries signatures");
  });

  test("a signature field that nobody has signed becomes a tab for a signature", async () => {
    const document = await PDFDocument.create();
    document.addPage([600, 800]);
    signatureField(document, { page: 0, name: "eSignInitialHere", rect: [10, 10, 60, 40] });
    expect(await transformed(await document.save())).toMatchObject([
      { type: "initials", x: 10, y: 760, width: 50, height: 30 },
    ]);
  });
});
