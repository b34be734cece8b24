import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

const lockName = (orgId: OrgId): string => `click statistics ${orgId}`;

/** Until the end of the transaction nobody is forgotten: what it reads of records afterwards holds for what it counts. */
export async function shareCounting(orgId: OrgId, client: pg.ClientBase): Promise<void> {
  await client.query("select pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [lockName(orgId)]);
}

/** Waits for all that is being counted; until the end of the transaction nothing else is. */
export async function holdCounting(orgId: OrgId, client: pg.ClientBase): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [lockName(orgId)]);
}

/**
 * Which of these acceptances nobody may be counted for by name any more: they are erased or restricted. Most
 * organizations have never erased anybody, and pay for one look.
 */
export async function findWithheld(
  orgId: OrgId,
  client: pg.ClientBase,
  receiptIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (receiptIds.length === 0) return new Set();
  const { rows } = await client.query<{ id: string }>(
    `select r.id from unnest($2::uuid[]) as r (id)
     where exists (select from click.erasure e where e.organization_id = $1) and not exists (
       select from click.subject_key k
       where k.organization_id = $1 and k.record_id = r.id and k.restricted_until is null)`,
    [orgId, receiptIds],
  );
  return new Set(rows.map((row) => row.id));
}
