import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { listSeeds, replaceSeeds, type StoredSeed } from "../store/erasure-store.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import type { Restriction } from "./plan-erasure.ts";

/** Encrypts the seeds of records under the hold key; of those that are restricted already only the time changes. */
export async function restrictRecords(
  vault: SubjectVault,
  organizationId: OrgId,
  client: pg.ClientBase,
  restrictions: readonly Restriction[],
): Promise<void> {
  if (restrictions.length === 0) return;
  const times = new Map(restrictions.map(({ recordId, until }) => [recordId, until]));
  const stored = await listSeeds(organizationId, client, [...times.keys()]);
  const seeds = stored.map(({ recordId, seed, restrictedUntil }): StoredSeed => {
    const isPlain = restrictedUntil === null;
    return {
      recordId,
      seed: isPlain ? vault.restrictSeed({ organizationId, recordId }, seed) : seed,
      restrictedUntil: times.get(recordId) ?? restrictedUntil,
    };
  });
  await replaceSeeds(organizationId, client, seeds);
}
