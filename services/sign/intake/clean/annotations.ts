import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFStream,
  PDFString,
} from "pdf-lib";
import { forbidden } from "../forbidden-content.ts";
import { maxPageTreeDepth } from "../pdf-limits.ts";

const flagBits = { invisible: 1, hidden: 2, print: 4, noView: 32, toggleNoView: 256 };

/** What of the annotations of a page stays, and the fields that are to be drawn on it. */
export interface SortedAnnotations {
  readonly kept: readonly PDFObject[];
  readonly fields: readonly PDFDict[];
}

/**
 * Makes the annotations of a page the same on the screen and on paper: what a screen hides goes away, and what it shows is
 * printed. Refuses what each reader would draw as it likes.
 */
export function sortAnnotations(context: PDFContext, annotations: readonly PDFObject[]): SortedAnnotations {
  const kept: PDFObject[] = [];
  const fields: PDFDict[] = [];
  for (const link of annotations) {
    const annotation = context.lookup(link);
    if (!(annotation instanceof PDFDict)) continue;
    const flags = flagsOf(annotation);
    const subtype = annotation.lookup(PDFName.of("Subtype"));
    const isHidden = (flags & (flagBits.hidden | flagBits.noView)) !== 0;
    if (!isHidden && subtype === widget) fields.push(annotation);
    else if (!isHidden && subtype !== undefined && knownKinds.has(subtype)) {
      refuseUndrawn(annotation);
      const { invisible, toggleNoView, print } = flagBits;
      annotation.set(PDFName.of("F"), PDFNumber.of((flags & ~(invisible | toggleNoView)) | print));
      const appearance = annotation.lookup(PDFName.of("AP"));
      // What is shown while a mouse is over it.
      if (appearance instanceof PDFDict) for (const name of ["R", "D"]) appearance.delete(PDFName.of(name));
      const action = annotation.lookup(PDFName.of("A"));
      if (action instanceof PDFDict && action.keys().length === 0) annotation.delete(PDFName.of("A"));
      annotation.delete(PDFName.of("FixedPrint"));
      kept.push(link);
    } else for (const key of annotation.keys()) annotation.delete(key);
  }
  return { kept, fields };
}

/** Of a file that stays as it is: annotations that are shown in one place only, and fields that do not show their value. */
export function refuseDifferentAnnotations(context: PDFContext, annotations: readonly PDFObject[]): void {
  for (const link of annotations) {
    const annotation = context.lookup(link);
    if (!(annotation instanceof PDFDict)) continue;
    const subtype = annotation.lookup(PDFName.of("Subtype"));
    const flags = flagsOf(annotation);
    if ((flags & flagBits.hidden) !== 0 || subtype === PDFName.of("Link") || subtype === PDFName.of("Popup")) continue;
    const isOnScreen = (flags & (flagBits.noView | flagBits.toggleNoView)) === 0;
    const isOnPaper = (flags & flagBits.print) !== 0;
    if (isOnScreen !== isOnPaper && !isWithoutExtent(annotation)) {
      forbidden("comments or fields that are shown on the screen and not on paper, or the other way round")();
    }
    refuseUndrawn(annotation);
    if (subtype === widget && appearanceOf(annotation) === undefined) refuseUndrawnValue(annotation);
  }
}

const widget = PDFName.of("Widget");

const knownKinds: ReadonlySet<PDFObject> = new Set(
  [
    ...["Text", "Link", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline"],
    ...["Squiggly", "StrikeOut", "Stamp", "Caret", "Ink", "Popup", "FileAttachment", "Redact", "Watermark"],
  ].map((name) => PDFName.of(name)),
);

/** Readers make an appearance of their own for them when they have none. */
const drawnKinds: ReadonlySet<PDFObject | undefined> = new Set(
  ["FreeText", "Stamp", "Watermark", "Redact"].map((name) => PDFName.of(name)),
);

function refuseUndrawn(annotation: PDFDict): void {
  if (drawnKinds.has(annotation.lookup(PDFName.of("Subtype"))) && appearanceOf(annotation) === undefined) {
    forbidden("a comment that each reader draws as it likes")();
  }
}

/** A field that has a value and no picture of it. */
export function refuseUndrawnValue(field: PDFDict): void {
  const value = inheritedOf(field, "V");
  const isText = value instanceof PDFString || value instanceof PDFHexString;
  const isFilled =
    (isText && value.decodeText().trim() !== "") || value instanceof PDFArray || value instanceof PDFStream;
  if (isFilled) forbidden("a form field whose value is not drawn")();
}

/** The picture of an annotation in its present state. */
export function appearanceOf(annotation: PDFDict): PDFStream | undefined {
  const appearances = annotation.lookup(PDFName.of("AP"));
  const usual = appearances instanceof PDFDict ? appearances.lookup(PDFName.of("N")) : undefined;
  if (usual instanceof PDFStream) return usual;
  const state = annotation.lookup(PDFName.of("AS"));
  const chosen = usual instanceof PDFDict && state instanceof PDFName ? usual.lookup(state) : undefined;
  return chosen instanceof PDFStream ? chosen : undefined;
}

function inheritedOf(field: PDFDict, name: string): PDFObject | undefined {
  let node: PDFObject | undefined = field;
  for (let depth = 0; node instanceof PDFDict && depth <= maxPageTreeDepth; depth += 1) {
    const value = node.lookup(PDFName.of(name));
    if (value !== undefined) return value;
    node = node.lookup(PDFName.Parent);
  }
  return undefined;
}

function flagsOf(annotation: PDFDict): number {
  const flags = annotation.lookup(PDFName.of("F"));
  return flags instanceof PDFNumber ? flags.asNumber() | 0 : 0;
}

/** As those of signatures that nobody sees are. */
function isWithoutExtent(annotation: PDFDict): boolean {
  const corners = numbersOf(annotation.lookup(PDFName.of("Rect")), 4);
  return corners === undefined || corners[0] === corners[2] || corners[1] === corners[3];
}

export function numbersOf(value: PDFObject | undefined, count: number): number[] | undefined {
  if (!(value instanceof PDFArray) || value.size() !== count) return undefined;
  const numbers = Array.from({ length: count }, (_, index) => value.lookup(index));
  return numbers.every((one) => one instanceof PDFNumber)
    ? numbers.map((one) => (one as PDFNumber).asNumber())
    : undefined;
}
