import { createHash } from "node:crypto";
import { type Parts, textOf } from "#platform/office-package.ts";
import { unsafeCharacter } from "#platform/restricted-html/text.ts";
import { readImage } from "../domain/asset.ts";

/** Text as it stands between tags of XML. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll(unsafeCharacter, "\ufffd")
    .replaceAll(/[\ufffe\uffff]/g, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/** A value within a text of Word: its lines stay lines. */
export const textValue = (text: string): string =>
  escapeXml(text.replaceAll(/\r\n?/g, "\n"))
    .replaceAll("\n", `</w:t><w:br/>${openText}`)
    .replaceAll("\t", `</w:t><w:tab/>${openText}`);

const openText = '<w:t xml:space="preserve">';

/** Puts pictures into a package. */
export interface Pictures {
  /**
   * The frame with this picture, a `data:` address, in the proportions of the picture and at most as large as the frame
   * was. Undefined when it is no picture.
   */
  show(part: string, frame: string, address: string): string | undefined;
  /** Adds what has been shown to the package. */
  finish(parts: Parts): void;
}

export function createPictures(onPicture?: (address: string) => void): Pictures {
  const files = new Map<string, { readonly name: string; readonly bytes: Buffer }>();
  const relations = new Map<string, Map<string, string>>();
  return {
    show: (part, frame, address) => {
      const bytes = Buffer.from(address.slice(address.indexOf(",") + 1), "base64");
      const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
      if (!files.has(hash)) onPicture?.(address);
      const facts = readImage(bytes);
      if (facts === undefined) return undefined;
      const name = `filled-${hash}.${facts.contentType === "image/png" ? "png" : "jpeg"}`;
      files.set(hash, { name, bytes });
      const ids = relations.get(part) ?? new Map<string, string>();
      relations.set(part, ids.set(hash, `filled${hash}`));
      return fitted(frame, facts).replace(/(<a:blip\s[^>]*r:embed=)"[^"]*"/, `$1"filled${hash}"`);
    },
    finish: (parts) => {
      if (files.size === 0) return;
      for (const { name, bytes } of files.values()) parts.set(`word/media/${name}`, bytes);
      for (const [part, ids] of relations) {
        const added = Array.from(ids, ([hash, id]) => relation(id, files.get(hash)?.name ?? ""));
        append(parts, `word/_rels/${part.slice("word/".length)}.rels`, emptyRelations, added.join(""));
      }
      const types = ["png", "jpeg"].map((kind) => `<Default Extension="${kind}" ContentType="image/${kind}"/>`);
      const known = textOf(parts.get("[Content_Types].xml") ?? Buffer.alloc(0)).toLowerCase();
      const missing = types.filter((type) => !known.includes(type.slice(0, 25).toLowerCase()));
      append(parts, "[Content_Types].xml", "", missing.join(""));
    },
  };
}

const emptyRelations =
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>';

const relation = (id: string, name: string): string =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/${name}"/>`;

/** As the last of the outermost element. */
function append(parts: Parts, name: string, empty: string, added: string): void {
  const part = parts.get(name);
  const text = part === undefined ? empty : textOf(part);
  const open = text.replace(/<Relationships([^>]*)\/>\s*$/, "<Relationships$1></Relationships>");
  const at = open.lastIndexOf("</");
  parts.set(name, Buffer.from(open.slice(0, at) + added + open.slice(at)));
}

function fitted(frame: string, { width, height }: { readonly width: number; readonly height: number }): string {
  const [, cx = "0", cy = "0"] = /<wp:extent\s+cx="(\d{1,12})"\s+cy="(\d{1,12})"/.exec(frame) ?? [];
  const scale = Math.min(Number(cx) / width, Number(cy) / height);
  const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  return frame.replaceAll(/(<(?:wp:extent|a:ext)\s+)cx="\d+"\s+cy="\d+"/g, `$1cx="${wide}" cy="${high}"`);
}
