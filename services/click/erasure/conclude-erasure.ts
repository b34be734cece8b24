import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { Caller } from "#platform/caller.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { NewId } from "#platform/ids.ts";
import { insertOutbox, type OutboxRecord } from "#platform/outbox/outbox.ts";
import { userErased } from "../events.ts";
import type { LeafSigner } from "../log/leaf.ts";
import { appendLeaves, type LeafPlace } from "../log/log-store.ts";
import type { Restriction } from "./erasure-rules.ts";
import { type ErasureReason, erasureLeaf, erasureNames, portionsOf } from "./erasure-rules.ts";
import { type ErasedRecords, insertErasure } from "./erasure-store.ts";

export interface ConclusionDeps {
  readonly leafSigner: LeafSigner;
  readonly issuer: string;
  readonly newId: NewId;
}

/** What a transaction has erased and restricted. */
export interface Conclusion {
  readonly caller: Caller;
  readonly reason: ErasureReason;
  /** A new one when absent. */
  readonly erasureId?: string | undefined;
  readonly now: Date;
  readonly erased: ErasedRecords;
  readonly restricted: readonly Restriction[];
  /** Campaigns that do not have the person any more. */
  readonly campaignIds?: readonly string[];
  /** Events of the transaction's other effects. */
  readonly events: readonly OutboxRecord[];
}

/** The erasure with its log position: that of its first leaf. */
export interface ConcludedErasure extends LeafPlace {
  readonly erasureId: string;
  readonly leafHash: Buffer;
}

/** Records an erasure: its row, events and leaves. These must be the last statements of the transaction. */
export async function concludeErasure(
  { leafSigner, issuer, newId }: ConclusionDeps,
  tenant: Tenant,
  { caller, reason, erasureId = newId(), now, erased, restricted, campaignIds = [], events }: Conclusion,
): Promise<ConcludedErasure> {
  const { orgId: organizationId, clientId, requestId } = caller;
  const facts = { issuer, organizationId, erasureId, reason, requestedAt: now };
  const portions = portionsOf(erasureNames(erased, restricted));
  const drafts = portions.map((names, index) => ({
    recordId: index === 0 ? erasureId : newId(),
    payload: erasureLeaf(facts, names),
  }));
  const leaves = await leafSigner.sign(drafts, now);
  const told = portions.map((names) => userErased({ caller, eventId: newId(), now }, erasureId, names));
  const audited = auditRecord(
    { caller, eventId: newId(), now },
    { action: "person.erased", actor: auditActor(caller), targetId: erasureId, changes: { reason } },
  );
  await insertOutbox(tenant.client, "click", [...events, ...told, audited]);
  const outcome = JSON.stringify({ reason, erased, restricted, ...(campaignIds.length > 0 && { campaignIds }) });
  await insertErasure(tenant, { id: erasureId, outcome, clientId, requestId, requestedAt: now });
  const [place] = await appendLeaves(tenant, leaves);
  const [leaf] = leaves;
  if (place === undefined || leaf === undefined) throw new Error("an erasure has got no place in the log");
  return { erasureId, ...place, leafHash: leaf.leafHash };
}
