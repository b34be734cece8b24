/** Of which kind a file is: a package of parts (OOXML, OpenDocument), or one stream of bytes. */
export type Packaging = "ooxml" | "opendocument" | "binary" | "rtf";

/** A kind of Office file that can be printed. */
export interface OfficeFormat {
  /** As in the name of a file. */
  readonly name: string;
  readonly packaging: Packaging;
  /** The filters of LibreOffice that read it and that print it. */
  readonly reader: string;
  readonly printer: string;
  /** The part of LibreOffice that knows it. */
  readonly library: string;
  /** What the main part of a package says that it is. */
  readonly mainType?: RegExp;
}

const writer = { printer: "writer_pdf_Export", library: "libswlo.so" };

export const officeFormats: readonly OfficeFormat[] = [
  {
    ...{ name: "docx", packaging: "ooxml", reader: "MS Word 2007 XML", ...writer },
    mainType:
      /wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.(?:document|template)\.macroEnabledTemplate\.main\+xml|ms-word\.document\.macroEnabled\.main\+xml/,
  },
  { name: "doc", packaging: "binary", reader: "MS Word 97", ...writer },
  {
    ...{ name: "odt", packaging: "opendocument", reader: "writer8", ...writer },
    mainType: /^application\/vnd\.oasis\.opendocument\.text(?:-template)?$/,
  },
  { name: "rtf", packaging: "rtf", reader: "Rich Text Format", ...writer },
  {
    ...{ name: "xlsx", packaging: "ooxml", reader: "Calc MS Excel 2007 XML" },
    ...{ printer: "calc_pdf_Export", library: "libsclo.so" },
    mainType: /spreadsheetml\.(?:sheet|template)\.main\+xml|ms-excel\.(?:sheet|template)\.macroEnabled\.main\+xml/,
  },
  {
    ...{ name: "pptx", packaging: "ooxml", reader: "Impress MS PowerPoint 2007 XML" },
    ...{ printer: "impress_pdf_Export", library: "libsdlo.so" },
    mainType:
      /presentationml\.(?:presentation|slideshow|template)\.main\+xml|ms-powerpoint\.\w+\.macroEnabled\.main\+xml/,
  },
];

export const officeFormat = (name: string): OfficeFormat | undefined =>
  officeFormats.find((format) => format.name === name);
