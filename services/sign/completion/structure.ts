import { PDFArray, PDFDict, type PDFDocument, PDFHexString, PDFName, PDFNumber, PDFRef } from "pdf-lib";

/** The structure tree of a tagged PDF (ISO 32000-2 §14.7). */
export interface Structure {
  /** Adds a form on a page; its only marked content has MCID 0. */
  addForm(form: { readonly ref: PDFRef; readonly dict: PDFDict }, element: StructureElement): void;
  /** Adds an annotation on a page. */
  addAnnotation(annotation: { readonly ref: PDFRef; readonly dict: PDFDict }, element: StructureElement): void;
}

export interface StructureElement {
  readonly role: string;
  readonly page: PDFRef;
  /** Alternative text. */
  readonly alternative?: string | undefined;
}

/** Undefined when the document is not tagged. */
export function structureOf(document: PDFDocument): Structure | undefined {
  const { context, catalog } = document;
  const rootRef = catalog.get(PDFName.of("StructTreeRoot"));
  const root = catalog.lookup(PDFName.of("StructTreeRoot"));
  if (!(rootRef instanceof PDFRef) || !(root instanceof PDFDict)) return undefined;
  const parent = parentIn(root) ?? { ref: rootRef, dict: root };
  const add = ({ role, page, alternative }: StructureElement, kid: PDFDict): PDFRef => {
    const element = context.obj({ Type: "StructElem", S: role, P: parent.ref, Pg: page, K: kid });
    if (alternative !== undefined) element.set(PDFName.of("Alt"), PDFHexString.fromText(alternative));
    const ref = context.register(element);
    appendKid(parent.dict, ref);
    return ref;
  };
  return {
    addForm: ({ ref, dict }, element) => {
      const kid = context.obj({ Type: "MCR", Pg: element.page, Stm: ref, MCID: 0 });
      const key = addParent(document, root, context.obj([add(element, kid)]));
      dict.set(PDFName.of("StructParents"), PDFNumber.of(key));
    },
    addAnnotation: ({ ref, dict }, element) => {
      const kid = context.obj({ Type: "OBJR", Pg: element.page, Obj: ref });
      const key = addParent(document, root, add(element, kid));
      dict.set(PDFName.of("StructParent"), PDFNumber.of(key));
    },
  };
}

const kidsName = PDFName.of("K");

/** Grouping elements, which may contain any element. */
const grouping: ReadonlySet<unknown> = new Set(
  ["Document", "Part", "Sect", "Art", "Div"].map((name) => PDFName.of(name)),
);

/** The element that contains the whole document. */
function parentIn(root: PDFDict): { readonly ref: PDFRef; readonly dict: PDFDict } | undefined {
  const kids = root.lookup(kidsName);
  const ref = kids instanceof PDFArray ? (kids.size() === 1 ? kids.get(0) : undefined) : root.get(kidsName);
  const dict = ref instanceof PDFRef ? root.context.lookup(ref) : undefined;
  if (!(ref instanceof PDFRef) || !(dict instanceof PDFDict)) return undefined;
  return grouping.has(dict.lookup(PDFName.of("S"))) ? { ref, dict } : undefined;
}

function appendKid(element: PDFDict, kid: PDFRef): void {
  const there = element.lookup(kidsName);
  if (there instanceof PDFArray) there.push(kid);
  else {
    const only = element.get(kidsName);
    element.set(kidsName, element.context.obj(only === undefined ? [kid] : [only, kid]));
  }
}

/**
 * Adds an entry to the parent tree, which leads from page content back to its element, after all existing keys
 * (§7.9.7).
 */
function addParent({ context }: PDFDocument, root: PDFDict, value: PDFRef | PDFArray): number {
  const treeName = PDFName.of("ParentTree");
  const found = root.lookup(treeName);
  const tree = found instanceof PDFDict ? found : context.obj({ Nums: [] });
  if (tree !== found) root.set(treeName, context.register(tree));
  const nextName = PDFName.of("ParentTreeNextKey");
  const next = root.lookup(nextName);
  const key = Math.max(next instanceof PDFNumber ? next.asNumber() : 0, highestKey(tree) + 1);
  root.set(nextName, PDFNumber.of(key + 1));
  const entry = [PDFNumber.of(key), value instanceof PDFRef ? value : context.register(value)];
  const leaf = lastLeaf(tree, key);
  for (const part of entry) leaf.push(part);
  return key;
}

const numsName = PDFName.of("Nums");
const treeKids = PDFName.of("Kids");

function highestKey(node: PDFDict, depth = 0): number {
  const nums = node.lookup(numsName);
  let highest = -1;
  if (nums instanceof PDFArray) {
    for (let at = 0; at < nums.size(); at += 2) {
      const key = nums.lookup(at);
      if (key instanceof PDFNumber) highest = Math.max(highest, key.asNumber());
    }
  }
  const kids = node.lookup(treeKids);
  if (!(kids instanceof PDFArray) || depth > maxTreeDepth) return highest;
  for (const kid of kids.asArray()) {
    const child = node.context.lookup(kid);
    if (child instanceof PDFDict) highest = Math.max(highest, highestKey(child, depth + 1));
  }
  return highest;
}

const maxTreeDepth = 20;

/** The number array to append to: that of a flat tree, or of a leaf of our own at the end of a branched one. */
function lastLeaf(tree: PDFDict, key: number): PDFArray {
  const { context } = tree;
  const kids = tree.lookup(treeKids);
  if (!(kids instanceof PDFArray)) {
    const nums = tree.lookup(numsName);
    if (nums instanceof PDFArray) return nums;
    const made = context.obj([]);
    tree.set(numsName, made);
    return made;
  }
  const nums = context.obj([]);
  kids.push(context.register(context.obj({ Limits: [key, key], Nums: nums })));
  return nums;
}
