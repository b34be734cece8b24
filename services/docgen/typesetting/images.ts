import type { HtmlElement } from "#platform/restricted-html/tree.ts";
import { maxImageBytes, maxImagePixels, readImage } from "../domain/asset.ts";
import type { RenderProfile } from "../domain/page.ts";
import { RenderError, type RenderImage } from "../renderer/render-job.ts";
import { assetIdOf } from "../templating/image-address.ts";
import type { Picture, Width } from "./blocks.ts";
import { attributeOf, readStyle } from "./element-style.ts";
import type { FoundImage, TreeState } from "./tree-state.ts";

/** The images of one document. */
export interface ImageShelf {
  /** Throws a RenderError for an unknown asset and for what is no image. */
  find(address: string): FoundImage;
  /** What was found, by the path that the compiler gets it under. */
  readonly files: ReadonlyMap<string, ShelvedImage>;
}

export interface ShelvedImage {
  readonly bytes: Uint8Array;
  /** For messages: the asset, or that it was a data URL. */
  readonly name: string;
}

/** Images come from assets and from data URLs and nowhere else: nothing is ever fetched. */
export function createImageShelf(assets: ReadonlyMap<string, RenderImage>): ImageShelf {
  const files = new Map<string, ShelvedImage>();
  const found = new Map<string, FoundImage>();
  const find = (address: string): FoundImage => {
    const known = found.get(address);
    if (known !== undefined) return known;
    const file = readAddress(address, assets);
    const path = `/images/${files.size}`;
    const { width } = check(file);
    files.set(path, file);
    found.set(address, { path, width });
    return { path, width };
  };
  return { find, files };
}

/** An image whose header is right and whose rest is not, or which is none at all. */
export const brokenImage = (name: string): RenderError =>
  new RenderError("GEN_TEMPLATE_ERROR", `The image ${name} is not a PNG or JPEG that can be read.`, {
    reason: "broken_image",
    image: name,
  });

function readAddress(address: string, assets: ReadonlyMap<string, RenderImage>): ShelvedImage {
  const asset = assetIdOf(address);
  if (asset !== undefined) {
    const image = assets.get(asset);
    if (image === undefined) {
      throw new RenderError("GEN_ASSET_NOT_FOUND", `There is no asset ${asset}.`, { assetId: asset });
    }
    return { bytes: image.bytes, name: `asset:${asset}` };
  }
  const data = /^data:image\/(?:png|jpeg);base64,/i.exec(address)?.[0];
  if (data === undefined) throw brokenImage("of an address that is neither asset: nor data:");
  return { bytes: Buffer.from(address.slice(data.length), "base64"), name: "in a data URL" };
}

function check({ bytes, name }: ShelvedImage) {
  const facts = bytes.byteLength > maxImageBytes ? undefined : readImage(bytes);
  if (facts === undefined) throw bytes.byteLength > maxImageBytes ? tooLarge(name, "5 MB") : brokenImage(name);
  if (facts.width * facts.height > maxImagePixels) throw tooLarge(name, "16 megapixels");
  return facts;
}

const tooLarge = (name: string, limit: string): RenderError =>
  new RenderError("GEN_TEMPLATE_ERROR", `The image ${name} has more than ${limit}.`, {
    reason: "image_too_large",
    image: name,
  });

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
