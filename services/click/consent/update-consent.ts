import { timingSafeEqual } from "node:crypto";
import type pg from "pg";
import type { Caller } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import type { KeyHasher } from "../accept/key-hasher.ts";
import type { ConsentEvent } from "../domain/consent.ts";
import { type ConsentDecision, needsOffer, type PurposeOffer, planChanges } from "../domain/consent-plan.ts";
import { recordChanges, type UpdatedConsent, type UpdateFacts } from "../domain/consent-update.ts";
import { consentChanged } from "../events.ts";
import { findLastEvents } from "../store/consent-store.ts";
import {
  claimKey,
  findKeyUse,
  insertChanges,
  type KeyUse,
  listUpdateReceipts,
  lockHead,
} from "../store/consent-update-store.ts";
import type { PurposeOffers } from "./purpose-offers.ts";

/** What somebody wants to change. */
export interface ConsentUpdate extends Omit<UpdateFacts, "organizationId" | "updateId" | "idempotencyKey"> {
  readonly purposes: readonly {
    readonly purpose: string;
    readonly decision: ConsentDecision;
    readonly templateId: string | undefined;
    readonly expiresAt: Date | null;
    readonly field: string;
  }[];
  readonly withdrawAll: boolean;
  readonly locale: string | undefined;
  readonly expectedRevision: number | undefined;
  readonly idempotencyKey: string | undefined;
  /** Equal for requests that are the same. */
  readonly digest: Buffer;
}

export interface UpdateConsentDeps {
  readonly pool: pg.Pool;
  readonly purposeOffers: PurposeOffers;
  readonly keys: KeyHasher;
  readonly clock: Clock;
  readonly newId: NewId;
  wakeRelay(): void;
}

export interface UpdateOutcome {
  /** JSON, one for each change. */
  readonly receipts: readonly string[];
  /** The changes had been recorded before, under the same key. */
  readonly replayed: boolean;
}

/**
 * Changes consent in one transaction: the key, the changes with their receipts, and the events exist together or not at
 * all. Changes of one user come one after the other. Looks up what is offered beforehand, so that no lock is held while
 * another service is asked.
 */
export async function updateConsent(
  deps: UpdateConsentDeps,
  caller: Caller,
  update: ConsentUpdate,
): Promise<UpdateOutcome> {
  const known = await findBeforehand(deps, caller, update);
  if (known.replay !== undefined) return known.replay;
  const offers = await findOffers(deps, caller, update, known.last);
  const outcome = await withOrg(deps.pool, caller.orgId, (client) => record({ deps, caller, update, offers, client }));
  if (!outcome.replayed && outcome.receipts.length > 0) deps.wakeRelay();
  return outcome;
}

async function findBeforehand(
  { pool, keys }: UpdateConsentDeps,
  { orgId }: Caller,
  update: ConsentUpdate,
): Promise<{ replay: UpdateOutcome | undefined; last: readonly ConsentEvent[] }> {
  const { idempotencyKey, userRef } = update;
  return withOrg(pool, orgId, async (client) => {
    const hash = idempotencyKey === undefined ? undefined : keys.idempotencyHash(orgId, idempotencyKey);
    const use = hash && (await findKeyUse(orgId, client, hash));
    if (use !== undefined) {
      const bodyHash = keys.bodyHash(orgId, update.digest);
      return { replay: await replay({ orgId, client, userRef, bodyHash }, use), last: [] };
    }
    const mayRenew = update.purposes.some(({ decision }) => decision === "RENEW");
    return { replay: undefined, last: mayRenew ? await findLastEvents(orgId, client, userRef) : [] };
  });
}

interface ReplayContext {
  readonly orgId: Caller["orgId"];
  readonly client: pg.ClientBase;
  readonly userRef: string;
  readonly bodyHash: Buffer;
}

async function replay({ orgId, client, userRef, bodyHash }: ReplayContext, use: KeyUse): Promise<UpdateOutcome> {
  // The digest of a change is no JSON, so it is never the body of an acceptance.
  if (!timingSafeEqual(use.bodyHash, bodyHash)) throw new DomainError("CLICK_IDEMPOTENCY_KEY_REUSED");
  return { receipts: await listUpdateReceipts(orgId, client, { userRef, updateId: use.updateId }), replayed: true };
}

/** A renewal stays with the template of the grant; a grant is about what was published last, unless it names another. */
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

interface Recording {
  readonly deps: UpdateConsentDeps;
  readonly caller: Caller;
  readonly update: ConsentUpdate;
  readonly offers: ReadonlyMap<string, PurposeOffer>;
  readonly client: pg.PoolClient;
}

/** Keys before heads, like acceptances: whoever waits for a head waits for nobody who waits for a key. */
async function record({ deps, caller, update, offers, client }: Recording): Promise<UpdateOutcome> {
  const { keys, clock, newId } = deps;
  const { orgId } = caller;
  const { userRef, idempotencyKey, expectedRevision } = update;
  const updateId = newId();
  const now = clock.now();
  if (idempotencyKey !== undefined) {
    const idempotencyHash = keys.idempotencyHash(orgId, idempotencyKey);
    const bodyHash = keys.bodyHash(orgId, update.digest);
    if (!(await claimKey(orgId, client, { idempotencyHash, bodyHash, updateId, userRef, now }))) {
      const use = await findKeyUse(orgId, client, idempotencyHash);
      if (use === undefined) throw new Error("a key is taken by nobody");
      return replay({ orgId, client, userRef, bodyHash }, use);
    }
  }
  const head = await lockHead(orgId, client, userRef, now);
  if (expectedRevision !== undefined && expectedRevision !== head.revision) {
    throw new DomainError("CLICK_CONSENT_CONFLICT");
  }
  const last = new Map((await findLastEvents(orgId, client, userRef)).map((event) => [event.purpose, event]));
  const requests = update.purposes.map((request) => ({ ...request, offer: offers.get(request.purpose) }));
  const changes = planChanges({ requests, withdrawAll: update.withdrawAll, last, now: head.clock });
  const facts = { ...update, organizationId: orgId, updateId, idempotencyKey: idempotencyKey ?? null };
  const recorded = recordChanges(changes, facts, head, newId);
  await insertChanges(orgId, client, facts, recorded);
  const events = recorded.map((change) => eventOf(deps, caller, userRef, change));
  await insertOutbox(client, "click", events);
  return { receipts: recorded.map((change) => change.receipt), replayed: false };
}

const eventOf = ({ newId }: UpdateConsentDeps, caller: Caller, userRef: string, change: UpdatedConsent) =>
  consentChanged({ caller, eventId: newId(), now: change.recordedAt }, { ...change, userRef });
