import {
  decoded,
  encrypted,
  FileProblem,
  isXml,
  type Parts,
  readPackage,
  textOf,
  writePackage,
} from "#platform/office-package.ts";
import { cleanRtf, isPicture } from "./clean-rtf.ts";

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

/** A file that may be read, or why it may not. */
export type LookedInto =
  | { readonly kind: "clean"; readonly bytes: Uint8Array }
  | { readonly kind: "refused"; readonly problem: string };

/** A file with the name of its format. */
export interface LookJob {
  readonly format: string;
  readonly content: Uint8Array;
}

/** For a thread: the expressions below take time quadratic in the length of a text that is made for it. */
export function runLookJob({ format: name, content }: LookJob): LookedInto {
  const format = officeFormat(name);
  if (format === undefined) throw new Error("a format that is not known was looked into");
  return lookInto(format, content);
}

/**
 * Looks into a file before LibreOffice does. Of packages only texts, pictures and fonts are kept: no macros, no embedded
 * files, no controls; and nothing that refers to a place outside of the file, except the links that people may follow.
 */
function lookInto(format: OfficeFormat, content: Uint8Array): LookedInto {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  try {
    return { kind: "clean", bytes: clean(format, bytes) };
  } catch (error) {
    if (error instanceof FileProblem) return { kind: "refused", problem: error.message };
    throw error;
  }
}

function clean(format: OfficeFormat, bytes: Buffer): Uint8Array {
  const { packaging, name } = format;
  // An encrypted Office file is a package within a file of the older kind.
  if (packaging === "ooxml" && isOlder(bytes)) throw encrypted();
  const isRight = {
    rtf: () => bytes.subarray(0, 5).toString("latin1") === "{\\rtf",
    binary: () => isOlder(bytes) && bytes.includes(wordStream),
    ooxml: () => isPackage(bytes),
    opendocument: () => isPackage(bytes),
  }[packaging]();
  if (!isRight) throw notOf(name);
  if (packaging === "ooxml") return writePackage(cleanOoxml(format, bytes));
  if (packaging === "opendocument") return writePackage(cleanOpenDocument(format, bytes));
  return packaging === "rtf" ? cleanRtf(bytes) : bytes;
}

const isPackage = (bytes: Buffer): boolean => bytes.length > 22 && bytes.readUInt32LE(0) === 0x04034b50;
const isOlder = (bytes: Buffer): boolean => bytes.subarray(0, 8).toString("hex") === "d0cf11e0a1b11ae1";
const wordStream = Buffer.from("WordDocument", "utf16le");
const notOf = (name: string) => new FileProblem(`The file is not a .${name} file. Save it again and retry.`);

/** What has no reader that could be broken, beside the texts: no files of other programs, no macros, no controls. */
const isOoxmlPart = (name: string): boolean =>
  /\.(?:xml|rels|vml|png|jpe?g|gif|bmp|tiff?|emf|wmf|odttf|fntdata)$/i.test(name) &&
  !/(?:^|\/)(?:vbaproject|activex|embeddings|externallinks|querytables|webextensions?|ctrlprops|printersettings|connections\.xml|vbadata\.xml)/i.test(
    name,
  );

function cleanOoxml({ mainType, name: format }: OfficeFormat, bytes: Buffer): Parts {
  const parts = withKnownPictures(readPackage(bytes, isOoxmlPart));
  const types = parts.get("[Content_Types].xml");
  if (types === undefined || mainType?.test(textOf(types)) !== true) throw notOf(format);
  const cleaned: Parts = new Map();
  for (const [name, part] of parts) {
    if (!isXml(name)) cleaned.set(name, part);
    else if (/\.rels$/i.test(name)) cleaned.set(name, Buffer.from(withoutOutsideRelations(textOf(part), parts)));
    else cleaned.set(name, Buffer.from(withoutLinkedFiles(withoutFieldsThatLoad(textOf(part)))));
  }
  return cleaned;
}

/**
 * Drops pictures of other kinds than their names say: LibreOffice goes by what is in them, and drawings (SVG) and
 * programs (PostScript) may name other files.
 */
function withKnownPictures(parts: Parts): Parts {
  for (const [name, part] of parts) {
    const isOther = /^ObjectReplacements\//.test(name) || /\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf)$/i.test(name);
    if (isOther && !isPicture(part.toString("hex", 0, 44))) parts.delete(name);
  }
  return parts;
}

