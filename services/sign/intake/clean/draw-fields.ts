import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFObject, type PDFRef, type PDFStream } from "pdf-lib";
import { appearanceOf, numbersOf, refuseUndrawnValue } from "./annotations.ts";
import { frameOf } from "./form-fields.ts";

/**
 * Flattens form fields: draws their appearance into the page, so that they cannot show another value or look
 * different in another reader. Refuses a field that has a value but no appearance. Of fields that became tabs, only
 * the frame is drawn.
 */
export function drawFields(
  context: PDFContext,
  page: PDFDict,
  fields: readonly PDFDict[],
  transformed: ReadonlySet<PDFDict>,
): void {
  const frames = fields.map((field) => (transformed.has(field) ? frameOf(field) : "")).join("");
  const pictures = fields.flatMap((field) => {
    if (transformed.has(field)) return [];
    const picture = appearanceOf(field);
    if (picture === undefined) refuseUndrawnValue(field);
    const matrix = picture && matrixOf(field, picture);
    return picture === undefined || matrix === undefined
      ? []
      : [{ picture, matrix, layer: field.get(PDFName.of("OC")) }];
  });
  for (const field of fields) for (const key of field.keys()) field.delete(key);
  if (pictures.length === 0 && frames === "") return;
  const objects = xObjectsOf(context, page);
  const drawn = pictures.map(({ picture, matrix, layer }) => {
    picture.dict.set(PDFName.Type, PDFName.XObject);
    picture.dict.set(PDFName.of("Subtype"), PDFName.of("Form"));
    if (layer !== undefined) picture.dict.set(PDFName.of("OC"), layer);
    const name = freeName(objects);
    objects.set(PDFName.of(name), refOf(context, picture));
    return `q ${matrix.map((value) => value.toFixed(5)).join(" ")} cm /${name} Do Q\n`;
  });
  const isMarked = page.has(PDFName.of("StructParents"));
  const marks = frames + drawn.join("");
  const text = isMarked ? `/Artifact BMC\n${marks}EMC\n` : marks;
  const contents = page.lookup(PDFName.Contents);
  const old = contents instanceof PDFArray ? contents.asArray() : [page.get(PDFName.Contents) ?? []].flat();
  const before = context.register(context.stream("q\n"));
  page.set(PDFName.Contents, context.obj([before, ...old, context.register(context.stream(`\nQ\n${text}`))]));
}

/**
 * The matrix that maps a field's appearance to its place (ISO 32000-2 §12.5.5); undefined when the appearance
 * is empty.
 */
function matrixOf(field: PDFDict, { dict }: PDFStream): number[] | undefined {
  const [left = 0, bottom = 0, right = 0, top = 0] = numbersOf(field.lookup(PDFName.of("Rect")), 4) ?? [];
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = numbersOf(dict.lookup(PDFName.of("BBox")), 4) ?? [];
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbersOf(dict.lookup(PDFName.of("Matrix")), 6) ?? [];
  const corners = [
    [x0, y0],
    [x0, y1],
    [x1, y0],
    [x1, y1],
  ].map(([x = 0, y = 0]) => [a * x + c * y + e, b * x + d * y + f] as const);
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [fromX, fromY] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - fromX, Math.max(...ys) - fromY];
  if (!(width > 0) || !(height > 0) || left === right || bottom === top) return undefined;
  const [scaleX, scaleY] = [Math.abs(right - left) / width, Math.abs(top - bottom) / height];
  return [scaleX, 0, 0, scaleY, Math.min(left, right) - fromX * scaleX, Math.min(bottom, top) - fromY * scaleY];
}

function xObjectsOf(context: PDFContext, page: PDFDict): PDFDict {
  const child = (parent: PDFDict, key: PDFName): PDFDict => {
    const there = parent.lookup(key);
    if (there instanceof PDFDict) return there;
    const made = context.obj({});
    parent.set(key, made);
    return made;
  };
  return child(child(page, PDFName.Resources), PDFName.XObject);
}

function freeName(objects: PDFDict): string {
  for (let number = objects.keys().length + 1; ; number += 1) {
    if (!objects.has(PDFName.of(`Field${number}`))) return `Field${number}`;
  }
}

/** Streams must be indirect objects. */
function refOf(context: PDFContext, picture: PDFStream): PDFRef {
  const known = references.get(context) ?? new Map<PDFObject, PDFRef>();
  if (known.size === 0) for (const [ref, object] of context.enumerateIndirectObjects()) known.set(object, ref);
  references.set(context, known);
  return known.get(picture) ?? context.register(picture);
}

const references = new WeakMap<PDFContext, Map<PDFObject, PDFRef>>();
