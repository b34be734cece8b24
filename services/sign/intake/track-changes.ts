import { PDFArray, type PDFContext, PDFDict, type PDFObject, type PDFRef, PDFStream } from "pdf-lib";

/**
 * What is changed of a file that is written as an increment has to be written, and the library looks for the object that
 * a changed dictionary or array stands in through the whole file, at every change, also of what was made a moment ago and
 * stands nowhere yet: the widths of an embedded font are hundreds of changes. Here the objects of the file are gone through
 * once. What they do not have in them is new, and the change that puts it into one of them counts for that one.
 */
export function trackChanges(context: PDFContext): void {
  let owners: ReadonlyMap<PDFObject, PDFRef> | undefined;
  context.registerObjectChange = (changed) => {
    owners ??= ownersIn(context);
    const owner = owners.get(changed);
    if (owner !== undefined) context.snapshot?.markRefForSave(owner);
  };
}

/** In which object of the file each dictionary, array and stream stands. */
function ownersIn(context: PDFContext): ReadonlyMap<PDFObject, PDFRef> {
  const owners = new Map<PDFObject, PDFRef>();
  const objects = context.enumerateIndirectObjects();
  // What is an object of its own belongs to nothing else.
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
