import { timingSafeEqual } from "node:crypto";
import type { Caller } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { consentChanged } from "../events.ts";
import type { LeafDraft, LeafSigner, SignedLeaf } from "../log/leaf.ts";
import { appendLeaves, type LeafPlace } from "../log/log-store.ts";
import type { KeyHasher, SubjectVault } from "../vault/subject-vault.ts";
import type { ConsentEvent } from "./consent.ts";
import { type ConsentDecision, type PurposeOffer, planChanges } from "./consent-plan.ts";
import { consentLeaf, consentReceipt, numberChanges, type UpdateFacts } from "./consent-receipt.ts";
import { type LoggedChange, withLeaves } from "./consent-receipts.ts";
import { findLastEvents, listUpdate } from "./consent-store.ts";
import {
  claimKey,
  findKeyUse,
  insertChanges,
  type KeyUse,
  lockHead,
  type SealedChange,
} from "./consent-update-store.ts";
import { sealChange } from "./sealed-change.ts";

/** A requested update of consents. */
export interface ConsentUpdate extends Omit<UpdateFacts, "idempotencyKey"> {
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
  /** Equal for identical requests. */
  readonly digest: Buffer;
}

export interface RecordUpdateDeps {
  readonly vault: SubjectVault;
  readonly leafSigner: LeafSigner;
  readonly issuer: string;
  readonly keys: KeyHasher;
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface Recording {
  readonly caller: Caller;
  readonly update: ConsentUpdate;
  readonly offers: ReadonlyMap<string, PurposeOffer>;
}

/** What was recorded, now or earlier under the same key. */
export interface RecordedUpdate {
  readonly changes: readonly LoggedChange[];
  readonly replayed: boolean;
}

/**
 * Locks keys before consent heads and the log last, as acceptances do, so that lock waits cannot form a cycle.
 * While the log is locked only the commit is left to do.
 */
export async function recordUpdate(
  deps: RecordUpdateDeps,
  tenant: Tenant,
  recording: Recording,
): Promise<RecordedUpdate> {
  const { caller, update } = recording;
  const { orgId } = caller;
  const updateId = deps.newId();
  const now = deps.clock.now();
  const replay = await claimOrReplay(deps, tenant, recording, { updateId, now });
  if (replay !== undefined) return replay;
  const subjectIndex = deps.vault.subjectIndex(orgId, update.userRef);
  const userKey = deps.keys.userKey(orgId, update.userRef);
  const head = await lockHead(tenant, subjectIndex, now);
  if (update.expectedRevision !== undefined && update.expectedRevision !== head.revision) {
    throw new DomainError("CLICK_CONSENT_CONFLICT");
  }
  const planned = plan(recording, await findLastEvents(tenant, subjectIndex), head.clock);
  const facts: UpdateFacts = { ...update, idempotencyKey: update.idempotencyKey ?? null };
  const made = numberChanges(planned, facts, head, deps.newId).map((event) => makeChange(deps, orgId, event, facts));
  const leaves = await deps.leafSigner.sign(
    made.map(({ draft }) => draft),
    head.clock,
  );
  const changes = made.map(({ change }) => change);
  await insertChanges(tenant, { subjectIndex, userKey, updateId }, changes);
  const events = changes.map((change) =>
    consentChanged({ caller, eventId: deps.newId(), now: change.recordedAt }, { ...change, userKey }),
  );
  await insertOutbox(tenant.client, "click", events);
  const places = await appendLeaves(tenant, leaves);
  return { changes: changes.map((change, index) => inLog(change, leaves[index], places[index])), replayed: false };
}

/** The changes recorded under this key; undefined when there are none. */
export async function findReplay(
  keys: KeyHasher,
  tenant: Tenant,
  { idempotencyKey, digest }: ConsentUpdate,
): Promise<RecordedUpdate | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const use = await findKeyUse(tenant, keys.idempotencyHash(tenant.orgId, idempotencyKey));
  return use && replayUse(tenant, use, keys.bodyHash(tenant.orgId, digest));
}

async function claimOrReplay(
  { keys }: RecordUpdateDeps,
  tenant: Tenant,
  { caller: { orgId }, update }: Recording,
  claim: { readonly updateId: string; readonly now: Date },
): Promise<RecordedUpdate | undefined> {
  if (update.idempotencyKey === undefined) return undefined;
  const idempotencyHash = keys.idempotencyHash(orgId, update.idempotencyKey);
  const bodyHash = keys.bodyHash(orgId, update.digest);
  if (await claimKey(tenant, { idempotencyHash, bodyHash, ...claim })) return undefined;
  const use = await findKeyUse(tenant, idempotencyHash);
  if (use === undefined) throw new Error("a key is taken by no one");
  return replayUse(tenant, use, bodyHash);
}

async function replayUse(tenant: Tenant, use: KeyUse, bodyHash: Buffer): Promise<RecordedUpdate> {
  // The digest of a change is not JSON, so it can never equal the body of an acceptance.
  if (!timingSafeEqual(use.bodyHash, bodyHash)) throw new DomainError("CLICK_IDEMPOTENCY_KEY_REUSED");
  const changes = await withLeaves(tenant, await listUpdate(tenant, use.updateId));
  return { changes, replayed: true };
}

function plan({ update, offers }: Recording, events: readonly ConsentEvent[], now: Date) {
  const requests = update.purposes.map((request) => ({ ...request, offer: offers.get(request.purpose) }));
  const last = new Map(events.map((event) => [event.purpose, event]));
  return planChanges({ requests, withdrawAll: update.withdrawAll, last, now });
}

/** Builds everything that is written for a change, except its position in the log. */
function makeChange(
  { vault, issuer }: RecordUpdateDeps,
  organizationId: string,
  event: ConsentEvent,
  facts: UpdateFacts,
): { readonly change: SealedChange; readonly draft: LeafDraft } {
  const { payload, disclosures } = consentLeaf({ issuer, organizationId }, event, facts);
  const receipt = consentReceipt(organizationId, event, facts);
  const sealed = sealChange(vault, organizationId, event, { receipt, disclosures });
  return { change: { ...event, ...sealed }, draft: { recordId: event.receiptId, payload } };
}

function inLog(change: SealedChange, leaf: SignedLeaf | undefined, place: LeafPlace | undefined): LoggedChange {
  if (leaf === undefined || place === undefined) throw new Error("a change of consent has got no place in the log");
  return { change, leaf: { ...leaf, ...place } };
}
