import type pg from "pg";
import { auditActor, auditRecord } from "#api/audit-record.ts";
import type { Caller } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import { shareHolds } from "#platform/db/hold-marks.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { NewId } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { findErasure, insertErasure } from "../erasure/erasure-store.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import { forgetPerson } from "./campaign-store.ts";

export interface ForgetDeps {
  /** Connects as the eraser. */
  readonly eraserPool: pg.Pool;
  readonly vault: SubjectVault;
  readonly clock: Clock;
  readonly newId: NewId;
  wakeRelay(): void;
}

/**
 * Deletes somebody from all campaigns and answers which these were, the same when it is done again with the same id. Whether
 * a legal hold keeps them must have been looked at. Throws HOLDS_CHANGED.
 */
export async function forgetInCampaigns(
  deps: ForgetDeps,
  caller: Caller,
  { userRef, erasureId, holdMark }: { readonly userRef: string; readonly erasureId: string; readonly holdMark: number },
): Promise<readonly string[]> {
  const { orgId, clientId, requestId } = caller;
  const subjectIndex = deps.vault.subjectIndex(orgId, userRef);
  const campaignIds = await withOrg(deps.eraserPool, orgId, async (tenant) => {
    await shareHolds(tenant, "click", holdMark);
    const forgotten = await forgetPerson(tenant, subjectIndex);
    if (forgotten.length === 0) return (await findErasure(tenant, erasureId))?.campaignIds ?? [];
    const now = deps.clock.now();
    const erased = { receiptIds: [], sessionIds: [], changeIds: [] };
    const outcome = JSON.stringify({ erased, restricted: [], campaignIds: forgotten });
    await insertErasure(tenant, { id: erasureId, outcome, clientId, requestId, requestedAt: now });
    const audited = { action: "person.erased", actor: auditActor(caller), targetId: erasureId } as const;
    await insertOutbox(tenant.client, "click", [auditRecord({ caller, eventId: deps.newId(), now }, audited)]);
    return forgotten;
  });
  deps.wakeRelay();
  return campaignIds;
}
