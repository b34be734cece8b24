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
import { PdfProblem } from "./pdf-problem.ts";
import { certificationOf, signedFields } from "./signed-fields.ts";

/** What the signatures that a file has leave to those who come after (ISO 32000-2 §12.8.2). */
export interface SignatureLocks {
  /**
   * The rule of DocMDP when a file is certified: it may be signed and filled in, and by 3 annotated. Those who verify do
   * not agree on what may newly show on its pages, so nothing may.
   */
  readonly permission: 2 | 3 | undefined;
  /** Whether a field of this name must not be there afterwards, if it was not before. */
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

/** -1 for what is none: no rule that is known. */
const numberOf = (value: PDFObject): number => (value instanceof PDFNumber ? value.asNumber() : -1);

/** 2 permits filling in and signing, and is the rule where none is named; 3 permits annotations, too. */
function permissionOf({ permission = 2 }: Lock & { kind: "document" }): 2 | 3 {
  if (permission === 2 || permission === 3) return permission;
  const rule = permission === 1 ? "1, no changes" : "unknown";
  throw locked(`it is certified with a lock of the whole document (DocMDP, P: ${rule})`);
}

function lockedNames({ source, rules }: Lock & { kind: "fields" }): string[] {
  const action = rules.lookup(name("Action"));
  const fields = rules.lookup(name("Fields"));
  // Fields that come later are locked by all other rules, a seal among them.
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
