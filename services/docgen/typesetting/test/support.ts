import { crc32, deflateSync } from "node:zlib";
import { defaultPage } from "../../domain/page.ts";
import type { TypesetInput } from "../typesetter.ts";

/** An input with this HTML, everything else as simple as it gets. */
export const inputOf = (html: string, changes: Partial<TypesetInput> = {}): TypesetInput => ({
  html,
  title: "A title",
  page: defaultPage,
  locale: "en",
  profile: "pdf",
  createdAt: new Date("2026-11-21T04:00:00.900Z"),
  images: new Map(),
  attachments: [],
  ...changes,
});

/** A grey picture. */
export function pngOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  const rows = Buffer.alloc((width + 1) * height, 0);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export const dataUrl = (png: Buffer): string => `data:image/png;base64,${png.toString("base64")}`;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), bytes.length - 4);
  return bytes;
}
