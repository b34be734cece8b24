import type pg from "pg";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement, SealedFile } from "../domain/agreement.ts";

/** New bytes by the id (UUID) of the document or the sealed file. */
export type NewBytes = ReadonlyMap<string, Uint8Array>;

/** Bytes in the blob store, and whose they are. */
type StoredFile = SealedFile;

/** What happens to the bytes of files that come or go. */
export interface BytesMoved {
  readonly before: readonly StoredFile[];
  readonly after: readonly StoredFile[];
  readonly bytes: NewBytes;
}

/** All bytes that belong to an agreement: its documents as they came and sealed, and its certificate. */
export const filesOf = ({ documents, certificate }: Pick<Agreement, "documents" | "certificate">): StoredFile[] => [
  ...documents.flatMap(({ id, sha256, sealedId, sealedSha256 }) =>
    sealedId === null || sealedSha256 === null
      ? [{ id, sha256 }]
      : [
          { id, sha256 },
          { id: sealedId, sha256: sealedSha256 },
        ],
  ),
  ...(certificate === null ? [] : [certificate]),
];

/**
 * Stores the bytes of files that come, or refers to those that the organization has already, and lets go of those of
 * files that go. In the order of their hashes, so that no two transactions wait for each other; what comes is there
 * before what goes, so that the same bytes are not deleted and written again.
 */
export async function moveBytes(
  { blobs, client, orgId }: { readonly blobs: BlobStore; readonly client: pg.PoolClient; readonly orgId: OrgId },
  { before, after, bytes }: BytesMoved,
): Promise<void> {
  const come = without(after, before).map((file) => ({ file, isNew: true }));
  const go = without(before, after).map((file) => ({ file, isNew: false }));
  // The sort keeps what is equal in its order.
  const moves = [...come, ...go].sort((a, b) => a.file.sha256.compare(b.file.sha256));
  for (const { file, isNew } of moves) {
    if (!isNew) await blobs.release(orgId, file.id, client);
    else await keepBytes({ blobs, client, orgId }, file, bytes.get(file.id));
  }
}

async function keepBytes(
  { blobs, client, orgId }: { readonly blobs: BlobStore; readonly client: pg.PoolClient; readonly orgId: OrgId },
  { id, sha256 }: StoredFile,
  bytes: Uint8Array | undefined,
): Promise<void> {
  if (bytes === undefined) {
    // Bytes that are stored already come from a template, which may have been deleted since it was read.
    if (!(await blobs.reference(orgId, id, sha256, client))) throw new DomainError("TEMPLATE_NOT_FOUND");
    return;
  }
  const stored = await blobs.put(orgId, id, bytes, client);
  if (!stored.equals(sha256)) throw new Error(`the bytes of file ${id} are not those that were checked`);
}

function without(files: readonly StoredFile[], others: readonly StoredFile[]): StoredFile[] {
  const ids = new Set(others.map(({ id }) => id));
  return files.filter(({ id }) => !ids.has(id));
}
