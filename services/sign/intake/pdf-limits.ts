import { PDFArray, type PDFContext, PDFDict, type PDFObject, type PDFRef, PDFStream } from "pdf-lib";

/** Limits on PDFs that keep every later step feasible. */

export const maxPages = 2_000;
/** Depth of the page tree above a page. */
export const maxPageTreeDepth = 64;
/** Indirect objects; each takes up to a kilobyte in memory. */
export const maxObjects = 300_000;
/** Unpacked size of all object streams and cross-reference streams, which a parser unpacks up front. */
export const maxUnpackedBytes = 64 * 1024 * 1024;
/** Nesting of arrays and dictionaries. */
export const maxObjectDepth = 100;
/** Incremental updates in a file. */
export const maxRevisions = 1_000;
/** Points; 200 inches, the most that viewers show (ISO 32000-1, annex C). */
export const maxPageSide = 14_400;
/** Points; fields do not fit on less. */
export const minPageSide = 3;
/** Occurrences of one text in an agreement. */
export const maxMatches = 1_000;
/** Form fields, including those that only group others. */
export const maxFields = 5_000;
/** Nesting of form fields. */
export const maxFieldDepth = 32;
/** Annotations on all pages, and separately the number of places where fields are shown. */
export const maxAnnotations = 20_000;

/**
 * Why a PDF is refused, as a sentence for the caller. Any other error a library throws is reported as a damaged
 * file.
 */
export class PdfProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PdfProblem";
  }
}

export const damagedMessage = "The PDF is damaged. Save it again and retry.";
export const encryptedMessage = "The PDF is encrypted. Remove its password and retry.";

/** For files that must not be changed. */
export const ambiguous = (what: string) =>
  new PdfProblem(
    `The PDF carries signatures, so that it is taken as it is, but it can be read in more than one way: ${what}.`,
  );

/**
 * Speeds up incremental updates. For each change, pdf-lib searches the whole file for the indirect object that
 * contains the changed dictionary or array, even for objects that were just created: embedding a font makes
 * hundreds of such changes. This indexes the file's objects once. Anything not in the index is new, and is
 * covered by the change that attaches it to an indexed object.
 */
export function trackChanges(context: PDFContext): void {
  let owners: ReadonlyMap<PDFObject, PDFRef> | undefined;
  context.registerObjectChange = (changed) => {
    owners ??= ownersIn(context);
    const owner = owners.get(changed);
    if (owner !== undefined) context.snapshot?.markRefForSave(owner);
  };
}

/** The indirect object that contains each dictionary, array and stream. */
function ownersIn(context: PDFContext): ReadonlyMap<PDFObject, PDFRef> {
  const owners = new Map<PDFObject, PDFRef>();
  const objects = context.enumerateIndirectObjects();
  // An indirect object belongs to no other object.
  for (const [ref, object] of objects) if (isContainer(object)) owners.set(object, ref);
  for (const [ref, object] of objects) {
    const waiting = partsOf(object);
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
      if (owners.has(part)) continue;
      owners.set(part, ref);
      waiting.push(...partsOf(part));
    }
  }
  return owners;
}

const isContainer = (object: PDFObject): boolean =>
  object instanceof PDFDict || object instanceof PDFArray || object instanceof PDFStream;

function partsOf(object: PDFObject): PDFObject[] {
  if (object instanceof PDFStream) return [object.dict];
  if (object instanceof PDFDict) return object.values().filter(isContainer);
  return object instanceof PDFArray ? object.asArray().filter(isContainer) : [];
}
