import { type Entry, isStream, openPdf, type PdfFile, type PdfStream } from "./pdf-file.ts";
import { isArray, isDict, isRef, type PdfDict, type PdfValue } from "./pdf-objects.ts";

/** What was added to a page. */
export interface Added {
  /** Contents after those that were there, unpacked. */
  readonly contents: readonly Buffer[];
  /** Pictures and forms, by their names among the resources. */
  readonly objects: AddedObjects;
  /** What new fields show; none of them can be filled. */
  readonly looks: readonly AddedObject[];
}

export type AddedObjects = ReadonlyMap<string, AddedObject>;

/** Something that a content draws by its name. */
export type AddedObject =
  | { readonly kind: "image" }
  | {
      readonly kind: "form";
      readonly matrix: readonly PdfValue[];
      readonly content: Buffer;
      readonly objects: AddedObjects;
    };

/** Something is not as it was; a sentence without anything of the file. */
export class Difference extends Error {}

/** Numbers of pages from 1. */
export type AddedToPages = ReadonlyMap<number, Added>;

/**
 * Compares a file with what was written after it: which objects are others now, and that each of these has changed only
 * in the ways in which marks and a seal change a file. What no reader is sent to by the cross-reference of the longer file
 * is as it was, so pictures, fonts and everything else that is drawn with need not be looked into. Throws a Difference.
 */
export function compareStructure(shown: PdfFile, sealed: PdfFile): AddedToPages {
  const touched = new Set<number>();
  for (const [number, entry] of shown.entries) if (!isSame(entry, sealed.entries.get(number))) touched.add(number);
  const { added, mayDiffer } = compare(shown, sealed, touched);
  for (const number of touched) {
    if (!mayDiffer.has(number)) throw new Difference("an object that was there has been written anew");
  }
  return added;
}

/** Undefined when one of them does not follow its own cross-reference, or the second is not the first with more after it. */
export function openBoth(shown: Buffer, sealed: Buffer): { shown: PdfFile; sealed: PdfFile } | undefined {
  if (!sealed.subarray(0, shown.length).equals(shown)) return undefined;
  let before: PdfFile;
  try {
    before = openPdf(shown);
  } catch {
    return undefined;
  }
  try {
    return { shown: before, sealed: openPdf(sealed) };
  } catch {
    throw new Difference("its cross-reference is damaged");
  }
}

const isSame = (a: Entry, b: Entry | undefined): boolean =>
  b !== undefined &&
  ("offset" in a
    ? "offset" in b && a.offset === b.offset
    : "stream" in b && a.stream === b.stream && a.index === b.index);

type Found = PdfValue | PdfStream;

/** Deeply, with references by their numbers: what they lead to is looked at on its own. */
function equal(a: Found | undefined, b: Found | undefined): boolean {
  if (a === b) return true;
  if (isStream(a) || isStream(b) || a === undefined || b === undefined) return false;
  if (isRef(a) || isRef(b)) return isRef(a) && isRef(b) && a.ref === b.ref;
  if (isArray(a) || isArray(b)) {
    return isArray(a) && isArray(b) && a.length === b.length && a.every((one, index) => equal(one, b[index]));
  }
  if (!isDict(a) || !isDict(b) || a.size !== b.size) return false;
  return [...a].every(([key, value]) => equal(value, b.get(key)));
}

const maxTreeDepth = 64;
const inheritable = new Set(["/Resources", "/MediaBox", "/CropBox", "/Rotate"]);
/** They tell of a file and show nothing. */
const untold = new Set(["/Metadata", "/StructTreeRoot", "/MarkInfo", "/ViewerPreferences"]);
const maxFormDepth = 5;

