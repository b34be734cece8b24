import type pg from "pg";
import type { Caller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { ConsentEvent } from "./consent.ts";
import { needsOffer, type PurposeOffer } from "./consent-plan.ts";
import { type ConsentReceiptDeps, writeConsentReceipts } from "./consent-receipts.ts";
import { findLastEvents } from "./consent-store.ts";
import type { PurposeOffers } from "./purpose-offers.ts";
import {
  type ConsentUpdate,
  findReplay,
  type RecordedUpdate,
  type RecordUpdateDeps,
  recordUpdate,
} from "./record-update.ts";

export interface UpdateConsentDeps extends RecordUpdateDeps, ConsentReceiptDeps {
  readonly pool: pg.Pool;
  readonly receiptKeys: Pick<SigningKeys, "signingAt" | "byGeneration">;
  readonly purposeOffers: PurposeOffers;
  wakeRelay(): void;
  wakeIntegrator(organizationId: string): void;
}

export interface UpdateOutcome {
  /** One JSON receipt for each change. */
  readonly receipts: readonly string[];
  /** Whether the changes had already been recorded under the same key. */
  readonly replayed: boolean;
}

/**
 * Changes consent in one transaction: key, changes, receipts, events and log leaves are written together.
 * Changes of one user are serialized. Looks up the offers and the signing key beforehand, so that no lock is
 * held meanwhile.
 */
export async function updateConsent(
  deps: UpdateConsentDeps,
  caller: Caller,
  update: ConsentUpdate,
): Promise<UpdateOutcome> {
  const recorded = await record(deps, caller, update);
  const receipts = await writeConsentReceipts(deps, caller.orgId, recorded.changes);
  return { receipts, replayed: recorded.replayed };
}

async function record(deps: UpdateConsentDeps, caller: Caller, update: ConsentUpdate): Promise<RecordedUpdate> {
  const known = await findBeforehand(deps, caller, update);
  if (known.replay !== undefined) return known.replay;
  const offers = await findOffers(deps, caller, update, known.last);
  // Load the keys now: a transaction that already holds a connection must not wait for another one.
  await deps.receiptKeys.signingAt(deps.clock.now());
  const recorded = await withOrg(deps.pool, caller.orgId, (tenant) =>
    recordUpdate(deps, tenant, { caller, update, offers }),
  );
  if (!recorded.replayed && recorded.changes.length > 0) {
    deps.wakeRelay();
    deps.wakeIntegrator(caller.orgId);
  }
  return recorded;
}

async function findBeforehand(
  { pool, keys, vault }: UpdateConsentDeps,
  { orgId }: Caller,
  update: ConsentUpdate,
): Promise<{ replay: RecordedUpdate | undefined; last: readonly ConsentEvent[] }> {
  return withOrg(pool, orgId, async (tenant) => {
    const replay = await findReplay(keys, tenant, update);
    const mayRenew = replay === undefined && update.purposes.some(({ decision }) => decision === "RENEW");
    const last = mayRenew ? await findLastEvents(tenant, vault.subjectIndex(orgId, update.userRef)) : [];
    return { replay, last };
  });
}

/**
 * A renewal stays with the grant's template; a new grant refers to the latest publication, unless it names
 * another text.
 */
function findOffers(
  { purposeOffers }: UpdateConsentDeps,
  caller: Caller,
  { purposes, locale }: ConsentUpdate,
  last: readonly ConsentEvent[],
): Promise<ReadonlyMap<string, PurposeOffer>> {
  const lastTemplate = new Map(last.map((event) => [event.purpose, event.text?.templateId]));
  const wanted = purposes
    .filter(({ decision }) => needsOffer(decision))
    .map(({ purpose, decision, templateId }) => ({
      purpose,
      templateId,
      preferredTemplateId: decision === "RENEW" ? lastTemplate.get(purpose) : undefined,
    }));
  return wanted.length === 0 ? Promise.resolve(new Map()) : purposeOffers.find(caller, wanted, locale);
}
