import type pg from "pg";
import { sha256Label } from "#platform/canonical-json.ts";
import type { OrgId } from "#platform/ids.ts";

/** Keeps contents under their hashes; nothing happens for those that are kept already. */
export async function insertShown(orgId: OrgId, client: pg.ClientBase, contents: readonly Buffer[]): Promise<void> {
  // In one order, so that two transactions with the same contents cannot wait for each other in a circle.
  await client.query(
    `insert into click.shown (organization_id, hash, content)
     select $1, sha256(c.content), c.content from unnest($2::bytea[]) c (content) order by 2 on conflict do nothing`,
    [orgId, contents],
  );
}

/** The contents that are kept under these hashes (`sha256:<hex>`), by their hash. */
export async function findShown(
  orgId: OrgId,
  client: pg.ClientBase,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  if (hashes.length === 0) return new Map();
  const result = await client.query<{ content: Buffer }>(
    "select content from click.shown where organization_id = $1 and hash = any($2)",
    [orgId, hashes.map(hashBytes)],
  );
  return new Map(result.rows.map(({ content }) => [sha256Label(content), content]));
}

const hashBytes = (label: string): Buffer => Buffer.from(label.slice("sha256:".length), "hex");

/** Keeps HTML with somebody's values under the id of its session or, without one, of its acceptance. */
export async function insertSealedRendering(
  orgId: OrgId,
  client: pg.ClientBase,
  recordId: string,
  sealed: Buffer,
): Promise<void> {
  await client.query("insert into click.sealed_rendering (organization_id, record_id, sealed) values ($1, $2, $3)", [
    orgId,
    recordId,
    sealed,
  ]);
}

export interface SealedRendering {
  readonly sealed: Buffer;
  /** As stored; null after erasure, and for an acceptance that was not recorded after all. */
  readonly seed: Buffer | null;
}

export async function findSealedRendering(
  orgId: OrgId,
  client: pg.ClientBase,
  recordId: string,
): Promise<SealedRendering | undefined> {
  const result = await client.query<SealedRendering>(
    `select r.sealed, k.seed from click.sealed_rendering r
     left join click.subject_key k on k.organization_id = r.organization_id and k.record_id = r.record_id
     where r.organization_id = $1 and r.record_id = $2`,
    [orgId, recordId],
  );
  return result.rows[0];
}
