import type pg from "pg";
import { createPostgresBlobStore } from "#platform/blobs/blob-store.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import type { Agreement } from "../../../services/sign/agreement/agreement.ts";
import { loadAgreement } from "../../../services/sign/agreement/agreement-store.ts";
import { isChainIntact } from "../../../services/sign/agreement/audit-chain.ts";
import { listAuditEvents } from "../../../services/sign/agreement/audit-store.ts";
import { filesOf } from "../../../services/sign/agreement/file-store.ts";
import { createAgreementFiles } from "../../../services/sign/files/agreement-files.ts";
import { findSeals } from "../../../services/sign/seal/verify-seals.ts";

/** What is wrong with the completion of an agreement; empty when it happened exactly once, and as a whole. */
export async function problemsOf(inspector: pg.Pool, vault: SeedVault, orgId: OrgId, id: string): Promise<string[]> {
  const { agreement, events } = await withOrg(inspector, orgId, async (tenant) => ({
    agreement: await loadAgreement(tenant, id),
    events: await listAuditEvents(tenant, vault, id),
  }));
  if (agreement?.status !== "completed") return [`${id} is ${agreement?.status ?? "gone"}`];
  const problems: string[] = [];
  if (!isChainIntact(id, events, agreement.audit)) problems.push("the chain of the trail is broken");
  for (const action of ["agreement.completing", "agreement.completed"]) {
    const count = events.filter((event) => event.action === action).length;
    if (count !== 1) problems.push(`${action} is ${count} times in the trail`);
  }
  const signed = events.filter(({ action }) => action === "recipient.signed").length;
  if (signed !== 2) problems.push(`${signed} people have signed`);
  problems.push(
    ...(await eventProblems(inspector, agreement)),
    ...(await fileProblems(inspector, vault, orgId, agreement)),
  );
  return problems.map((problem) => `${id}: ${problem}`);
}

async function eventProblems(inspector: pg.Pool, { id, documents }: Agreement): Promise<string[]> {
  const { rows } = await inspector.query<{ subject: string; count: number }>(
    `select subject, count(*)::int as count from sign.outbox where data::json->>'aggregateId' = $1 group by subject`,
    [id],
  );
  const counts = new Map(rows.map(({ subject, count }) => [subject.replace("assent.sign.", ""), count]));
  const wanted = [
    ["agreement.completed", 1],
    ["document.completed", documents.length],
    ["recipient.completed", 2],
  ] as const;
  return wanted
    .filter(([subject, count]) => counts.get(subject) !== count)
    .map(([subject]) => `${counts.get(subject) ?? 0} events ${subject}`);
}

async function fileProblems(
  inspector: pg.Pool,
  vault: SeedVault,
  orgId: OrgId,
  agreement: Agreement,
): Promise<string[]> {
  const blobs = createPostgresBlobStore({ pool: inspector, schema: "sign" });
  const files = createAgreementFiles({ blobs, vault, logger: createLogger("test", "silent") });
  const problems: string[] = [];
  const originals = new Set(agreement.documents.map(({ id }) => id));
  for (const file of filesOf(agreement).filter(({ id }) => !originals.has(id))) {
    const bytes = await withOrg(inspector, orgId, (tenant) => files.read(tenant, agreement.id, file));
    const last = findSeals(bytes).at(-1);
    if (last?.isIntact !== true || !last.coversWholeFile) problems.push("a file has no seal that holds");
  }
  return problems;
}

/** What is stored beside what belongs to these agreements, whose documents are all made of one original. */
export async function leftovers(inspector: pg.Pool, orgId: OrgId, agreements: number, documents: number) {
  const { rows } = await inspector.query<{ blobs: number; jobs: number }>(
    `select (select count(*)::int from sign.blob where organization_id = $1) as blobs,
       (select count(*)::int from sign.job where organization_id = $1 and kind = 'completion') as jobs`,
    [orgId],
  );
  const { blobs = 0, jobs = 0 } = rows[0] ?? {};
  return { blobs: blobs - agreements * (documents + 2), jobs };
}
