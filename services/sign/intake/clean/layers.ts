import { PDFArray, PDFBool, type PDFContext, PDFDict, PDFName, type PDFObject, PDFRef, PDFString } from "pdf-lib";
import { forbidden } from "../forbidden-content.ts";

/**
 * Fixes each layer in the state that a screen shows, also on paper and in every reader. Removes other
 * configurations, event states and anything that lets people switch layers.
 */
export function fixLayers(context: PDFContext, catalog: PDFDict): void {
  const layers = layersIn(catalog);
  if (layers === undefined) return void catalog.delete(propertiesName);
  const hidden = layers.filter(({ isShown }) => !isShown).map(({ ref }) => ref);
  for (const { group } of layers) {
    for (const key of ["Usage", "Intent"]) group.delete(PDFName.of(key));
  }
  const all = layers.map(({ ref }) => ref);
  catalog.set(
    propertiesName,
    context.obj({
      OCGs: all,
      D: { Name: PDFString.of("Shown"), BaseState: "ON", OFF: hidden, Locked: all, Order: [] },
    }),
  );
}

/** For files that must not be changed. */
export function refuseDifferentLayers(catalog: PDFDict): void {
  const properties = catalog.lookup(propertiesName);
  const others = properties instanceof PDFDict ? properties.lookup(PDFName.of("Configs")) : undefined;
  const isOther = others instanceof PDFArray && others.size() > 0;
  if (isOther || layersIn(catalog)?.some(({ isSame }) => !isSame) === true) {
    forbidden("layers that are shown on the screen and not on paper, or the other way round")();
  }
}

interface Layer {
  readonly ref: PDFRef;
  readonly group: PDFDict;
  /** Whether the layer is visible on a screen. */
  readonly isShown: boolean;
  /** Whether it is so in every use. */
  readonly isSame: boolean;
}

const propertiesName = PDFName.of("OCProperties");

/** Undefined when the file has no layers. */
function layersIn(catalog: PDFDict): Layer[] | undefined {
  const properties = catalog.lookup(propertiesName);
  const groups = properties instanceof PDFDict ? properties.lookup(PDFName.of("OCGs")) : undefined;
  if (!(properties instanceof PDFDict) || !(groups instanceof PDFArray)) return undefined;
  const usual = properties.lookup(PDFName.of("D"));
  const state = (name: string): ReadonlySet<PDFObject> => {
    const list = usual instanceof PDFDict ? usual.lookup(PDFName.of(name)) : undefined;
    return new Set(list instanceof PDFArray ? list.asArray() : []);
  };
  const isOffAtFirst = usual instanceof PDFDict && usual.lookup(PDFName.of("BaseState")) === PDFName.of("OFF");
  const [on, off] = [state("ON"), state("OFF")];
  return groups.asArray().flatMap((ref): Layer[] => {
    const group = catalog.context.lookup(ref);
    if (!(ref instanceof PDFRef) || !(group instanceof PDFDict)) return [];
    const isOn = off.has(ref) ? false : on.has(ref) || !isOffAtFirst;
    const said = [usageOf(group, "View"), usageOf(group, "Print"), usageOf(group, "Export")];
    const intent = group.lookup(PDFName.of("Intent"));
    const isPlain = intent === undefined || intent === PDFName.of("View");
    const isSame = isPlain && said.every((isSaid) => isSaid === undefined || isSaid === isOn);
    return [{ ref, group, isShown: isOn && said[0] !== false, isSame }];
  });
}

/** The state of a layer for one use. */
function usageOf(group: PDFDict, use: string): boolean | undefined {
  const usage = group.lookup(PDFName.of("Usage"));
  const one = usage instanceof PDFDict ? usage.lookup(PDFName.of(use)) : undefined;
  const state = one instanceof PDFDict ? one.lookup(PDFName.of(`${use}State`)) : undefined;
  return state === undefined ? undefined : state !== PDFName.of("OFF");
}

export const isTrue = (value: PDFObject | undefined): boolean => value === PDFBool.True;
