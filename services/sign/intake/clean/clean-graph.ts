import {
  PDFArray,
  PDFCatalog,
  type PDFContext,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFPageLeaf,
  PDFRef,
} from "pdf-lib";
import { forbidden, refuseForbiddenContent } from "../forbidden-content.ts";
import { inherited, pageBoxOf } from "../page-box.ts";
import { findPages } from "../page-tree.ts";
import { PdfProblem } from "../pdf-problem.ts";
import type { Graph } from "../reading/read-graph.ts";
import type { StrictGraph } from "../reading/read-strictly.ts";
import { isPlace, refuseActions, removeActions } from "./actions.ts";
import { refuseDifferentAnnotations, sortAnnotations } from "./annotations.ts";
import { type ContentsReader, createContentsReader, isolateContents } from "./contents.ts";
import { drawFields } from "./draw-fields.ts";
import { fixLayers, isTrue, refuseDifferentLayers } from "./layers.ts";

/**
 * Refuses what cannot be part of an agreement, takes away what acts otherwise, and makes the rest look the same on the
 * screen, on paper and in every reader. Of the catalog and of pages stays what is known and harmless. Answers the pages
 * of which it has to be tried whether they can be sealed.
 */
export function cleanGraph({ context }: Graph): readonly number[] {
  const objects = context.enumerateIndirectObjects().map(([, object]) => object);
  refuseForbiddenContent(objects);
  const { Root } = context.trailerInfo;
  const catalog = context.lookup(Root);
  if (!(catalog instanceof PDFDict) || !(Root instanceof PDFRef)) throw new Error("there is no catalog");
  const pages = findPages(context, catalog);
  removeActions(objects);
  const kids = context.obj(pages.map(({ ref }) => ref));
  const tree = context.register(context.obj({ Type: "Pages", Count: pages.length, Kids: kids }));
  const contents = createContentsReader(context);
  for (const [index, { ref, node }] of pages.entries()) {
    context.assign(ref, plainPage(context, node, { tree, number: index + 1, contents }));
  }
  context.assign(Root, plainCatalog(context, catalog, tree));
  return contents.unusual();
}

/** Of a file that stays as it is: what would have been made the same is refused. */
export function refuseUnclean({ context, objects }: StrictGraph): readonly number[] {
  refuseForbiddenContent(objects);
  refuseActions(objects);
  const catalog = context.lookup(context.trailerInfo.Root);
  if (!(catalog instanceof PDFDict)) throw new Error("there is no catalog");
  const form = catalog.lookup(PDFName.of("AcroForm"));
  if (form instanceof PDFDict && isTrue(form.lookup(PDFName.of("NeedAppearances")))) {
    forbidden("form fields that each reader draws as it likes")();
  }
  refuseDifferentLayers(catalog);
  const contents = createContentsReader(context);
  for (const [index, { node }] of findPages(context, catalog).entries()) {
    refuseUnits(node);
    refuseDifferentAnnotations(context, arrayOf(node, "Annots"));
    const resources = inherited(node, "Resources");
    contents.read(index + 1, node, {
      resources: resources instanceof PDFDict ? resources : undefined,
      looksOf: node,
    });
  }
  return contents.unusual();
}

const catalogKeys = [
  ...[
    "Version",
    "PageLabels",
    "Dests",
    "PageLayout",
    "PageMode",
    "Outlines",
    "OpenAction",
    "Metadata",
    "StructTreeRoot",
  ],
  ...["MarkInfo", "Lang", "OutputIntents", "AF", "Extensions"],
];

function plainCatalog(context: PDFContext, catalog: PDFDict, tree: PDFRef): PDFCatalog {
  fixLayers(context, catalog);
  const plain = PDFCatalog.withContextAndPages(context, tree);
  copy(catalog, plain, [...catalogKeys, "OCProperties"]);
  plain.set(PDFName.of("Pages"), tree);
  const opening = plain.lookup(PDFName.of("OpenAction"));
  if (opening instanceof PDFDict) opening.delete(PDFName.of("Next"));
  if (opening instanceof PDFDict ? !isPlace(opening) : !(opening instanceof PDFArray)) {
    plain.delete(PDFName.of("OpenAction"));
  }
  // Scripts, templates of pages and the like stand there too.
  copyPart(context, catalog, plain, "Names", ["Dests", "EmbeddedFiles"]);
  copyPart(context, catalog, plain, "ViewerPreferences", ["DisplayDocTitle", "Direction"]);
  return plain;
}

const pageKeys = ["Contents", "StructParents", "Tabs", "Group", "Metadata", "AF"];

/** With its own box, as it is shown, and everything else that it inherited. */
function plainPage(
  context: PDFContext,
  page: PDFDict,
  { tree, number, contents }: { tree: PDFRef; number: number; contents: ContentsReader },
): PDFPageLeaf {
  refuseUnits(page);
  const plain = PDFPageLeaf.fromMapWithContext(new Map<PDFName, PDFObject>([[PDFName.Type, PDFName.Page]]), context);
  plain.set(PDFName.Parent, tree);
  const { left, bottom, width, height, rotation } = pageBoxOf(page);
  plain.set(PDFName.MediaBox, context.obj([left, bottom, left + width, bottom + height]));
  if (rotation !== 0) plain.set(PDFName.Rotate, PDFNumber.of(rotation));
  const resources = inherited(page, "Resources");
  if (resources !== undefined && !(resources instanceof PDFDict)) throw new Error("resources are none");
  plain.set(PDFName.Resources, page.get(PDFName.Resources) ?? resources ?? context.obj({}));
  copy(page, plain, pageKeys);
  const { kept, fields } = sortAnnotations(context, arrayOf(page, "Annots"));
  if (kept.length > 0) plain.set(PDFName.Annots, context.obj([...kept]));
  isolateContents(context, plain, contents.read(number, plain, { resources, looksOf: page }));
  drawFields(context, plain, fields);
  return plain;
}

function refuseUnits(page: PDFDict): void {
  const unit = page.lookup(PDFName.of("UserUnit"));
  if (unit !== undefined && !(unit instanceof PDFNumber && unit.asNumber() === 1)) {
    throw new PdfProblem("The PDF has pages in a unit of their own (UserUnit), which readers show in different sizes.");
  }
}

const arrayOf = (dictionary: PDFDict, name: string): readonly PDFObject[] => {
  const value = dictionary.lookup(PDFName.of(name));
  return value instanceof PDFArray ? value.asArray() : [];
};

function copy(from: PDFDict, to: PDFDict, names: readonly string[]): void {
  for (const name of names.map((one) => PDFName.of(one))) {
    const value = from.get(name);
    if (value !== undefined) to.set(name, value);
  }
}

function copyPart(context: PDFContext, from: PDFDict, to: PDFDict, name: string, names: readonly string[]): void {
  const part = from.lookup(PDFName.of(name));
  if (!(part instanceof PDFDict)) return;
  const plain = context.obj({});
  copy(part, plain, names);
  if (plain.keys().length > 0) to.set(PDFName.of(name), plain);
}
