import type { OrmTenant } from "#platform/db/orm.ts";
import type { Revision } from "../domain/version.ts";
import { RevisionEntity } from "./orm.ts";

/** Writes a revision with its bytes. Bytes that the organization has already are stored once. */
export async function addRevision(
  { orgId, em }: OrmTenant,
  revision: Omit<Revision, "organizationId">,
  bytes: Buffer,
): Promise<void> {
  await em.execute(
    "insert into templates.content (organization_id, hash, bytes) values (?, ?, ?) on conflict do nothing",
    [orgId, revision.contentHash, bytes],
  );
  em.persist(em.create(RevisionEntity, { ...revision, organizationId: orgId }));
}

export async function findRevision(
  { orgId, em }: OrmTenant,
  name: { readonly versionId: string; readonly revision: number },
): Promise<Revision | null> {
  const { versionId, revision } = name;
  return em.findOne(RevisionEntity, { organizationId: orgId, versionId, revision });
}

/** The bytes of a text that a revision names. */
export async function readContent({ orgId, em }: OrmTenant, hash: string): Promise<Buffer> {
  const rows = await em.execute<{ bytes: Buffer }[]>(
    "select bytes from templates.content where organization_id = ? and hash = ?",
    [orgId, hash],
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`the content ${hash} is missing`);
  return row.bytes;
}

/** All revisions of these versions, oldest first. */
export async function listRevisions({ orgId, em }: OrmTenant, versionIds: readonly string[]): Promise<Revision[]> {
  if (versionIds.length === 0) return [];
  return em.find(
    RevisionEntity,
    { organizationId: orgId, versionId: { $in: [...versionIds] } },
    { orderBy: { revision: "asc" } },
  );
}
