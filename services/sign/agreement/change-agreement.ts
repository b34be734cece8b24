import type pg from "pg";
import type { KeyedRequest, KeyUse } from "#platform/db/idempotency-keys.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { findKey, takeKey } from "../jobs/job-store.ts";
import type { Agreement } from "./agreement.ts";
import { loadAgreement } from "./agreement-store.ts";
import type { Change } from "./change.ts";
import { requireUnlocked } from "./edit-lock.ts";
import type { NewBytes } from "./file-store.ts";
import { type CallerContext, type WriteDeps, writeChange } from "./write-change.ts";

export type { KeyedRequest } from "#platform/db/idempotency-keys.ts";
export type { NewBytes } from "./file-store.ts";
export type { CallerContext } from "./write-change.ts";

export interface ChangeDeps extends WriteDeps {
  readonly pool: pg.Pool;
  /** Tells the relay that new events are waiting. */
  wakeRelay(): void;
  /** Tells the job loop that new work is waiting. */
  wakeJobs(): void;
}

/** An agreement id does not match a template, nor the other way round. */
export interface TargetId {
  readonly id: string;
  readonly isTemplate: boolean;
}

export interface KeyedAgreement {
  readonly agreement: Agreement;
  /** Whether the answer is that of an earlier request with the same key. */
  readonly replayed: boolean;
}

/** Runs after the change, in its transaction. When it rejects, the whole transaction is rolled back. */
export type Within = (tenant: Tenant, agreement: Agreement) => Promise<void>;

/** May only read: it runs again after a deadlock or serialization failure. */
export type Decide = (agreement: Agreement, tenant: Tenant) => Change | Promise<Change>;

/**
 * Locks an agreement, decides the change and writes all its effects in one transaction. New documents have
 * their bytes in `bytes`; documents without bytes refer, by SHA-256, to bytes that the organization already
 * stores. A change that contains a deletion event deletes the agreement.
 */
export async function changeAgreement(
  deps: ChangeDeps,
  caller: CallerContext,
  target: TargetId,
  decide: Decide,
  bytes: NewBytes = new Map(),
  within?: Within,
): Promise<Agreement> {
  return (await changeWithKey(deps, caller, target, decide, { bytes, within })).agreement;
}

/**
 * Like changeAgreement, but once for each idempotency key: repeating the request returns the agreement's
 * current state.
 */
export const changeWithKey = (
  deps: ChangeDeps,
  caller: CallerContext,
  target: TargetId,
  decide: Decide,
  options: {
    readonly bytes?: NewBytes | undefined;
    readonly idempotency?: KeyedRequest | undefined;
    readonly within?: Within | undefined;
    /** Runs before the agreement is locked. */
    readonly first?: ((tenant: Tenant) => Promise<void>) | undefined;
  },
): Promise<KeyedAgreement> =>
  runKeyed(deps, caller, target, options, async (tenant) => {
    await options.first?.(tenant);
    const before = await loadAgreement(tenant, target.id, { lock: true });
    if (before === undefined || isTemplate(before) !== target.isTemplate) throw notFound(target.isTemplate);
    requireUnlocked(before, caller, deps.clock.now());
    return { before, change: await decide(before, tenant), bytes: options.bytes ?? new Map() };
  });

/** Creates an agreement with all its effects, once for each idempotency key. */
export const createAgreement = (
  deps: ChangeDeps,
  caller: CallerContext,
  change: Change,
  options: {
    readonly bytes: NewBytes;
    readonly idempotency?: KeyedRequest | undefined;
    readonly within?: Within | undefined;
  },
): Promise<KeyedAgreement> =>
  runKeyed(deps, caller, { id: change.agreement.id, isTemplate: isTemplate(change.agreement) }, options, async () => ({
    before: undefined,
    change,
    bytes: options.bytes,
  }));

/**
 * The current state of what an earlier request with the key created or sent. Throws IDEMPOTENCY_KEY_REUSED when
 * that request was a different one.
 */
