import { createHash } from "node:crypto";
import type { SealLevel } from "../domain/agreement.ts";
import { coveredPieces, insertSignature, type PreparedFile } from "./byte-range.ts";
import { type Stamp, signDetached } from "./cms.ts";
import type { SealSigner } from "./seal-signer.ts";

/**
 * Seals a prepared file in place and tells which level was reached: an authority that does not answer never keeps a
 * file from being sealed, and is never made up for.
 */
export async function seal(
  file: PreparedFile,
  signer: SealSigner,
  stamp?: { readonly stamp: Stamp; onFailure(error: unknown): void },
): Promise<SealLevel> {
  const digest = createHash("sha256");
  for (const piece of coveredPieces(file)) digest.update(piece);
  const value = digest.digest();
  if (stamp !== undefined) {
    try {
      insertSignature(file, await signDetached(value, signer, stamp.stamp));
      return "B-T";
    } catch (error) {
      stamp.onFailure(error);
    }
  }
  insertSignature(file, await signDetached(value, signer));
  return "B-B";
}
