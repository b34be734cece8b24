import type pg from "pg";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import type { Clock } from "#platform/clock.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import { insertOutbox, outboxRecord } from "#platform/outbox/outbox.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { schema } from "../agreement/write-change.ts";
import { insertJobs } from "../jobs/job-store.ts";
import { insertActs } from "./acts.ts";
import { insertDeletion } from "./deletions.ts";
import { type Doomed, lockDue } from "./due.ts";
import { findHeld } from "./holds.ts";
import { shareRules } from "./periods.ts";

export interface RemovalDeps {
  /** Connects as the role that may delete. */
  readonly removerPool: pg.Pool;
  readonly blobs: Pick<BlobStore, "release">;
  readonly vault: SeedVault;
  readonly clock: Clock;
  readonly newId: NewId;
}

/**
 * Deletes an agreement whose time is over with everything that belongs to it, in one transaction with what remains of
 * it, its event and the job that tells the log. False when it is not to be deleted now: somebody works with it, a hold
 * keeps it, or another process was faster.
 */
export const deleteWhenDue = (deps: RemovalDeps, orgId: OrgId, id: string): Promise<boolean> =>
  withOrg(deps.removerPool, orgId, async (tenant) => {
    // Holds and longer periods that were answered before are seen, and others wait.
    await shareRules(tenant);
    const now = deps.clock.now();
    const doomed = await lockDue(tenant, id, now);
    if (doomed === undefined) return false;
    if ((await findHeld(tenant, deps.vault, [id])).has(id)) return false;
    await insertDeletion(tenant, doomed, now);
    await deleteEverything(tenant, deps.blobs, id);
    await tell(deps, tenant, doomed, now);
    return true;
  });

/** Everything but what is kept for other agreements as well. Rows are locked in the order agreement, blobs, the rest. */
async function deleteEverything(tenant: Tenant, blobs: RemovalDeps["blobs"], id: string): Promise<void> {
  const { orgId, client } = tenant;
  // In the order of the hashes, as all that move bytes.
  const { rows } = await client.query<{ id: string }>(
    `select id from (
       select id, sha256 from sign.document where organization_id = $1 and agreement_id = $2
       union all select sealed_id, sealed_sha256 from sign.document
         where organization_id = $1 and agreement_id = $2 and sealed_id is not null
       union all select original_id, sent_sha256 from sign.document
         where organization_id = $1 and agreement_id = $2 and original_id is not null
       union all select id, sha256 from sign.attachment where organization_id = $1 and agreement_id = $2
       union all select certificate_id, certificate_sha256 from sign.agreement
         where organization_id = $1 and id = $2 and certificate_id is not null
       union all select (drawn ->> 'id')::uuid, decode(drawn ->> 'sha256', 'hex') from sign.recipient,
         unnest(array[signature -> 'drawn', initials -> 'drawn']) drawn
         where organization_id = $1 and agreement_id = $2 and drawn is not null
     ) f order by sha256`,
    [orgId, id],
  );
  for (const file of rows) await blobs.release(tenant, file.id);
  for (const table of partTables) {
    await client.query(`delete from sign.${table} where organization_id = $1 and agreement_id = $2`, [orgId, id]);
  }
  await client.query("delete from sign.agreement where organization_id = $1 and id = $2", [orgId, id]);
}

const partTables = [
  ...[
    "job",
    "view",
    "attachment",
    "progress",
    "document",
    "recipient",
    "custom_field",
    "audit_event",
    "subject_key",
    "file_key",
  ],
] as const;

async function tell(
  { newId }: RemovalDeps,
  tenant: Tenant,
  { id, status, transactionId }: Doomed,
  now: Date,
): Promise<void> {
  const caller = { orgId: tenant.orgId, requestId: "", traceparent: "" };
  await insertActs(tenant, [
    {
      ...{ id: newId(), at: now, action: "agreement.deleted", actor: "", requestId: "" },
      subjectId: id,
      details: { status },
    },
  ]);
  await insertJobs(tenant, { caller, agreementId: null, newId, now }, [
    { kind: "deletion", key: id, runAt: now, payload: { agreementId: id } },
  ]);
  // The receivers that the agreement itself named are gone with it.
  const event = { agreementId: id, transactionId, ground: "RETENTION", receivers: 0 };
  await insertOutbox(tenant.client, schema, [
    outboxRecord({ caller, eventId: newId(), now }, "assent.sign.agreement.deleted", id, { agreementDeleted: event }),
  ]);
}
