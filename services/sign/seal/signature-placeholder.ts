import {
  PDFArray,
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFPage,
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
export function addSignaturePlaceholder(
  document: PDFDocument,
  statement: SealStatement,
  names: FieldNames = fieldNamesOf(document),
): SignatureField {
  const { context } = document;
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
  const text = PDFHexString.fromText(statement.name);
  // Nothing is to be seen of it; PDF/A-1 wants that said by an appearance.
  const nothing = context.stream("", { Type: "XObject", Subtype: "Form", BBox: [0, 0, 0, 0] });
  // Print, and locked: nobody moves or removes it by accident.
  const look = { F: 132, Rect: [0, 0, 0, 0], AP: { N: context.register(nothing) }, TU: text, Contents: text };
  const entries = { ...look, V: context.register(signature) };
  const field = addSignatureField(document, document.getPage(0), { name: names.next("Seal"), entries });
  const flags = PDFName.of("SigFlags");
  const form = formOf(document);
  // SignaturesExist and AppendOnly (ISO 32000-2 §12.7.3). Where a signature is there, what it has signed says so already.
  if (form.get(flags) === undefined || !names.isSigned) form.set(flags, PDFNumber.of(3));
  return field;
}

export interface SignatureField {
  readonly ref: PDFRef;
  readonly dict: PDFDict;
}

type Entries = NonNullable<Parameters<PDFContext["stream"]>[1]>;

/** Adds a field that is shown by one annotation, on one page. */
export function addSignatureField(
  document: PDFDocument,
  page: PDFPage,
  { name, entries }: { readonly name: string; readonly entries: Entries },
): SignatureField {
  const { context } = document;
  const field: Entries = {
    Type: "Annot",
    Subtype: "Widget",
    FT: "Sig",
    T: PDFString.of(name),
    P: page.ref,
    ...entries,
  };
  const dict: PDFDict = context.obj(field);
  const ref = context.register(dict);
  arrayIn(formOf(document), "Fields").push(ref);
  arrayIn(page.node, "Annots").push(ref);
  return { ref, dict };
}

/** Names that new fields may have. */
export interface FieldNames {
  /** Whether somebody has signed the file before. */
  readonly isSigned: boolean;
  /** One that is free: the prefix and a number. */
  next(prefix: string): string;
}

/** Names of fields on one level are unique, and those that a signature locks are not for us. */
export function fieldNamesOf(document: PDFDocument, signed?: { isLocked(name: string): boolean }): FieldNames {
  const form = formOf(document);
  const fields = form.lookup(PDFName.of("Fields"));
  const taken = new Set(fields instanceof PDFArray ? fields.asArray().map((field) => nameOf(form, field)) : []);
  const numbers = new Map<string, number>();
  const next = (prefix: string): string => {
    const number = (numbers.get(prefix) ?? 0) + 1;
    numbers.set(prefix, number);
    const name = `${prefix}${number}`;
    return taken.has(name) || signed?.isLocked(name) === true ? next(prefix) : name;
  };
  return { isSigned: signed !== undefined, next };
}

function formOf({ context, catalog }: PDFDocument): PDFDict {
  const form = catalog.lookupMaybe(PDFName.of("AcroForm"), PDFDict);
  if (form !== undefined) return form;
  const made = context.obj({ Fields: [] });
  catalog.set(PDFName.of("AcroForm"), context.register(made));
  return made;
}

/** The array under this name; made when there is none, or something else that no reader understands. */
function arrayIn(dictionary: PDFDict, name: string): PDFArray {
  const there = dictionary.lookup(PDFName.of(name));
  if (there instanceof PDFArray) return there;
  const made = dictionary.context.obj([]);
  dictionary.set(PDFName.of(name), made);
  return made;
}

function nameOf({ context }: PDFDict, field: PDFObject): string | undefined {
  const dictionary = field instanceof PDFRef ? context.lookup(field) : field;
  const name = dictionary instanceof PDFDict ? dictionary.lookup(PDFName.of("T")) : undefined;
  return name instanceof PDFString || name instanceof PDFHexString ? name.decodeText() : undefined;
}