/** Drops relations to places outside, except links, and those to parts that were left out. */
const withoutOutsideRelations = (text: string, parts: Parts): string =>
  text.replaceAll(/<(?:[^\s<>/:="']+:)?Relationship(?=[\s/>])(?:[^<>"']|"[^"]*"|'[^']*')*>/g, (tag) => {
    const attributes = attributesOf(tag);
    const [type = "", target = "", mode = ""] = ["Type", "Target", "TargetMode"].map((name) => attributes.get(name));
    if (mode.toLowerCase() === "external") return type.endsWith("/hyperlink") && isFollowed(target) ? tag : "";
    const isOutside = /^[a-z][a-z0-9+.-]*:|^\/\/|\\/i.test(target);
    return isOutside || !hasPart(parts, target) ? "" : tag;
  });

/** What people follow. A link to a file is none: pictures can name relations of any type, and would show it. */
const isFollowed = (target: string): boolean => /^(?:https?:|mailto:|tel:|#)/i.test(target);

/** Drops what pictures, sounds and films name that are not in the file, whatever the relation says that it is. */
const withoutLinkedFiles = (text: string): string =>
  text.replaceAll(/<(?:[^<>"']|"[^"]*"|'[^']*')*>/g, (tag) =>
    tag.includes(":link")
      ? tag.replaceAll(attributePattern, (whole, name: string) => (name.endsWith(":link") ? "" : whole))
      : tag,
  );

/** By the end of its name: relations name their targets from where they stand. */
function hasPart(parts: Parts, target: string): boolean {
  const ending = target.replace(/^(?:\.{1,2}\/|\/)+/, "").toLowerCase();
  if (ending === "" || ending.startsWith("#")) return true;
  for (const name of parts.keys()) if (name.toLowerCase().endsWith(ending)) return true;
  return false;
}

/** Fields of Word that read another file lose what they say to do. Their last result stays. */
const withoutFieldsThatLoad = (text: string): string =>
  text
    .replaceAll(/(<(?:[\w.-]+:)?instrText\b[^>]*>)([^<]*)</g, (whole, tag, code) => (loads(code) ? `${tag}<` : whole))
    .replaceAll(/(\s(?:[\w.-]+:)?instr\s*=\s*)(?:"([^"]*)"|'([^']*)')/g, (whole, name, one = "", other = "") =>
      loads(`${one}${other}`) ? `${name}""` : whole,
    );

const loads = (code: string): boolean =>
  /^\s*(?:INCLUDE|INCLUDEPICTURE|INCLUDETEXT|DDEAUTO|DDE|LINK|IMPORT|DATABASE|RD)\b/i.test(decoded(code));

const isOpenDocumentPart = (name: string): boolean =>
  name === "mimetype" ||
  /^(?:content|styles|meta|settings|META-INF\/manifest)\.xml$/.test(name) ||
  /^(?:Pictures|media|Fonts)\/[^/]+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|ttf|otf)$/i.test(name) ||
  /^ObjectReplacements\/[^/]+$/.test(name);

function cleanOpenDocument({ mainType, name: format }: OfficeFormat, bytes: Buffer): Parts {
  const parts = withKnownPictures(readPackage(bytes, isOpenDocumentPart));
  const type = parts.get("mimetype")?.toString("latin1").trim() ?? "";
  if (mainType?.test(type) !== true || !parts.has("content.xml")) throw notOf(format);
  const manifest = parts.get("META-INF/manifest.xml");
  if (manifest !== undefined && /<(?:[\w.-]+:)?encryption-data\b/.test(textOf(manifest))) throw encrypted();
  const cleaned: Parts = new Map();
  for (const [name, part] of parts) {
    cleaned.set(name, isXml(name) ? Buffer.from(withoutOutsideReferences(textOf(part), parts)) : part);
  }
  return cleaned;
}

/** Empties references to anything but parts of the file, except links, and drops scripts. */
const withoutOutsideReferences = (text: string, parts: Parts): string =>
  text.replaceAll(
    /<(?:[^\s<>/:="']+:)?([^\s<>/:="']+)((?:[^<>"']|"[^"]*"|'[^']*')*)>/g,
    (tag, element: string, attributes: string) =>
      element === "a" || !reaching.test(attributes)
        ? tag
        : tag.replaceAll(attributePattern, (whole, name: string, equals: string, value: string) => {
            const target = decoded(value.slice(1, -1));
            const isInside = parts.has(target.replace(/^\.\//, "")) || target.startsWith("#");
            return isInside || !reaching.test(name) ? whole : `${name}${equals}""`;
          }),
  );

/** Attributes that name what is read or run. */
const reaching = /href|macro-name|connection-resource|image-data|dde-topic/i;

/** One after the other, so that nothing within a value is taken for another attribute. */
const attributePattern = /([^\s=<>"'/]+)(\s*=\s*)("[^"]*"|'[^']*')/g;

const attributesOf = (tag: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(tag.matchAll(attributePattern), ([, name = "", , value = ""]) => [name, decoded(value.slice(1, -1))]),
  );
