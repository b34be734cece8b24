import { PDFArray, type PDFContext, PDFDict, type PDFObject, type PDFRef, PDFStream } from "pdf-lib";

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