function compare(shown: PdfFile, sealed: PdfFile, touched: ReadonlySet<number>) {
  const added = new Map<number, Added>();
  const mayDiffer = new Set<number>();
  let seal: number | undefined;

  /** An object that was not there; nothing of the file can be taken for it. */
  const isNew = (value: PdfValue | undefined): boolean => isRef(value) && !shown.entries.has(value.ref);
  const requireEqual = (before: PdfValue | undefined, after: PdfValue | undefined, what: string): void => {
    if (!equal(before ?? null, after ?? null) && !equal(shown.resolve(before), sealed.resolve(after))) {
      throw new Difference(`${what} has changed`);
    }
  };
  const dictionaryOf = (file: PdfFile, value: PdfValue | undefined): PdfDict => {
    const found = file.resolve(value);
    return !isStream(found) && isDict(found) ? found : new Map();
  };
  const arrayOf = (file: PdfFile, value: PdfValue | undefined): readonly PdfValue[] => {
    const found = file.resolve(value);
    return !isStream(found) && isArray(found) ? found : [];
  };
  /** All that was there, as it was; answers what came after it. */
  const longer = (before: PdfValue | undefined, after: PdfValue | undefined, what: string): readonly PdfValue[] => {
    const [old, all] = [arrayOf(shown, before), arrayOf(sealed, after)];
    if (!old.every((one, index) => equal(one, all[index]))) throw new Difference(`${what} have changed`);
    return all.slice(old.length);
  };
  /** What is added may hold only what was added: nothing of the file comes with it. */
  const addedObject = (value: PdfValue, depth: number): AddedObject => {
    const found = isNew(value) ? sealed.resolve(value) : null;
    const subtype = isStream(found) ? found.dictionary.get("/Subtype") : undefined;
    if (subtype === "/Image") return { kind: "image" };
    if (!isStream(found) || subtype !== "/Form" || depth > maxFormDepth) {
      throw new Difference("something was added that is neither a picture nor a form");
    }
    const matrix = found.dictionary.get("/Matrix");
    const resources = dictionaryOf(sealed, found.dictionary.get("/Resources"));
    return {
      ...{ kind: "form", matrix: isArray(matrix) ? matrix : [1, 0, 0, 1, 0, 0], content: sealed.unpack(found) },
      objects: addedObjects(new Map(), resources, depth + 1),
    };
  };
  const addedObjects = (old: PdfDict, all: PdfDict, depth = 0): AddedObjects => {
    const objects = new Map<string, AddedObject>();
    for (const key of old.keys()) if (!all.has(key)) throw new Difference("resources are missing");
    for (const [kind, value] of all) {
      if (!isDict(sealed.resolve(value) as PdfValue)) {
        requireEqual(old.get(kind), value, "a resource");
        continue;
      }
      const [had, has] = [dictionaryOf(shown, old.get(kind)), dictionaryOf(sealed, value)];
      for (const [name, one] of had) if (!equal(one, has.get(name))) throw new Difference("a resource has changed");
      for (const [name, one] of has) {
        if (had.has(name)) continue;
        if (isRef(one) && !isNew(one)) throw new Difference("something that was there is now among the resources");
        if (kind === "/XObject") objects.set(name, addedObject(one, depth));
      }
    }
    return objects;
  };
  /** Our seal, and marks where somebody has signed before: fields that show a mark and cannot be filled. */
  const requireFields = (fields: readonly PdfValue[]): readonly AddedObject[] => {
    const looks: AddedObject[] = [];
    for (const field of fields) {
      const widget = dictionaryOf(sealed, field);
      const isField = isRef(field) && isNew(field) && widget.get("/FT") === "/Sig";
      if (!isField || [...widget.keys()].some((key) => !keysOfFields.has(key))) {
        throw new Difference("a field was added that is neither the seal nor a mark");
      }
      const look = widget.get("/AP");
      if (look !== undefined) {
        const [[state, form] = [], ...others] = [...dictionaryOf(sealed, look)];
        if (state !== "/N" || form === undefined || others.length > 0)
          throw new Difference("a field has several looks");
        const drawn = addedObject(form, 0);
        // An empty appearance is there only for readers that require every field to have one.
        const isEmpty = drawn.kind === "form" && drawn.content.toString("latin1").trim() === "";
        if (widget.has("/V") && !isEmpty) throw new Difference("the seal is to be seen");
        if (!isEmpty) looks.push(drawn);
      } else if (!equal(widget.get("/Rect"), [0, 0, 0, 0])) throw new Difference("a field was added that has no look");
      if (!widget.has("/V")) continue;
      if (seal !== undefined && seal !== field.ref) throw new Difference("more than one seal was added");
      seal = field.ref;
    }
    return looks;
  };
  const compareResources = (before: PdfValue | undefined, after: PdfValue | undefined): AddedObjects =>
    addedObjects(dictionaryOf(shown, before), dictionaryOf(sealed, after));
  const contentsOf = (file: PdfFile, value: PdfValue | undefined): readonly PdfValue[] => {
    const found = file.resolve(value);
    if (isStream(found)) return value === undefined ? [] : [value];
    return isArray(found) ? found : [];
  };
  const unpacked = (value: PdfValue): Buffer => {
    const stream = isNew(value) ? sealed.resolve(value) : null;
    if (!isStream(stream)) throw new Difference("the contents of a page have changed");
    return sealed.unpack(stream);
  };
  const compareContents = (before: PdfValue | undefined, after: PdfValue | undefined): readonly Buffer[] => {
    const [old, all] = [contentsOf(shown, before), contentsOf(sealed, after)];
    const isWrapped = all.length > old.length && isNew(all[0]);
    const start = isWrapped ? 1 : 0;
    const isKept = old.every((one, index) => equal(one, all[start + index]));
    const [first, ...rest] = all.slice(start + old.length);
    if (!isKept && old.length > 0) throw new Difference("the contents of a page have changed");
    if (old.length === 0) return all.map(unpacked);
    if (!isWrapped && first === undefined) return [];
    const text = (value: PdfValue | undefined): string =>
      value === undefined ? "" : unpacked(value).toString("latin1").trim();
    // What comes before and what comes at once after it keep the one from the other, and do nothing else.
    if (!isWrapped || text(all[0]) !== "q" || text(first) !== "Q") {
      throw new Difference("the contents of a page are not kept apart from the marks");
    }
    return rest.map(unpacked);
  };

  const comparePage = (number: number, link: PdfValue, inherited: PdfDict): void => {
    const [old, all] = [dictionaryOf(shown, link), dictionaryOf(sealed, link)];
    const given = (key: string): PdfValue | undefined => old.get(key) ?? inherited.get(key);
    for (const key of new Set([...old.keys(), ...all.keys()])) {
      if (["/Contents", "/Resources", "/Annots", "/Tabs"].includes(key)) continue;
      if (key === "/StructParents" && !old.has(key)) continue;
      requireEqual(given(key), all.get(key), "a property of a page");
    }
    added.set(number, {
      looks: requireFields(longer(old.get("/Annots"), all.get("/Annots"), "the remarks on a page")),
      objects: compareResources(given("/Resources"), all.get("/Resources") ?? inherited.get("/Resources")),
      contents: compareContents(old.get("/Contents"), all.get("/Contents")),
    });
  };
  /** A branch of the tree of pages may have resources for all of them. */
  const compareBranch = (link: PdfValue): void => {
    const [old, all] = [dictionaryOf(shown, link), dictionaryOf(sealed, link)];
    for (const key of new Set([...old.keys(), ...all.keys()])) {
      if (key === "/Resources") compareResources(old.get(key), all.get(key));
      else requireEqual(old.get(key), all.get(key), "the list of pages");
    }
  };
  const compareForm = (before: PdfValue | undefined, after: PdfValue | undefined): void => {
    const [old, all] = [dictionaryOf(shown, before), dictionaryOf(sealed, after)];
    for (const key of new Set([...old.keys(), ...all.keys()])) {
      if (key !== "/Fields" && key !== "/SigFlags") requireEqual(old.get(key), all.get(key), "the form");
    }
    requireFields(longer(old.get("/Fields"), all.get("/Fields"), "the fields of the form"));
  };
  const compareCatalog = (root: PdfValue | undefined): PdfDict => {
    const [old, all] = [dictionaryOf(shown, root), dictionaryOf(sealed, root)];
    for (const key of new Set([...old.keys(), ...all.keys()])) {
      if (key === "/AcroForm") compareForm(old.get(key), all.get(key));
      else if (!untold.has(key)) requireEqual(old.get(key), all.get(key), "the catalog");
    }
    return old;
  };

  /** Whether one of them is another one now; each of them may be. */
  const admit = (values: readonly (PdfValue | undefined)[]): boolean => {
    const numbers = values.filter(isRef).map(({ ref }) => ref);
    for (const number of numbers) mayDiffer.add(number);
    return numbers.some((number) => touched.has(number));
  };
  const partsOfResources = (value: PdfValue | undefined): (PdfValue | undefined)[] => [
    value,
    ...[...dictionaryOf(shown, value).values()].filter((one) => isDict(shown.resolve(one) as PdfValue)),
  ];
  let pages = 0;
  const visit = (link: PdfValue, inherited: PdfDict, above: readonly PdfValue[], depth: number): void => {
    if (depth > maxTreeDepth) throw new Difference("its pages are nested too deeply");
    const node = dictionaryOf(shown, link);
    const resources = partsOfResources(node.get("/Resources"));
    const kids = shown.resolve(node.get("/Kids"));
    if (!isStream(kids) && isArray(kids)) {
      if (admit([link, ...resources])) compareBranch(link);
      const own = new Map([...inherited, ...[...node].filter(([key]) => inheritable.has(key))]);
      for (const kid of kids) visit(kid, own, [...above, link], depth + 1);
      return;
    }
    pages += 1;
    const contents = node.get("/Contents");
    const isList = isArray(shown.resolve(contents) as PdfValue);
    const shared = node.has("/Resources") ? [] : [...above, ...partsOfResources(inherited.get("/Resources"))];
    const parts = [link, ...resources, node.get("/Annots"), ...(isList ? [contents] : []), ...shared];
    if (admit(parts)) comparePage(pages, link, inherited);
  };
  /** The tree that tells what the content is; nothing is drawn by it. */
  const admitStructure = (value: PdfValue | undefined, depth: number): void => {
    admit([value]);
    const node = dictionaryOf(shown, value);
    for (const key of ["/K", "/Nums", "/ParentTree", "/Kids"]) {
      const next = node.get(key);
      admit([next]);
      if (depth > 2 && key === "/K") continue;
      if (depth <= maxTreeDepth && isDict(shown.resolve(next) as PdfValue)) admitStructure(next, depth + 1);
      if (key !== "/Nums" && depth <= 2) for (const one of arrayOf(shown, next)) admitStructure(one, depth + 1);
    }
  };
  const root = shown.trailer.get("/Root");
  if (!equal(root, sealed.trailer.get("/Root"))) throw new Difference("it has another catalog");
  if (sealed.trailer.has("/Encrypt")) throw new Difference("it is encrypted");
  const catalog = compareCatalog(root);
  const form = catalog.get("/AcroForm");
  admit([root, form, dictionaryOf(shown, form).get("/Fields"), catalog.get("/Metadata")]);
  admitStructure(catalog.get("/StructTreeRoot"), 0);
  visit(catalog.get("/Pages") ?? null, new Map(), [], 0);
  return { added: added as AddedToPages, mayDiffer };
}

const keysOfFields = new Set(
  "Type Subtype FT T TU V P F Ff Rect AP Contents StructParent".split(" ").map((key) => `/${key}`),
);
