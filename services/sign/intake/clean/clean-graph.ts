import {
  PDFArray,
  PDFCatalog,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFPageLeaf,
  PDFRef,
  PDFStream,
  PDFString,
} from "pdf-lib";
import type { PdfFields, TabDefinition } from "../../agreement/definition.ts";
import { forbidden, refuseForbiddenContent } from "../forbidden-content.ts";
import { findPages, inherited, pageBoxOf } from "../page-tree.ts";
import { PdfProblem } from "../pdf-limits.ts";
import { type Graph, linksIn } from "../reading/read-graph.ts";
import type { StrictGraph } from "../reading/read-strictly.ts";
import { refuseDifferentAnnotations, sortAnnotations } from "./annotations.ts";
import { type ContentsReader, createContentsReader, isolateContents } from "./contents.ts";
import { drawFields } from "./draw-fields.ts";
import { readForm } from "./form-fields.ts";
import { type FormTabs, formTabs } from "./form-tabs.ts";
import { fixLayers, isTrue, refuseDifferentLayers } from "./layers.ts";

/** What was made of a file. */
export interface Cleaned {
  /** The pages for which sealing has to be tried out. */
  readonly unusual: readonly number[];
  /** What became of form fields that were to become tabs. */
  readonly tabs: readonly TabDefinition[];
}

/**
 * Refuses forbidden content, removes other active content, and makes the rest look the same on screen, on paper
 * and in every reader. Of the catalog and of pages only known, harmless entries are kept. Forms whose fields
 * become tabs lose their scripts instead of being refused for them.
 */
export function cleanGraph({ context }: Graph, pdfFields: PdfFields): Cleaned {
  const objects = context.enumerateIndirectObjects().map(([, object]) => object);
  const { Root } = context.trailerInfo;
  const catalog = context.lookup(Root);
  if (!(catalog instanceof PDFDict) || !(Root instanceof PDFRef)) throw new Error("there is no catalog");
  const form = pdfFields === "transform" ? formOf(context, catalog) : noForm;
  if (pdfFields !== "keep") removeFormActions(objects);
  refuseForbiddenContent(objects);
  const pages = findPages(context, catalog);
  removeActions(objects);
  const kids = context.obj(pages.map(({ ref }) => ref));
  const tree = context.register(context.obj({ Type: "Pages", Count: pages.length, Kids: kids }));
  const contents = createContentsReader(context);
  for (const [index, { ref, node }] of pages.entries()) {
    context.assign(ref, plainPage(context, node, { tree, number: index + 1, contents, transformed: form.widgets }));
  }
  context.assign(Root, plainCatalog(context, catalog, tree));
  return { unusual: contents.unusual(), tabs: form.tabs };
}

const noForm: FormTabs = { tabs: [], widgets: new Set() };

const formOf = (context: PDFContext, catalog: PDFDict): FormTabs =>
  formTabs(readForm(context, catalog, findPages(context, catalog)));

/** For files that must not be changed: refuses what would otherwise have been cleaned. */
export function refuseUnclean({ context, objects }: StrictGraph, pdfFields: PdfFields): readonly number[] {
  refuseForbiddenContent(objects);
  refuseActions(objects);
  const catalog = context.lookup(context.trailerInfo.Root);
  if (!(catalog instanceof PDFDict)) throw new Error("there is no catalog");
  if (pdfFields !== "keep" && formOf(context, catalog).tabs.some(({ locked }) => !locked)) {
    throw new PdfProblem(
      "The PDF carries signatures, so that it is taken as it is and its form fields cannot be changed. Send it without pdfFields.",
    );
  }
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
  // The names also hold scripts, page templates and the like, so only the harmless ones are copied.
  copyPart(context, catalog, plain, "Names", ["Dests", "EmbeddedFiles"]);
  copyPart(context, catalog, plain, "ViewerPreferences", ["DisplayDocTitle", "Direction"]);
  return plain;
}

const pageKeys = ["Contents", "StructParents", "Tabs", "Group", "Metadata", "AF"];

interface PlainPageOptions {
  readonly tree: PDFRef;
  readonly number: number;
  readonly contents: ContentsReader;
  /** Form fields that became tabs. */
  readonly transformed: ReadonlySet<PDFDict>;
}

