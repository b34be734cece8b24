import type { RenderProfile } from "../domain/page.ts";
import { RenderError, type RenderWarning } from "../renderer/render-job.ts";
import type { Marks } from "./blocks.ts";
import type { GlyphText } from "./glyph-coverage.ts";

/** Finds the bytes that an image's address names; throws a RenderError when there are none or they are no image. */
export type FindImage = (address: string) => FoundImage;

export interface FoundImage {
  /** Where the compiler finds it. */
  readonly path: string;
  /** In pixels. */
  readonly width: number;
}

/** What the whole document shares while its tree is made. */
export interface TreeState {
  readonly profile: RenderProfile;
  readonly findImage: FindImage;
  readonly glyphs: GlyphText;
  /** The levels of the headings that the next one may stand under, the nearest last. */
  readonly headings: number[];
  readonly warnings: RenderWarning[];
}

/** Where in the document something stands. */
export interface Place {
  /** How many lists, tables, quotations and frames it stands in. */
  readonly depth: number;
  /** Pages end between the blocks of the page, not within a container. */
  readonly canBreak: boolean;
  /** Of the elements around it. */
  readonly marks: Marks;
  readonly link: string | undefined;
  /** False where links are shown as text. */
  readonly canLink: boolean;
  /** The numbers of the clauses around it, `1.2.`; undefined outside of numbered clauses. */
  readonly clause: string | undefined;
}

export const topPlace: Place = {
  depth: 0,
  canBreak: true,
  marks: {},
  link: undefined,
  canLink: true,
  clause: undefined,
};

/** The typesetter goes no deeper into containers than about 14. */
const maxContainers = 12;

/** The place inside of a container. */
export function insideOf(place: Place): Place {
  if (place.depth >= maxContainers) {
    const message = `Lists, tables, quotations and frames are nested more than ${maxContainers} deep.`;
    throw new RenderError("GEN_TEMPLATE_ERROR", message, { reason: "too_deep" });
  }
  return { ...place, depth: place.depth + 1, canBreak: false };
}
