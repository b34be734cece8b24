import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFString,
} from "pdf-lib";

/** What the signature dictionary says besides the signature. */
export interface SealStatement {
  /** Who seals. */
  readonly name: string;
  readonly reason: string;
  readonly sealedAt: Date;
}

/** Room for the certificates and a time stamp. */
export const signatureBytes = 14_336;

/** As wide as the largest offset of a file that anybody sends, so that filling it in moves nothing. */
export const byteRangeHole = 9_999_999_999;

/**
 * Adds a signature field without a visible part, whose signature is still to be made: PAdES (ETSI EN 319 142-1), so the
 * time stands in /M and not in the signed attributes. Fields and signatures that are there stay.
 */
export function addSignaturePlaceholder(document: PDFDocument, statement: SealStatement): void {
  const { context, catalog } = document;
  const signature = context.obj({
    Type: "Sig",
    Filter: "Adobe.PPKLite",
    SubFilter: "ETSI.CAdES.detached",
    ByteRange: [0, byteRangeHole, byteRangeHole, byteRangeHole],
    Contents: PDFHexString.of("0".repeat(2 * signatureBytes)),
    Name: PDFHexString.fromText(statement.name),
    Reason: PDFHexString.fromText(statement.reason),
    M: PDFString.fromDate(statement.sealedAt),
  });
  const page = document.getPage(0);
  const form = formOf(document);
  const field = context.obj({
    Type: "Annot",
    Subtype: "Widget",
    FT: "Sig",
    Rect: [0, 0, 0, 0],
    V: context.register(signature),
    T: PDFString.of(freeName(form)),
    // Print, and locked: nobody moves or removes it by accident.
    F: 132,
    P: page.ref,
  });
  const fieldRef = context.register(field);
  arrayIn(form, "Fields").push(fieldRef);
  arrayIn(page.node, "Annots").push(fieldRef);
  // SignaturesExist and AppendOnly (ISO 32000-2 §12.7.3).
  form.set(PDFName.of("SigFlags"), PDFNumber.of(3));
  if (!catalog.has(PDFName.of("AcroForm"))) catalog.set(PDFName.of("AcroForm"), context.register(form));
}

function formOf({ context, catalog }: PDFDocument): PDFDict {
  const form = catalog.lookupMaybe(PDFName.of("AcroForm"), PDFDict);
  return form ?? context.obj({ Fields: [] });
}

/** The array under this name; made when there is none, or something else that no reader understands. */
function arrayIn(dictionary: PDFDict, name: string): PDFArray {
  const there = dictionary.lookup(PDFName.of(name));
  if (there instanceof PDFArray) return there;
  const made = dictionary.context.obj([]);
  dictionary.set(PDFName.of(name), made);
  return made;
}

/** Names of fields on one level are unique. */
function freeName(form: PDFDict): string {
  const fields = form.lookup(PDFName.of("Fields"));
  const taken = new Set(fields instanceof PDFArray ? fields.asArray().map((field) => nameOf(form, field)) : []);
  for (let n = 1; ; n += 1) if (!taken.has(`Seal${n}`)) return `Seal${n}`;
}

function nameOf({ context }: PDFDict, field: PDFObject): string | undefined {
  const dictionary = field instanceof PDFRef ? context.lookup(field) : field;
  const name = dictionary instanceof PDFDict ? dictionary.lookup(PDFName.of("T")) : undefined;
  return name instanceof PDFString || name instanceof PDFHexString ? name.decodeText() : undefined;
}