/** The page with its displayed box and all inherited attributes written out. */
function plainPage(
  context: PDFContext,
  page: PDFDict,
  { tree, number, contents, transformed }: PlainPageOptions,
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
  drawFields(context, plain, fields, transformed);
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

/**
 * Removes scripts and what buttons of forms do, so that a form whose fields are no fields any more is not refused
 * for them. Scripts that stand elsewhere go, too: nothing of them can be seen.
 */
function removeFormActions(objects: Iterable<PDFObject>): void {
  for (const dictionary of dictionariesIn(objects)) {
    const type = dictionary.lookup(PDFName.of("S"));
    const isElement = dictionary.lookup(PDFName.Type) === PDFName.of("StructElem") && dictionary.has(PDFName.of("P"));
    const isOfForm = type !== undefined && formActions.has(type) && !isElement;
    if (isOfForm || dictionary.has(PDFName.of("JS"))) for (const key of dictionary.keys()) dictionary.delete(key);
  }
}

const formActions: ReadonlySet<PDFObject> = new Set(
  ["JavaScript", "SubmitForm", "ImportData", "Hide"].map((name) => PDFName.of(name)),
);

/**
 * Silently removes the remaining actions: they are common and nobody misses them. Links to https and mailto
 * that a reader clicks stay, as do jumps within the file.
 */
function removeActions(objects: Iterable<PDFObject>): void {
  for (const dictionary of dictionariesIn(objects)) {
    for (const key of silentKeys) dictionary.delete(key);
    // Of the catalog it would be what relative links begin with, of anything else it means nothing.
    if (dictionary.lookup(PDFName.of("URI")) instanceof PDFDict) dictionary.delete(PDFName.of("URI"));
    if (isLive(dictionary)) for (const key of dictionary.keys()) dictionary.delete(key);
  }
}

/** For files that must not be changed: refuses those actions. */
function refuseActions(objects: Iterable<PDFObject>): void {
  for (const dictionary of dictionariesIn(objects)) {
    const actions = dictionary.lookup(PDFName.of("AA"));
    if (actions instanceof PDFDict && actions.keys().length > 0) refuseOwn();
    if (isLive(dictionary)) refuseOwn();
    if (dictionary.has(PDFName.of("Alternates"))) forbidden("pictures that are others on paper")();
    const addresses = dictionary.lookup(PDFName.of("URI"));
    const base = addresses instanceof PDFDict ? addresses.lookup(PDFName.of("Base")) : undefined;
    if (base !== undefined && !isAllowed(base)) refuseOwn();
    const opening = dictionary.lookup(PDFName.of("OpenAction"));
    if (opening instanceof PDFDict && !isPlace(opening)) refuseOwn();
  }
}

const refuseOwn = forbidden("actions of its own, or links other than https and mailto");

/** Whether an action only jumps to a place in the same file. */
const isPlace = (action: PDFDict): boolean => action.lookup(PDFName.of("S")) === PDFName.of("GoTo");

/** Actions on events, private data of programs, and alternate images for printing. */
const silentKeys = ["AA", "PieceInfo", "Alternates"].map((name) => PDFName.of(name));

function isLive(dictionary: PDFDict): boolean {
  const type = dictionary.lookup(PDFName.of("S"));
  if (type === PDFName.of("URI")) return !isAllowed(dictionary.lookup(PDFName.of("URI")));
  if (type === PDFName.of("Named")) return !steps.has(dictionary.lookup(PDFName.of("N")));
  // Structure elements have a parent and may have any name, so their keys are not actions.
  const isElement = dictionary.lookup(PDFName.Type) === PDFName.of("StructElem") && dictionary.has(PDFName.of("P"));
  return type !== undefined && others.has(type) && (!isElement || pointsOut.some((key) => dictionary.has(key)));
}

const others: ReadonlySet<PDFObject> = new Set(
  ["ResetForm", "Trans", "Thread", "GoToDp"].map((name) => PDFName.of(name)),
);

/** Keys that actions have and structure elements do not: a file, a destination, fields. */
const pointsOut = ["F", "D", "Fields", "Next"].map((name) => PDFName.of(name));

const steps: ReadonlySet<PDFObject | undefined> = new Set(
  ["NextPage", "PrevPage", "FirstPage", "LastPage"].map((name) => PDFName.of(name)),
);

const isAllowed = (address: PDFObject | undefined): boolean =>
  (address instanceof PDFString || address instanceof PDFHexString) &&
  /^(?:https:\/\/|mailto:)/i.test(address.decodeText());

function* dictionariesIn(objects: Iterable<PDFObject>): Generator<PDFDict> {
  const waiting = [...objects];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFDict) yield value;
    if (value instanceof PDFDict || value instanceof PDFArray || value instanceof PDFStream)
      waiting.push(...linksIn(value));
  }
}
