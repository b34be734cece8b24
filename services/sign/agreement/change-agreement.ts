import type pg from "pg";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { findKey, type KeyedRequest, type KeyUse, takeKey } from "../jobs/job-store.ts";
import type { Agreement } from "./agreement.ts";
import { loadAgreement } from "./agreement-store.ts";
import type { Change } from "./change.ts";
import type { NewBytes } from "./file-store.ts";
import { type CallerContext, type WriteDeps, writeChange } from "./write-change.ts";

export type { KeyedRequest } from "../jobs/job-store.ts";
export type { NewBytes } from "./file-store.ts";
export type { CallerContext } from "./write-change.ts";

export interface ChangeDeps extends WriteDeps {
  readonly pool: pg.Pool;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
  /** Tells the job loop that there is new work. */
  wakeJobs(): void;
}

/** A wrong kind is not found. */
export interface TargetId {
  readonly id: string;
  readonly isTemplate: boolean;
}

export interface KeyedAgreement {
  readonly agreement: Agreement;
  /** Whether an earlier request with the key has done it. */
  readonly replayed: boolean;
}

/** What happens in the transaction of a change, after it. When it rejects, nothing has happened. */
export type Within = (tenant: Tenant, agreement: Agreement) => Promise<void>;

/** It is pure: it runs again when two transactions got into each other's way. */
export type Decide = (agreement: Agreement) => Change;

/**
 * Decides about an agreement while nobody else can change it, and writes all that the decision comes to in the same
 * transaction. Documents that come have their bytes in `bytes`; those without refer, by their SHA-256, to bytes that the
 * organization has already. A change with the event of a deletion deletes.
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

/** The same, but once for a key: repeating the request answers the agreement as it is by then. */
export const changeWithKey = (
  deps: ChangeDeps,
  caller: CallerContext,
  target: TargetId,
  decide: Decide,
  options: {
    readonly bytes?: NewBytes | undefined;
    readonly idempotency?: KeyedRequest | undefined;
    readonly within?: Within | undefined;
  },
): Promise<KeyedAgreement> =>
  runKeyed(deps, caller, target, options, async (tenant) => {
    const before = await loadAgreement(tenant, target.id, { lock: true });
    if (before === undefined || isTemplate(before) !== target.isTemplate) throw notFound(target.isTemplate);
    return { before, change: decide(before), bytes: options.bytes ?? new Map() };
  });

/** Writes a new agreement with everything that its making comes to, once for a key. */
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
 * What an earlier request with the key has made or sent, as it is now. Throws IDEMPOTENCY_KEY_REUSED when that was another
 * request.
 */
export const findReplay = (
  { pool }: Pick<ChangeDeps, "pool">,
  orgId: OrgId,
  { key, requestHash }: KeyedRequest,
  isTemplate: boolean,
): Promise<Agreement | undefined> =>
  withOrg(pool, orgId, async (tenant) => {
    const use = await findKey(tenant, { key, requestHash });
    return use.kind === "new" ? undefined : replay(tenant, use, isTemplate);
  });

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
      const target = { agreementId: id, now: deps.clock.now() };
      const use: KeyUse = idempotency ? await takeKey(tenant, idempotency, target) : { kind: "new" };
      if (use.kind !== "new") {
        return { agreement: await replay(tenant, use, isTemplate), replayed: true, change: undefined };
      }
      const decided = await decide(tenant);
      // Here the locks are held: whoever has waited for them longer than their caller has nothing left to do.
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

/** The hash of the request says what was asked for: what is not there any more was of the same kind. */
async function replay(tenant: Tenant, use: Exclude<KeyUse, { kind: "new" }>, isTemplate: boolean): Promise<Agreement> {
  if (use.kind === "conflict") throw new DomainError("IDEMPOTENCY_KEY_REUSED");
  const agreement = await loadAgreement(tenant, use.agreementId);
  if (agreement === undefined) throw notFound(isTemplate);
  return agreement;
}

const maxAttempts = 3;

/** A transaction that the database has chosen to end a deadlock has done nothing, and may be run again. */
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
