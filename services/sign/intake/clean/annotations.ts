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

/** The annotations of a page that remain, and the fields to draw into it. */
export interface SortedAnnotations {
  readonly kept: readonly PDFObject[];
  readonly fields: readonly PDFDict[];
}

/**
 * Makes annotations look the same on screen and on paper: hidden ones are removed and visible ones are printed.
 * Refuses those whose look is up to each reader.
 */
export function sortAnnotations(context: PDFContext, annotations: readonly PDFObject[]): SortedAnnotations {
  const kept: PDFObject[] = [];
  const fields: PDFDict[] = [];
  for (const link of annotations) {
    const annotation = context.lookup(link);
    if (!(annotation instanceof PDFDict)) continue;
    const flags = flagsOf(annotation);
    const subtype = annotation.lookup(PDFName.of("Subtype"));
    const isHidden = !isShownOnScreen(annotation);
    if (!isHidden && subtype === widget) fields.push(annotation);
    else if (!isHidden && subtype !== undefined && knownKinds.has(subtype)) {
      refuseUndrawn(annotation);
      const { invisible, toggleNoView, print } = flagBits;
      annotation.set(PDFName.of("F"), PDFNumber.of((flags & ~(invisible | toggleNoView)) | print));
      const appearance = annotation.lookup(PDFName.of("AP"));
      // The appearance while the pointer is over it.
      if (appearance instanceof PDFDict) for (const name of ["R", "D"]) appearance.delete(PDFName.of(name));
      const action = annotation.lookup(PDFName.of("A"));
      if (action instanceof PDFDict && action.keys().length === 0) annotation.delete(PDFName.of("A"));
      annotation.delete(PDFName.of("FixedPrint"));
      kept.push(link);
    } else for (const key of annotation.keys()) annotation.delete(key);
  }
  return { kept, fields };
}

/**
 * For files that must not be changed: refuses annotations that look different on screen and on paper, and
 * fields that do not show their value.
 */
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

/** Kinds that readers draw themselves when they have no appearance. */
const drawnKinds: ReadonlySet<PDFObject | undefined> = new Set(
  ["FreeText", "Stamp", "Watermark", "Redact"].map((name) => PDFName.of(name)),
);

function refuseUndrawn(annotation: PDFDict): void {
  if (drawnKinds.has(annotation.lookup(PDFName.of("Subtype"))) && appearanceOf(annotation) === undefined) {
    forbidden("a comment that each reader draws as it likes")();
  }
}

/** Refuses a field with a value but without an appearance. */
export function refuseUndrawnValue(field: PDFDict): void {
  const value = inheritedOf(field, "V");
  const isText = value instanceof PDFString || value instanceof PDFHexString;
  const isFilled =
    (isText && value.decodeText().trim() !== "") || value instanceof PDFArray || value instanceof PDFStream;
  if (isFilled) forbidden("a form field whose value is not drawn")();
}

/** The appearance of an annotation in its current state. */
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

/** Whether it is neither hidden nor for paper alone. */
export const isShownOnScreen = (annotation: PDFDict): boolean =>
  (flagsOf(annotation) & (flagBits.hidden | flagBits.noView)) === 0;

function flagsOf(annotation: PDFDict): number {
  const flags = annotation.lookup(PDFName.of("F"));
  return flags instanceof PDFNumber ? flags.asNumber() | 0 : 0;
}

/** Invisible signature fields have an empty rectangle. */
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
