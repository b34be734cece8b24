/** In answers nothing is left out: what there is not is null. */
export const textOrNull = (text: string | undefined): string | null =>
  text === undefined || text === "" ? null : text;

/** Hex; null when there is none. */
export const hexOrNull = (bytes: Uint8Array): string | null =>
  bytes.length === 0 ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");

/** An object that travels as text; empty when there is none. */
export const objectOf = (json: string): unknown => (json === "" ? {} : JSON.parse(json));
