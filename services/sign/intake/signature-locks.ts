import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFString,
} from "pdf-lib";
import { PdfProblem } from "./pdf-limits.ts";
import { linksIn } from "./reading/read-graph.ts";

/** What existing signatures permit afterwards (ISO 32000-2 §12.8.2). */
export interface SignatureLocks {
  /**
   * The DocMDP level of a certified file: 2 permits signing and form filling, 3 annotations too. Verifiers
   * disagree on which new content pages may show, so we add none.
   */
  readonly permission: 2 | 3 | undefined;
  /** Whether the signatures forbid adding a field of this name. */
  isLocked(name: string): boolean;
}

/** Throws a PdfProblem that names the lock when not even a seal may be added. */
export function readLocks(document: PDFDocument): SignatureLocks {
  const locks = signedFields(document).flatMap(locksOfField);
  const certification = certificationOf(document);
  if (certification !== undefined) {
    const own = locksOfSignature(certification);
    locks.push(...own, ...(own.some(({ kind }) => kind === "document") ? [] : [{ kind: "document" } as const]));
  }
  const names: string[] = [];
  const permissions: (2 | 3)[] = [];
  for (const lock of locks) {
    if (lock.kind === "document") permissions.push(permissionOf(lock));
    else names.push(...lockedNames(lock));
  }
  return {
    permission: permissions.toSorted()[0],
    isLocked: (field) => names.some((locked) => field === locked || field.startsWith(`${locked}.`)),
  };
}

type Lock =
  | { readonly kind: "document"; readonly permission?: number | undefined }
  | { readonly kind: "fields"; readonly source: string; readonly rules: PDFDict };

const name = (text: string): PDFName => PDFName.of(text);

function locksOfField(field: PDFDict): Lock[] {
  const locks: Lock[] = [];
  const value = field.lookup(name("V"));
  if (value instanceof PDFDict) locks.push(...locksOfSignature(value));
  const rules = field.lookup(name("Lock"));
  if (rules instanceof PDFDict) {
    locks.push({ kind: "fields", source: "the lock of a signature field (Lock)", rules });
    const permission = rules.lookup(name("P"));
    if (permission !== undefined) locks.push({ kind: "document", permission: numberOf(permission) });
  }
  return locks;
}

function locksOfSignature(signature: PDFDict): Lock[] {
  const references = signature.lookup(name("Reference"));
  if (!(references instanceof PDFArray)) return [];
  return references.asArray().flatMap((item): Lock[] => {
    const reference = signature.context.lookup(item);
    if (!(reference instanceof PDFDict)) return [];
    const method = reference.lookup(name("TransformMethod"));
    const found = reference.lookup(name("TransformParams"));
    const rules = found instanceof PDFDict ? found : reference.context.obj({});
    if (method === name("FieldMDP")) return [{ kind: "fields", source: "a signature (FieldMDP)", rules }];
    if (method !== name("DocMDP")) return [];
    const permission = rules.lookup(name("P"));
    return [{ kind: "document", permission: permission === undefined ? undefined : numberOf(permission) }];
  });
}

/** -1 for anything that is not a number: no known rule. */
const numberOf = (value: PDFObject): number => (value instanceof PDFNumber ? value.asNumber() : -1);

/** 2, the default, permits form filling and signing; 3 permits annotations too. */
function permissionOf({ permission = 2 }: Lock & { kind: "document" }): 2 | 3 {
  if (permission === 2 || permission === 3) return permission;
  const rule = permission === 1 ? "1, no changes" : "unknown";
  throw locked(`it is certified with a lock of the whole document (DocMDP, P: ${rule})`);
}

function lockedNames({ source, rules }: Lock & { kind: "fields" }): string[] {
  const action = rules.lookup(name("Action"));
  const fields = rules.lookup(name("Fields"));
  // All other actions lock fields added later, including a seal.
  if (action !== name("Include") || !(fields instanceof PDFArray)) {
    const shown = action instanceof PDFName ? action.decodeText() : "unknown";
    throw locked(`${source} locks all fields that come later (Action: ${shown.slice(0, 20)})`);
  }
  return fields.asArray().map((item) => {
    const field = rules.context.lookup(item);
    return field instanceof PDFString || field instanceof PDFHexString ? field.decodeText() : "";
  });
}

const locked = (why: string): PdfProblem =>
  new PdfProblem(`The PDF is signed, and ${why}. Whatever is added breaks that signature: sign a copy without it.`);

/**
 * Whether the PDF contains anything that a reader may take for a signature: a filled signature field, a
 * certification, or any dictionary shaped like a signature.
 */
export const isSignedPdf = (document: PDFDocument): boolean =>
  signedFields(document).length > 0 ||
  certificationOf(document) !== undefined ||
  document.context.enumerateIndirectObjects().some(([, object]) => hasSignature(object));

function hasSignature(object: PDFObject): boolean {
  const waiting = [object];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFDict && value.has(rangeName) && isText(value.lookup(PDFName.of("Contents")))) return true;
    waiting.push(...linksIn(value));
  }
  return false;
}

const rangeName = PDFName.of("ByteRange");

const isText = (value: PDFObject | undefined): boolean => value instanceof PDFHexString || value instanceof PDFString;

/** The certification signature of the file. */
export function certificationOf({ catalog }: PDFDocument): PDFDict | undefined {
  const permissions = catalog.lookup(PDFName.of("Perms"));
  const found = permissions instanceof PDFDict ? permissions.lookup(PDFName.of("DocMDP")) : undefined;
  return found instanceof PDFDict ? found : undefined;
}

/** Filled signature fields. */
export function signedFields(document: PDFDocument): PDFDict[] {
  const form = document.catalog.lookup(PDFName.of("AcroForm"));
  const fields = form instanceof PDFDict ? form.lookup(PDFName.of("Fields")) : undefined;
  const signed: PDFDict[] = [];
  const seen = new Set<PDFObject>();
  const waiting: { link: PDFObject; isSignature: boolean }[] = [];
  const add = (links: PDFObject | undefined, isSignature: boolean) => {
    if (links instanceof PDFArray) for (const link of links.asArray()) waiting.push({ link, isSignature });
  };
  add(fields, false);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const field = document.context.lookup(next.link);
    if (!(field instanceof PDFDict) || seen.has(field)) continue;
    seen.add(field);
    const type = field.lookup(PDFName.of("FT"));
    // Field types are inherited from the parent.
    const isSignature = type === undefined ? next.isSignature : type === PDFName.of("Sig");
    if (isSignature && field.lookup(PDFName.of("V")) instanceof PDFDict) signed.push(field);
    add(field.lookup(PDFName.of("Kids")), isSignature);
  }
  return signed;
}
