import type { HtmlElement } from "#platform/restricted-html/tree.ts";
import type { RenderProfile } from "../domain/profile.ts";
import { RenderError } from "../renderer/render-job.ts";
import type { Picture, Width } from "./blocks.ts";
import { attributeOf, readStyle } from "./element-style.ts";
import type { TreeState } from "./tree-state.ts";

/** An image with what a reader is told who does not see it. */
export function readPicture(element: HtmlElement, { profile, findImage, glyphs }: TreeState): Picture {
  const found = findImage(attributeOf(element, "src") ?? "");
  const alt = attributeOf(element, "alt")?.trim();
  if (alt === undefined && needsAlt(profile)) throw missingAlt(profile);
  const width = readStyle(element).width ?? pixels(found.width);
  const base = { path: found.path, width, isDecoration: alt === "" };
  return alt === undefined || alt === "" ? base : { ...base, alt: glyphs.line(alt) };
}

const needsAlt = (profile: RenderProfile): boolean => profile !== "pdf";

const missingAlt = (profile: RenderProfile): RenderError =>
  new RenderError(
    "GEN_TEMPLATE_ERROR",
    `An image has no alt text, which ${profile} requires. Say what it shows, or alt="" for a decoration.`,
    { reason: "missing_alt" },
  );

/** CSS has 96 pixels to the inch. */
const pixels = (count: number): Width => ({ mm: (count * 25.4) / 96 });
