import { hashBytes, isTreeSize } from "./merkle.ts";

/** What a log says about itself at one size. */
export interface Checkpoint {
  /** Which log. */
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/** The text of a C2SP tlog-checkpoint, to be signed as a note. */
export const checkpointText = (origin: string, size: number, root: Buffer): string =>
  `${origin}\n${size}\n${root.toString("base64")}\n`;

/**
 * Reads the text of a checkpoint; undefined when it is none. Lines after the third are passed over, as the specification
 * wants. Says nothing about signatures: read only what verifyNote gave.
 */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const lines = text.split("\n");
  const end = lines.pop();
  const [origin = "", digits = "", encoded = ""] = lines;
  const size = /^(0|[1-9]\d{0,15})$/.test(digits) ? Number(digits) : Number.NaN;
  const root = Buffer.from(encoded, "base64");
  const isCheckpoint =
    end === "" &&
    lines.length >= 3 &&
    lines.every((line) => line !== "") &&
    isTreeSize(size) &&
    root.length === hashBytes &&
    root.toString("base64") === encoded;
  return isCheckpoint ? { origin, size, root } : undefined;
}
