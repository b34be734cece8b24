import type pg from "pg";
import { createSubjectVault } from "../../services/click/vault/subject-vault.ts";

export interface SealOptions {
  readonly organizationId: string;
  readonly clickMasterKey: Buffer;
  /** Of the acceptance that the others were copied from. */
  readonly receiptId: string;
  /** Copies are older. */
  readonly before: Date;
}

interface Row {
  readonly id: string;
  readonly seed: Buffer;
}

const pieceRows = 10_000;

/** Seals what the copied acceptance says in each of its copies, which can be read like any other then. */
export async function sealCopies(client: pg.ClientBase, options: SealOptions): Promise<void> {
  const { organizationId, clickMasterKey, receiptId, before } = options;
  const vault = createSubjectVault([clickMasterKey], () => clickMasterKey);
  const { rows: known } = await client.query<Row & { sealed: Buffer }>(`${rowsSql} and a.receipt_id = $2`, [
    organizationId,
    receiptId,
  ]);
  const [copied] = known;
  if (copied === undefined) throw new Error("there is no acceptance that was copied");
  const plain = vault.open({ organizationId, recordId: receiptId }, copied.seed, copied.sealed);
  for (let after = noId; ; ) {
    const values = [organizationId, before, after, pieceRows];
    const { rows } = await client.query<Row>(
      `${rowsSql} and a.accepted_at < $2 and a.sealed is not null and a.receipt_id > $3 order by a.receipt_id limit $4`,
      values,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    const sealed = rows.map(({ id, seed }) => vault.seal({ organizationId, recordId: id }, seed, plain));
    await client.query(
      `update click.acceptance a set sealed = n.sealed from unnest($2::uuid[], $3::bytea[]) n (id, sealed)
       where a.organization_id = $1 and a.receipt_id = n.id`,
      [organizationId, rows.map(({ id }) => id), sealed],
    );
    after = last.id;
  }
}

const noId = "00000000-0000-0000-0000-000000000000";

const rowsSql = `select a.receipt_id as id, k.seed, a.sealed from click.acceptance a
  join click.subject_key k on k.organization_id = a.organization_id and k.record_id = a.receipt_id
  where a.organization_id = $1`;