export const findReplay = (
  { pool, clock, codes }: Pick<ChangeDeps, "pool" | "clock" | "codes">,
  orgId: OrgId,
  keyed: KeyedRequest,
  isTemplate: boolean,
): Promise<Agreement | undefined> =>
  withOrg(pool, orgId, async (tenant) => {
    const found = await findKey(tenant, kept(codes, orgId, keyed), clock.now());
    const use = await orAsItWas(tenant, found, keyed, clock.now());
    return use.kind === "new" ? undefined : replay(tenant, use, isTemplate);
  });

const kept = (codes: ChangeDeps["codes"], orgId: OrgId, { key, requestHash }: KeyedRequest): KeyedRequest => ({
  key,
  requestHash: codes.keptHash(orgId, requestHash),
});

async function take(
  { codes }: Pick<ChangeDeps, "codes">,
  tenant: Tenant,
  keyed: KeyedRequest,
  target: { readonly id: string; readonly createdAt: Date },
): Promise<KeyUse> {
  const use = await takeKey(tenant, kept(codes, tenant.orgId, keyed), target);
  return orAsItWas(tenant, use, keyed, target.createdAt);
}

/** The release before kept the hash itself; its keys are known for some days. */
const orAsItWas = async (tenant: Tenant, use: KeyUse, keyed: KeyedRequest, now: Date): Promise<KeyUse> =>
  use.kind === "conflict" ? findKey(tenant, keyed, now) : use;

interface Decided {
  readonly before: Agreement | undefined;
  readonly change: Change;
  readonly bytes: NewBytes;
}

async function runKeyed(
  deps: ChangeDeps,
  caller: CallerContext,
  { id, isTemplate }: TargetId,
  { idempotency, within }: { idempotency?: KeyedRequest | undefined; within?: Within | undefined },
  decide: (tenant: Tenant) => Promise<Decided>,
): Promise<KeyedAgreement> {
  const { orgId } = caller;
  const { change, ...outcome } = await repeatedly(() =>
    withOrg(deps.pool, orgId, async (tenant) => {
      const target = { id, createdAt: deps.clock.now() };
      const use: KeyUse = idempotency ? await take(deps, tenant, idempotency, target) : { kind: "new" };
      if (use.kind !== "new") {
        return { agreement: await replay(tenant, use, isTemplate), replayed: true, change: undefined };
      }
      const decided = await decide(tenant);
      // All locks are held from here on. Stop if the caller's deadline passed while waiting for them.
      caller.signal?.throwIfAborted();
      const agreement = await writeChange(deps, tenant, caller, decided);
      await within?.(tenant, agreement);
      return { agreement, replayed: false, change: decided.change };
    }),
  );
  if (change !== undefined && change.events.length > 0) deps.wakeRelay();
  if (change !== undefined && change.jobs.length > 0) deps.wakeJobs();
  return outcome;
}

/**
 * The request hash tells what was asked for, so the kind is known even when the record has been deleted since.
 */
async function replay(tenant: Tenant, use: Exclude<KeyUse, { kind: "new" }>, isTemplate: boolean): Promise<Agreement> {
  if (use.kind === "conflict") throw new DomainError("IDEMPOTENCY_KEY_REUSED");
  const agreement = await loadAgreement(tenant, use.targetId);
  if (agreement === undefined) throw notFound(isTemplate);
  return agreement;
}

const maxAttempts = 3;

/** Postgres rolls back the transaction that it aborts to resolve a deadlock, so it is safe to run again. */
async function repeatedly<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxAttempts || !isDeadlock(error)) throw error;
    }
  }
}

const isDeadlock = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "40P01";

export const isTemplate = ({ status }: Pick<Agreement, "status">): boolean => status === "template";

export const notFound = (template: boolean): DomainError =>
  new DomainError(template ? "TEMPLATE_NOT_FOUND" : "ENVELOPE_NOT_FOUND");
