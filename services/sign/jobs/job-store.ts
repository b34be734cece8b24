import type { Caller } from "#platform/caller.ts";
import { createIdempotencyKeys } from "#platform/db/idempotency-keys.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { NewId } from "#platform/ids.ts";
import { type Parameter, type Write, writeTogether } from "../agreement/agreement-columns.ts";
import type { JobRequest } from "../agreement/change.ts";

/** What all jobs of one change share. */
export interface JobOrigin {
  readonly caller: Pick<Caller, "orgId" | "requestId" | "traceparent">;
  /** Null for jobs that belong to no agreement. */
  readonly agreementId: string | null;
  readonly newId: NewId;
  readonly now: Date;
}

/** Adds follow-up jobs; existing ones with the same kind and key stay as they are, but for a time that is brought forward. */
export async function insertJobs(tenant: Tenant, origin: JobOrigin, jobs: readonly JobRequest[]): Promise<void> {
  const caller = { ...origin.caller, orgId: tenant.orgId };
  await writeTogether(tenant.client, jobInsertion({ ...origin, caller }, jobs));
}

/** The insert statement of insertJobs. */
export function jobInsertion({ caller, agreementId, newId, now }: JobOrigin, jobs: readonly JobRequest[]): Write[] {
  if (jobs.length === 0) return [];
  const once = new Map([...jobs].reverse().map((job) => [`${job.kind} ${job.key}`, job]));
  const rows = JSON.stringify([...once.values()].reverse().map((job) => ({ id: newId(), ...job })));
  // Not every role that asks for jobs may change them.
  const isTimed = jobs.some(({ kind }) => timed.has(kind));
  const text = (parameter: Parameter) => `insert into sign.job as job
      (organization_id, id, kind, key, agreement_id, payload, request_id, traceparent, created_at, run_at)
    select ${parameter(caller.orgId)}::uuid, id, kind, key, ${parameter(agreementId)}::uuid, payload,
      ${parameter(caller.requestId)}::text, ${parameter(caller.traceparent)}::text, ${parameter(now)}::timestamptz, "runAt"
    from json_to_recordset(${parameter(rows)}::json) as r(id uuid, kind text, key text, payload jsonb, "runAt" timestamptz)
    on conflict (organization_id, kind, key) ${isTimed ? bringForward : "do nothing"}`;
  return [{ name: isTimed ? "due" : "job", text }];
}

const timed: ReadonlySet<JobRequest["kind"]> = new Set(["reminder", "resumption", "expiry", "expiry-warning"]);
const bringForward = `do update set run_at = excluded.run_at
      where job.kind in ('reminder', 'resumption', 'expiry', 'expiry-warning') and job.run_at > excluded.run_at`;

export const { findKey, takeKey } = createIdempotencyKeys({ schema: "sign", target: "agreement_id" });
