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

/** The descriptive entries of the signature dictionary. */
export interface SealStatement {
  /** The name of the sealer. */
  readonly name: string;
  readonly reason: string;
  readonly sealedAt: Date;
}

/** Room for certificates and a timestamp. */
export const signatureBytes = 14_336;

/** As wide as the largest possible offset, so that filling it in shifts nothing. */
export const byteRangeHole = 9_999_999_999;

/**
 * Adds an invisible signature field with a placeholder for a PAdES signature (ETSI EN 319 142-1), so the time
 * is in /M and not in the signed attributes. Keeps existing fields and signatures.
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
  // An empty appearance: invisible, but PDF/A-1 requires one.
  const nothing = context.stream("", { Type: "XObject", Subtype: "Form", BBox: [0, 0, 0, 0] });
  // Print and Locked, so that nobody moves or removes it by accident.
  const look = { F: 132, Rect: [0, 0, 0, 0], AP: { N: context.register(nothing) }, TU: text, Contents: text };
  const entries = { ...look, V: context.register(signature) };
  const field = addSignatureField(document, document.getPage(0), { name: names.next("Seal"), entries });
  const flags = PDFName.of("SigFlags");
  const form = formOf(document);
  // SignaturesExist and AppendOnly (ISO 32000-2 §12.7.3). A file that was signed before already has them.
  if (form.get(flags) === undefined || !names.isSigned) form.set(flags, PDFNumber.of(3));
  return field;
}

export interface SignatureField {
  readonly ref: PDFRef;
  readonly dict: PDFDict;
}

type Entries = NonNullable<Parameters<PDFContext["stream"]>[1]>;

/** Adds a field with a single widget, on one page. */
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

/** Names for new fields. */
export interface FieldNames {
  /** Whether the file was signed before. */
  readonly isSigned: boolean;
  /** A free name: the prefix and a number. */
  next(prefix: string): string;
}

/** Field names must be unique at their level and must not be locked by an earlier signature. */
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

/** The array under this name; created when it is missing or not an array. */
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
