import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNull, type PDFObject, PDFStream, PDFString } from "pdf-lib";
import { PdfProblem } from "./pdf-problem.ts";

/**
 * Refuses what acts by itself or hides a program: JavaScript, actions that launch programs, XFA forms, and attached files
 * other than plain data. Looks at every object, also at those that nothing refers to any more.
 */
export function refuseForbiddenContent(objects: Iterable<PDFObject>): void {
  // Not recursive: arrays may be nested as deeply as the parser gets.
  const waiting: PDFObject[] = [...objects];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFDict) checkDictionary(value, waiting);
    else if (value instanceof PDFArray) {
      for (const item of value.asArray()) if (isContainer(item)) waiting.push(item);
    } else if (value instanceof PDFStream) checkDictionary(value.dict, waiting);
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

type Check = (dictionary: PDFDict, key: PDFName) => void;

const forbidden = (what: string) => (): never => {
  throw new PdfProblem(`The PDF has ${what}, which cannot be part of an agreement. Print it to a new PDF and retry.`);
};

const refuseJavaScript = forbidden("JavaScript");
const refuseLaunch = forbidden("an action that starts a program");
const refuseAttachment = forbidden("an attached file that may be a program");

const actionTypes: ReadonlyMap<PDFObject, () => never> = new Map([
  [PDFName.of("JavaScript"), refuseJavaScript],
  [PDFName.of("Launch"), refuseLaunch],
]);

const checks: ReadonlyMap<PDFName, Check> = new Map<PDFName, Check>([
  [PDFName.of("JS"), refuseJavaScript],
  [PDFName.of("S"), (dictionary, key) => actionTypes.get(dictionary.lookup(key) ?? PDFNull)?.()],
  [PDFName.of("XFA"), forbidden("an XFA form")],
  [PDFName.of("RichMediaContent"), forbidden("embedded media that run")],
  [PDFName.of("EF"), checkAttachment],
]);

/** Plain data, which no system runs when it is opened; XML and JSON come with invoices and with our own evidence. */
const allowedExtensions: ReadonlySet<string> = new Set(
  "xml json csv tsv txt md png jpg jpeg gif tif tiff asc sig p7s p7m tsr ots".split(" "),
);

/** Of a file specification: each of its names has to be that of plain data. */
function checkAttachment(specification: PDFDict): void {
  const names = nameKeys.map((key) => specification.lookup(key)).filter((name) => name !== undefined);
  const isPlain = (name: PDFObject) =>
    (name instanceof PDFString || name instanceof PDFHexString) &&
    allowedExtensions.has(extensionOf(name.decodeText()));
  if (names.length === 0 || !names.every(isPlain)) refuseAttachment();
}

const nameKeys = ["F", "UF", "Unix", "DOS", "Mac"].map((name) => PDFName.of(name));

const extensionOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1).toLowerCase();
