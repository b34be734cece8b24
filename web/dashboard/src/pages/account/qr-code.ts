import { encode } from "uqr";

/** The rows of a QR code, with the light frame that readers need around it; undefined for a text that is too long for one. */
export function qrRows(text: string): readonly (readonly boolean[])[] | undefined {
  try {
    return encode(text, { ecc: "L", border: 4 }).data;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
