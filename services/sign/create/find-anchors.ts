import type { OrgId } from "#platform/ids.ts";
import type { Agreement } from "../agreement/agreement.ts";
import type { NewBytes } from "../agreement/change-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { type AnchorMatches, anchorMatches, noMatches, wantedTexts } from "./place-tabs.ts";

/** Where the texts of the agreement's anchors are. Documents are read only when there are any. */
export async function findAnchors(
  { intake, blobs }: Pick<SignDeps, "intake" | "blobs">,
  orgId: OrgId,
  agreement: Agreement,
  bytes: NewBytes,
): Promise<AnchorMatches> {
  const wanted = wantedTexts(agreement);
  if (wanted.length === 0) return noMatches;
  const files: { documentId: string; bytes: Uint8Array }[] = [];
  for (const { id, documentId, sha256 } of agreement.documents) {
    const content = bytes.get(id) ?? (await blobs.read(orgId, sha256));
    if (content === undefined) throw new Error(`the bytes of document ${id} are gone`);
    files.push({ documentId, bytes: content });
  }
  return anchorMatches(wanted, await intake.findTexts(orgId, files, wanted));
}
