import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNull, type PDFObject, PDFStream, PDFString } from "pdf-lib";
import { PdfProblem } from "./pdf-limits.ts";

/**
 * Refuses content that runs, plays, reaches outside or hides a program: JavaScript, actions other than jumps
 * within the file, media, external content, XFA forms, and attachments other than plain data.
 */
export function refuseForbiddenContent(objects: Iterable<PDFObject>): void {
  // Iterative, because arrays may be nested as deeply as the parser allows.
  const waiting: PDFObject[] = [...objects];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFDict) checkDictionary(value, waiting);
    else if (value instanceof PDFArray) {
      for (const item of value.asArray()) if (isContainer(item)) waiting.push(item);
    } else if (value instanceof PDFStream) {
      for (const [key, refuse] of streamChecks) if (value.dict.has(key)) refuse();
      refuseUnknownFilters(value.dict);
      checkDictionary(value.dict, waiting);
    }
  }
}

const isContainer = (value: PDFObject): boolean => value instanceof PDFDict || value instanceof PDFArray;

function checkDictionary(dictionary: PDFDict, waiting: PDFObject[]): void {
  for (const [key, value] of dictionary.asMap()) {
    if (isContainer(value)) waiting.push(value);
    const check = checks.get(key);
    if (check !== undefined && value !== PDFNull) check(dictionary, key);
  }
}

type Check = (dictionary: PDFDict, key: PDFName) => unknown;

export const forbidden = (what: string) => (): never => {
  throw new PdfProblem(`The PDF has ${what}, which is not accepted. Print it to a new PDF and retry.`);
};

const refuseJavaScript = forbidden("JavaScript");
const refuseLaunch = forbidden("an action that starts a program");
const refuseAttachment = forbidden("an attached file that may be a program");

const refuseOtherFile = forbidden("an action that opens another file");
const refuseMedia = forbidden("media that play");
const refuseElsewhere = forbidden("content that stands in another file");
const refusePostScript = forbidden("a PostScript program");

const named = (names: readonly string[], refuse: () => never) =>
  names.map((name): [PDFObject, () => never] => [PDFName.of(name), refuse]);

const actionTypes: ReadonlyMap<PDFObject, () => never> = new Map([
  ...named(["JavaScript"], refuseJavaScript),
  ...named(["Launch"], refuseLaunch),
  ...named(["GoToR", "GoToE"], refuseOtherFile),
  ...named(["ImportData"], forbidden("an action that reads another file")),
  ...named(["SubmitForm"], forbidden("an action that sends its form")),
  ...named(["Rendition", "Movie", "Sound", "GoTo3DView", "RichMediaExecute"], refuseMedia),
  ...named(["Hide", "SetOCGState"], forbidden("an action that shows and hides parts of it")),
]);

/** Destinations in this file, unless they name another one. */
const placesOfFiles: ReadonlySet<PDFObject> = new Set([PDFName.of("GoTo"), PDFName.of("Thread")]);

const kinds: ReadonlyMap<PDFObject, () => never> = new Map([
  ...named(["Movie", "Sound", "Screen", "3D", "RichMedia", "Rendition", "MediaClip"], refuseMedia),
  ...named(["PS"], refusePostScript),
]);

const kindOf: Check = (dictionary, key) => kinds.get(dictionary.lookup(key) ?? PDFNull)?.();

const checks: ReadonlyMap<PDFName, Check> = new Map<PDFName, Check>([
  [PDFName.of("JS"), refuseJavaScript],
  [
    PDFName.of("S"),
    (dictionary, key) => {
      const type = dictionary.lookup(key) ?? PDFNull;
      actionTypes.get(type)?.();
      if (placesOfFiles.has(type) && dictionary.has(PDFName.of("F"))) refuseOtherFile();
    },
  ],
  [
    PDFName.of("Type"),
    (dictionary, key) => {
      kindOf(dictionary, key);
      const type = dictionary.lookup(key);
      const isFile = type === PDFName.of("Filespec") || type === PDFName.of("F");
      if (isFile && !dictionary.has(PDFName.of("EF"))) refuseElsewhere();
    },
  ],
  [PDFName.of("Subtype"), kindOf],
  [PDFName.of("Subtype2"), kindOf],
  [
    PDFName.of("FS"),
    (dictionary, key) => {
      const file = dictionary.lookup(key);
      // An attachment's external address is a text string.
      if (file === PDFName.of("URL") || file instanceof PDFString || file instanceof PDFHexString) refuseElsewhere();
    },
  ],
  [PDFName.of("XFA"), forbidden("an XFA form")],
  [PDFName.of("RichMediaContent"), forbidden("embedded media that run")],
  [PDFName.of("EF"), checkAttachment],
]);

/** Stream entries that are refused. */
const streamChecks: ReadonlyMap<PDFName, () => never> = new Map([
  [PDFName.of("F"), refuseElsewhere],
  [PDFName.of("FFilter"), refuseElsewhere],
  [PDFName.of("Ref"), forbidden("a page of another file")],
  [PDFName.of("OPI"), forbidden("a picture that stands in another file")],
]);

/** The filters of ISO 32000-2 that need no key, with their common abbreviations. */
const knownFilters: ReadonlySet<PDFObject | undefined> = new Set(
  [
    ...["FlateDecode", "LZWDecode", "RunLengthDecode", "ASCII85Decode", "ASCIIHexDecode"],
    ...["DCTDecode", "JPXDecode", "CCITTFaxDecode", "JBIG2Decode"],
    ...["Fl", "LZW", "RL", "A85", "AHx", "DCT", "CCF"],
  ].map((name) => PDFName.of(name)),
);

/** Some readers show a stream with an unknown filter unchanged, others show nothing. */
function refuseUnknownFilters(dictionary: PDFDict): void {
  const given = dictionary.lookup(PDFName.of("Filter"));
  if (given === undefined || given === PDFNull) return;
  const filters = given instanceof PDFArray ? given.asArray().map((_one, index) => given.lookup(index)) : [given];
  const at = filters.findIndex((filter) => !knownFilters.has(filter));
  if (at === -1) return;
  const unknown = filters[at];
  const name =
    unknown instanceof PDFName
      ? unknown
          .decodeText()
          .replaceAll(/[^\w.-]/g, "?")
          .slice(0, 40)
      : "no name";
  throw new PdfProblem(
    `The PDF packs data by a filter that PDF does not have (${name}). Print it to a new PDF and retry.`,
  );
}

/**
 * Plain data that no system executes on opening. XML and JSON are attached to invoices and to our own evidence.
 */
const allowedExtensions: ReadonlySet<string> = new Set(
  "xml json csv tsv txt md png jpg jpeg gif tif tiff asc sig p7s p7m tsr ots".split(" "),
);

/** Every name in a file specification must have an allowed extension. */
function checkAttachment(specification: PDFDict): void {
  const names = nameKeys.map((key) => specification.lookup(key)).filter((name) => name !== undefined);
  const isPlain = (name: PDFObject) =>
    (name instanceof PDFString || name instanceof PDFHexString) &&
    allowedExtensions.has(extensionOf(name.decodeText()));
  if (names.length === 0 || !names.every(isPlain)) refuseAttachment();
}

const nameKeys = ["F", "UF", "Unix", "DOS", "Mac"].map((name) => PDFName.of(name));

/** Empty for a name without an extension, or with an invisible character where some programs cut it off. */
const extensionOf = (name: string): string =>
  /[\p{Cc}\p{Cf}]/u.test(name) ? "" : (/\.([^.]*)$/.exec(name)?.[1] ?? "").toLowerCase();
