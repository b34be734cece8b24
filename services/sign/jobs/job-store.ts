import type { Caller } from "#platform/caller.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { NewId } from "#platform/ids.ts";
import { type Parameter, type Write, writeTogether } from "../agreement/agreement-columns.ts";
import type { JobRequest } from "../agreement/change.ts";

/** What all jobs of one change have in common. */
export interface JobOrigin {
  readonly caller: Pick<Caller, "orgId" | "requestId" | "traceparent">;
  /** Null for work that belongs to no agreement. */
  readonly agreementId: string | null;
  readonly newId: NewId;
  readonly now: Date;
}

/** Adds work that is to follow; what is there already under its kind and key stays as it is. */
export async function insertJobs(tenant: Tenant, origin: JobOrigin, jobs: readonly JobRequest[]): Promise<void> {
  const caller = { ...origin.caller, orgId: tenant.orgId };
  await writeTogether(tenant.client, jobInsertion({ ...origin, caller }, jobs));
}

/** What insertJobs writes. */
export function jobInsertion({ caller, agreementId, newId, now }: JobOrigin, jobs: readonly JobRequest[]): Write[] {
  if (jobs.length === 0) return [];
  const rows = JSON.stringify(jobs.map((job) => ({ id: newId(), ...job })));
  const text = (parameter: Parameter) => `insert into sign.job
      (organization_id, id, kind, key, agreement_id, payload, request_id, traceparent, created_at, run_at)
    select ${parameter(caller.orgId)}::uuid, id, kind, key, ${parameter(agreementId)}::uuid, payload,
      ${parameter(caller.requestId)}::text, ${parameter(caller.traceparent)}::text, ${parameter(now)}::timestamptz, "runAt"
    from json_to_recordset(${parameter(rows)}::json) as r(id uuid, kind text, key text, payload jsonb, "runAt" timestamptz)
    on conflict (organization_id, kind, key) do nothing`;
  return [{ name: "job", text }];
}

/** A key that a caller sent with a request. */
export interface KeyedRequest {
  readonly key: string;
  /** SHA-256 of the request that the key belongs to. */
  readonly requestHash: Uint8Array;
}

export type KeyUse =
  /** Nobody has used the key. */
  | { readonly kind: "new" }
  /** The same request made or sent this agreement. */
  | { readonly kind: "replay"; readonly agreementId: string }
  /** Another request has used the key. */
  | { readonly kind: "conflict" };

export async function findKey({ orgId, client }: Tenant, { key, requestHash }: KeyedRequest): Promise<KeyUse> {
  const { rows } = await client.query<{ agreementId: string; isSame: boolean }>({
    name: "sign-find-key",
    text: `select agreement_id as "agreementId", request_hash = $3 as "isSame"
     from sign.idempotency_key where organization_id = $1 and key = $2`,
    values: [orgId, key, Buffer.from(requestHash)],
  });
  const [row] = rows;
  if (row === undefined) return { kind: "new" };
  return row.isSame ? { kind: "replay", agreementId: row.agreementId } : { kind: "conflict" };
}

/**
 * Takes the key for what this transaction does. While another transaction holds the key, waits for its end: "new" says
 * that the key belongs to this transaction, anything else that it has been used meanwhile.
 */
export async function takeKey(
  tenant: Tenant,
  request: KeyedRequest,
  target: { readonly agreementId: string; readonly now: Date },
): Promise<KeyUse> {
  const { rowCount } = await tenant.client.query({
    name: "sign-take-key",
    text: `insert into sign.idempotency_key (organization_id, key, request_hash, agreement_id, created_at)
     values ($1, $2, $3, $4, $5) on conflict (organization_id, key) do nothing`,
    values: [tenant.orgId, request.key, Buffer.from(request.requestHash), target.agreementId, target.now],
  });
  return rowCount === 1 ? { kind: "new" } : findKey(tenant, request);
}
