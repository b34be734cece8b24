import { createHash } from "node:crypto";
import {
  PDFArray,
  PDFDict,
  PDFHeader,
  PDFHexString,
  PDFName,
  PDFNull,
  type PDFObject,
  PDFRef,
  PDFStream,
  PDFString,
  PDFWriter,
} from "pdf-lib";
import type { Graph } from "./read-graph.ts";

/**
 * Writes the graph as a new file: reachable objects once each, numbered in the order of discovery, and one
 * plain cross-reference table. The same graph always gives the same bytes, and writing such a file again does
 * not change it. Spoils the graph.
 */
export async function writeGraph({ context, version }: Graph, sent: Buffer): Promise<Uint8Array> {
  const { Root, Info, ID } = context.trailerInfo;
  const known = new Map(context.enumerateIndirectObjects());
  const found = new Map<PDFRef, PDFRef>();
  const waiting: PDFObject[] = [];
  const renumber = (ref: PDFRef): PDFObject => {
    const old = known.get(ref);
    if (old === undefined || old === PDFNull) return PDFNull;
    const already = found.get(ref);
    if (already !== undefined) return already;
    const made = PDFRef.of(found.size + 1);
    found.set(ref, made);
    waiting.push(old);
    return made;
  };
  const [root, info] = [Root, Info].map((value) => (value instanceof PDFRef ? renumber(value) : PDFNull));
  for (let at = 0; at < waiting.length; at += 1) renumberIn(waiting[at] as PDFObject, renumber);
  const objects = [...found].map(([old, ref]) => [ref, known.get(old) as PDFObject] as const);
  for (const ref of known.keys()) context.delete(ref);
  context.largestObjectNumber = 0;
  for (const [ref, object] of objects) context.assign(ref, object);
  context.header = PDFHeader.forVersion(...numbersOf(version));
  context.trailerInfo = {
    Root: root ?? PDFNull,
    ...(info instanceof PDFRef ? { Info: info } : {}),
    ID: textsIn(context.lookup(ID)) ?? context.obj([idOf(sent), idOf(sent)]),
  };
  return PDFWriter.forContext(context, Number.POSITIVE_INFINITY).serializeToBuffer();
}

/** Renumbers references inside the object itself. */
function renumberIn(object: PDFObject, renumber: (ref: PDFRef) => PDFObject): void {
  const waiting = [object];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFStream) {
      // Its objects are written out individually, so readers must not look for them in it.
      const type = value.dict.get(PDFName.Type);
      if (type === PDFName.of("ObjStm") || type === PDFName.of("XRef")) value.dict.delete(PDFName.Type);
      waiting.push(value.dict);
    } else if (value instanceof PDFDict) {
      for (const [key, item] of value.entries()) {
        if (item instanceof PDFRef) {
          const made = renumber(item);
          if (made === PDFNull) value.delete(key);
          else value.set(key, made);
        } else if (item instanceof PDFDict || item instanceof PDFArray) waiting.push(item);
      }
    } else if (value instanceof PDFArray) {
      for (let index = 0; index < value.size(); index += 1) {
        const item = value.get(index);
        if (item instanceof PDFRef) value.set(index, renumber(item));
        else if (item instanceof PDFDict || item instanceof PDFArray) waiting.push(item);
      }
    }
  }
}

const numbersOf = (version: string): [major: number, minor: number] => {
  const [major = 1, minor = 7] = version.split(".").map(Number);
  return [major, minor];
};

function textsIn(id: PDFObject | undefined): PDFArray | undefined {
  const isText = (part: PDFObject) => part instanceof PDFString || part instanceof PDFHexString;
  return id instanceof PDFArray && id.size() === 2 && id.asArray().every(isText) ? id : undefined;
}

const idOf = (sent: Buffer): PDFHexString =>
  PDFHexString.fromBytes(createHash("sha256").update(sent).digest().subarray(0, 16));
