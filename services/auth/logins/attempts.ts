import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Origin } from "../domain/audit.ts";
import type { Attempts } from "../domain/secrets.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { countAttempt, readAttempts, takeBackAttempt } from "../store/attempt-store.ts";
import { addAudit } from "../store/audit-store.ts";
import { findUser } from "../store/user-store.ts";
import { auditEntry } from "./audit-entry.ts";
import { requestMail } from "./mailed-links.ts";

export type AttemptDeps = Pick<AuthDeps, "people" | "keys" | "mail" | "publicUrl" | "wakeMails" | "clock" | "newId">;

export interface Whose {
  readonly orgId: OrgId;
  readonly userId: string;
}

/** Counts an attempt before it is known how it ends. Undefined while the user is locked. */
export const beginAttempt = (deps: AttemptDeps, { orgId, userId }: Whose): Promise<Attempts | undefined> =>
  withOrg(deps.people, orgId, (tenant) => countAttempt(tenant, userId, deps.clock.now()));

/** The attempt was none, or did not fail. */
export const takeBack = (deps: AttemptDeps, { orgId, userId }: Whose): Promise<void> =>
  withOrg(deps.people, orgId, (tenant) => takeBackAttempt(tenant, userId));

/** The attempt has failed. With the last one that a user has, a mail tells the person. */
export async function failAttempt(
  deps: AttemptDeps,
  { orgId, userId }: Whose,
  attempt: { readonly counted: Attempts | undefined; readonly factor: string; readonly origin: Origin },
): Promise<void> {
  await withOrg(deps.people, orgId, (tenant) => noteFailure(deps, tenant, { orgId, userId }, attempt));
  if (attempt.counted?.lockedUntil) deps.wakeMails();
}

/** The same in the caller's transaction. */
export async function noteFailure(
  deps: AttemptDeps,
  tenant: Tenant,
  { userId }: Whose,
  {
    counted,
    factor,
    origin,
  }: { readonly counted: Attempts | undefined; readonly factor: string; readonly origin: Origin },
): Promise<void> {
  const user = await findUser(tenant, userId);
  // Attempts on a locked user are not recorded, so that nobody can flood the trail.
  if (user === undefined || counted === undefined) return;
  await addAudit(tenant, auditEntry(deps, { action: "login.failed", actor: user, origin, details: { factor } }));
  const attempts = counted.lockedUntil === null ? undefined : await readAttempts(tenant, userId);
  // Another attempt at the same time may have succeeded and lifted the lock.
  if (!attempts?.lockedUntil) return;
  await addAudit(tenant, auditEntry(deps, { action: "login.locked", actor: user, origin }));
  await requestMail(deps, tenant, { userId, kind: "lockout" });
}
