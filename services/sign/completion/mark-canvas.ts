import { type PDFDict, type PDFDocument, type PDFFont, PDFName, type PDFOperator, type PDFRef } from "pdf-lib";
import type { Box } from "./mark.ts";

/**
 * The canvas of one mark: a form XObject (ISO 32000-2 §8.10) with its own resources. Points to the right and up
 * from the upper left corner of the page as displayed.
 */
export interface MarkCanvas {
  readonly document: PDFDocument;
  push(...operators: readonly PDFOperator[]): void;
  /** The resource name of a font. */
  fontKey(font: PDFFont): PDFName;
  /** The resource name of an image. */
  imageKey(image: PDFRef): PDFName;
  /** Extends the form's bounding box beyond the mark's box, to these edges. */
  reach(reached: Partial<Edges>): void;
  /** Creates a form XObject from what was drawn. With a role it becomes a structure element. */
  toForm(look: FormLook): MarkForm;
}

interface Edges {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

export interface FormLook {
  /** Maps the canvas coordinates to those of the page. */
  readonly matrix?: readonly number[];
  readonly role?: string | undefined;
  /** Whether the file claims PDF/A, which requires device-independent colours. */
  readonly isArchived: boolean;
}

export interface MarkForm {
  readonly ref: PDFRef;
  readonly dict: PDFDict;
  readonly edges: Edges;
}

export function createMarkCanvas(document: PDFDocument, box: Box): MarkCanvas {
  const { context } = document;
  const operators: PDFOperator[] = [];
  const fonts = new Map<PDFFont, PDFName>();
  const images = new Map<PDFRef, PDFName>();
  let edges: Edges = { left: box.x, bottom: -(box.y + box.height), right: box.x + box.width, top: -box.y };
  const named = <Key>(names: Map<Key, PDFName>, key: Key, prefix: string): PDFName => {
    const name = names.get(key) ?? PDFName.of(`${prefix}${names.size}`);
    names.set(key, name);
    return name;
  };
  return {
    document,
    push: (...drawn) => void operators.push(...drawn),
    fontKey: (font) => named(fonts, font, "F"),
    imageKey: (image) => named(images, image, "I"),
    reach: ({ left, bottom, right, top }) => {
      edges = {
        left: Math.min(edges.left, left ?? edges.left),
        bottom: Math.min(edges.bottom, bottom ?? edges.bottom),
        right: Math.max(edges.right, right ?? edges.right),
        top: Math.max(edges.top, top ?? edges.top),
      };
    },
    toForm: ({ matrix, role, isArchived }) => {
      const resources = context.obj({});
      if (fonts.size > 0)
        resources.set(
          PDFName.of("Font"),
          refsOf(document, fonts, ({ ref }) => ref),
        );
      if (images.size > 0)
        resources.set(
          PDFName.of("XObject"),
          refsOf(document, images, (ref) => ref),
        );
      if (isArchived) resources.set(PDFName.of("ColorSpace"), context.obj({ DefaultRGB: ["CalRGB", standardRgb] }));
      const content = role === undefined ? operators : tagged(role, operators);
      const bounds = [edges.left, edges.bottom, edges.right, edges.top];
      const stream = context.flateStream(content.map(String).join("\n"), {
        Type: "XObject",
        Subtype: "Form",
        BBox: bounds,
        ...(matrix === undefined ? {} : { Matrix: [...matrix] }),
        Resources: resources,
      });
      return { ref: context.register(stream), dict: stream.dict, edges };
    },
  };
}

function refsOf<Key>({ context }: PDFDocument, names: ReadonlyMap<Key, PDFName>, refOf: (key: Key) => PDFRef): PDFDict {
  const dictionary = context.obj({});
  for (const [key, name] of names) dictionary.set(name, refOf(key));
  return dictionary;
}

/** The form's only marked content. */
const tagged = (role: string, operators: readonly PDFOperator[]): readonly (PDFOperator | string)[] => [
  `/${role} <</MCID 0>> BDC`,
  ...operators,
  "EMC",
];

/** sRGB as a calibrated, device-independent colour space (IEC 61966-2-1). */
const standardRgb = {
  WhitePoint: [0.9505, 1, 1.089],
  Gamma: [2.2, 2.2, 2.2],
  Matrix: [0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505],
};
