import { createHash } from "node:crypto";

/** A file that stays the same while the process runs, ready to be sent. */
export interface StaticFile {
  readonly bytes: Uint8Array;
  /** Of the bytes, in quotes. */
  readonly etag: string;
}

export function staticFile(text: string): StaticFile {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"` };
}
