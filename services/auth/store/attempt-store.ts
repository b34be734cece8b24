import type { Tenant } from "#platform/db/pool.ts";
import { type Attempts, beginAttempt, noAttempts, takeBack } from "../domain/secrets.ts";

const selectAttempts = `
  select failures, failures_since as "failuresSince", locked_until as "lockedUntil"
  from auth.user_account where organization_id = $1 and user_id = $2 for update`;

const updateAttempts = `
  update auth.user_account set failures = $3, failures_since = $4, locked_until = $5
  where organization_id = $1 and user_id = $2`;

/** Locks the user. Undefined for an unknown one. */
export async function readAttempts({ orgId, client }: Tenant, userId: string): Promise<Attempts | undefined> {
  return (await client.query<Attempts>(selectAttempts, [orgId, userId])).rows[0];
}

async function write({ orgId, client }: Tenant, userId: string, attempts: Attempts): Promise<void> {
  const { failures, failuresSince, lockedUntil } = attempts;
  await client.query(updateAttempts, [orgId, userId, failures, failuresSince, lockedUntil]);
}

/** Counts an attempt. Undefined, and nothing is written, while the user is locked. */
export async function countAttempt(tenant: Tenant, userId: string, now: Date): Promise<Attempts | undefined> {
  const stored = await readAttempts(tenant, userId);
  const begun = beginAttempt(stored ?? noAttempts, now);
  if (begun !== undefined) await write(tenant, userId, begun);
  return begun;
}

/** Takes an attempt back that was no failure. */
export async function takeBackAttempt(tenant: Tenant, userId: string): Promise<void> {
  const stored = await readAttempts(tenant, userId);
  if (stored !== undefined) await write(tenant, userId, takeBack(stored));
}

/** Forgets all attempts, because the person has proven who they are. */
export const forgetAttempts = (tenant: Tenant, userId: string): Promise<void> => write(tenant, userId, noAttempts);
