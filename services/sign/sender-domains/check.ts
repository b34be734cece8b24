import type { AuditAction } from "#api/audit-actions.ts";
import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { Caller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { schema } from "../agreement/write-change.ts";
import type { SignDeps } from "../deps.ts";
import { insertJobs } from "../jobs/job-store.ts";
import { lookUp } from "./look-up.ts";
import { type Proven, settled, type WantedRecord } from "./sender-domain.ts";

export type CheckDeps = Pick<
  SignDeps,
  "pool" | "clock" | "newId" | "wakeRelay" | "wakeJobs" | "resolveTexts" | "mailDomain"
>;

/** What all of a kind have in common. */
export interface ProvenKind<One extends Proven> {
  /** Of the job that looks at the records again, and of what the audit trail says. */
  readonly name: "sender-domain" | "page-host";
  /** What the payload of that job calls the id. */
  readonly idName: "senderDomainId" | "pageHostId";
  /** What people call it. */
  readonly nameOf: (one: One) => string;
  readonly recordsOf: (one: One) => readonly WantedRecord[];
  readonly find: (tenant: Tenant, id: string, options?: { readonly locked: boolean }) => Promise<One | undefined>;
  readonly save: (tenant: Tenant, one: Proven) => Promise<void>;
  /** Whether somebody else has verified the same. */
  readonly isTaken: (error: unknown) => boolean;
}

interface Checked<One extends Proven> {
  readonly before: One;
  readonly after: One;
  /** Its records are right, and another organization has verified it. */
  readonly isTaken: boolean;
}

/**
 * Looks the records up and writes down what becomes of it, together with `within`; undefined when it was deleted.
 * No transaction waits for a name server, so two checks may end in another order than they began: the one that ends last
 * holds until the next.
 */
export async function checkProof<One extends Proven>(
  deps: CheckDeps,
  caller: Caller,
  kind: ProvenKind<One>,
  id: string,
  within: (tenant: Tenant, checked: Checked<One>) => Promise<void> = async () => {},
): Promise<Checked<One> | undefined> {
  const found = await withOrg(deps.pool, caller.orgId, (tenant) => kind.find(tenant, id));
  if (found === undefined) return undefined;
  const records = kind.recordsOf(found);
  const findings = await lookUp(deps.resolveTexts, records);
  const write = (isTaken: boolean) =>
    withOrg(deps.pool, caller.orgId, async (tenant) => {
      const before = await kind.find(tenant, id, { locked: true });
      if (before === undefined) return undefined;
      const now = deps.clock.now();
      const next = settled(before, records, findings, now);
      const after: One = isTaken ? { ...next, status: before.status, verifiedAt: before.verifiedAt } : next;
      await kind.save(tenant, after);
      if (after.status !== before.status) {
        await audit(deps, tenant, caller, `${kind.name}.${after.status === "lost" ? "lost" : "verified"}`, id);
      }
      const isFresh = before.status === "pending" && after.status === "verified";
      const jobs = { caller, agreementId: null, newId: deps.newId, now };
      if (isFresh) await insertJobs(tenant, jobs, [recheck(kind, id, now)]);
      const checked = { before, after, isTaken };
      await within(tenant, checked);
      return checked;
    });
  const checked = await write(false).catch((error: unknown) => {
    if (kind.isTaken(error)) return write(true);
    throw error;
  });
  deps.wakeRelay();
  deps.wakeJobs();
  return checked;
}

/** The next look at its records. */
const recheck = ({ name, idName }: Pick<ProvenKind<Proven>, "name" | "idName">, id: string, now: Date) => ({
  ...{ kind: name, key: id, runAt: nextCheck(now), payload: { [idName]: id } },
});

const hourMs = 3_600_000;

export const nextCheck = (now: Date): Date => new Date(now.getTime() + hourMs);

export async function audit(
  deps: Pick<SignDeps, "newId" | "clock">,
  tenant: Tenant,
  caller: Caller,
  action: Extract<AuditAction, `${"sender-domain" | "page-host"}.${string}`>,
  targetId: string,
): Promise<void> {
  const context = { caller, eventId: deps.newId(), now: deps.clock.now() };
  await insertOutbox(tenant.client, schema, [auditRecord(context, { action, actor: auditActor(caller), targetId })]);
}
