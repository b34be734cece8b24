import type { AuditAction } from "#api/audit-actions.ts";
import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { Caller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { schema } from "../agreement/write-change.ts";
import type { SignDeps } from "../deps.ts";
import { insertJobs } from "../jobs/job-store.ts";
import { lookUp } from "./look-up.ts";
import { recordsOf, type SenderDomain, settled } from "./sender-domain.ts";
import * as store from "./store.ts";

export type CheckDeps = Pick<
  SignDeps,
  "pool" | "clock" | "newId" | "wakeRelay" | "wakeJobs" | "resolveTexts" | "mailDomain"
>;

interface Checked {
  readonly before: SenderDomain;
  readonly after: SenderDomain;
  /** Its records are right, and another organization has verified the domain. */
  readonly isTaken: boolean;
}

/**
 * Looks the records up and writes down what becomes of the domain, together with `within`; undefined when it was deleted.
 * No transaction waits for a name server, so two checks may end in another order than they began: the one that ends last
 * holds until the next.
 */
export async function checkDomain(
  deps: CheckDeps,
  caller: Caller,
  id: string,
  within: (tenant: Tenant, checked: Checked) => Promise<void> = async () => {},
): Promise<Checked | undefined> {
  const found = await withOrg(deps.pool, caller.orgId, (tenant) => store.findSenderDomain(tenant, id));
  if (found === undefined) return undefined;
  const records = recordsOf(found, deps.mailDomain);
  const findings = await lookUp(deps.resolveTexts, records);
  const write = (isTaken: boolean) =>
    withOrg(deps.pool, caller.orgId, async (tenant) => {
      const before = await store.findSenderDomain(tenant, id, { locked: true });
      if (before === undefined) return undefined;
      const now = deps.clock.now();
      const next = settled(before, records, findings, now);
      const after: SenderDomain = isTaken ? { ...next, status: before.status, verifiedAt: before.verifiedAt } : next;
      await store.saveCheck(tenant, after);
      if (after.status !== before.status) {
        await audit(
          deps,
          tenant,
          caller,
          after.status === "lost" ? "sender-domain.lost" : "sender-domain.verified",
          id,
        );
      }
      const isFresh = before.status === "pending" && after.status === "verified";
      if (isFresh) await insertJobs(tenant, { caller, agreementId: null, newId: deps.newId, now }, [recheck(id, now)]);
      const checked = { before, after, isTaken };
      await within(tenant, checked);
      return checked;
    });
  const checked = await write(false).catch((error: unknown) => {
    if (store.isTaken(error)) return write(true);
    throw error;
  });
  deps.wakeRelay();
  deps.wakeJobs();
  return checked;
}

/** The next look at its records. */
const recheck = (id: string, now: Date) => ({
  ...{ kind: "sender-domain" as const, key: id, runAt: nextCheck(now), payload: { senderDomainId: id } },
});

const hourMs = 3_600_000;

export const nextCheck = (now: Date): Date => new Date(now.getTime() + hourMs);

export async function audit(
  deps: Pick<SignDeps, "newId" | "clock">,
  tenant: Tenant,
  caller: Caller,
  action: Extract<AuditAction, `sender-domain.${string}`>,
  targetId: string,
): Promise<void> {
  const context = { caller, eventId: deps.newId(), now: deps.clock.now() };
  await insertOutbox(tenant.client, schema, [auditRecord(context, { action, actor: auditActor(caller), targetId })]);
}
