import { PDFName, PDFNull, type PDFObject, PDFRawStream, PDFRef } from "pdf-lib";
import { maxObjects } from "../pdf-limits.ts";
import { type FileBytes, numberIn, tooManyObjects } from "./cross-reference.ts";
import { ObjectParser } from "./object-parser.ts";

/** An unpacked object stream. */
export interface Container {
  /** The numbers of its objects. */
  readonly numbers: readonly number[];
  read(index: number, number: number): PDFObject;
}

/** Opens an object stream. Throws when it is not one. */
export function openContainer(file: FileBytes, stream: PDFObject): Container {
  if (!(stream instanceof PDFRawStream) || stream.dict.get(PDFName.Type) !== PDFName.of("ObjStm")) {
    throw new Error("there is no object stream");
  }
  const [count, first] = [numberIn(stream.dict, "N"), numberIn(stream.dict, "First")];
  if (count === undefined || first === undefined) throw new Error("an object stream is damaged");
  if (count > maxObjects) throw tooManyObjects();
  const data = file.unpack(stream);
  const parser = new ObjectParser(data, file.context, { isStrict: file.isStrict });
  const heads = Array.from({ length: count }, () => {
    parser.skipBlanks();
    const number = parser.integer();
    parser.skipBlanks();
    return { number, offset: first + parser.integer() };
  });
  return {
    numbers: heads.map(({ number }) => number),
    read: (index, number) => {
      const head = heads[index];
      if (head?.number !== number) throw new Error("another object stands there");
      parser.at = head.offset;
      const object = parser.object();
      return object instanceof PDFRef ? PDFNull : object;
    },
  };
}
