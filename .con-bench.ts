import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { migrate } from "#platform/db/migrate.ts";
import { createPool } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { openOwnedDatabase } from "./dev/owned-database.ts";
import { startPostgres } from "./dev/postgres.ts";
import { clickMigrations } from "./services/click/migrations/index.ts";
import { recordAcceptances } from "./services/click/store/record-statement.ts";

const dir = mkdtempSync("/tmp/con-bench/pg-");
const postgres = await startPostgres({ dataDir: dir, durable: true });
const url = await openOwnedDatabase(postgres.url, "click", "assent_owner");
await migrate({ url, services: [clickMigrations], logger: createLogger("x", "silent") });
const owner = createPool({ url, name: "o", max: 1, statementTimeoutMs: 0 });
const pool = createPool({ url, role: "assent_click_recorder", name: "r", max: 2 });
const org = newId();
const terms = randomBytes(32);
const template = newId(),
  version = newId();
const h = (t: string) => createHash("sha256").update(t).digest();
const rec = () => {
  const id = newId();
  return {
    organizationId: org,
    idempotencyHash: h(id),
    bodyHash: h(id),
    receiptId: id,
    templateId: template,
    versionId: version,
    revision: 1,
    termsHash: terms,
    onceHash: null,
    userRef: "user-" + id,
    decision: "ACCEPT" as const,
    acceptedAt: new Date().toISOString(),
    receipt: "x".repeat(1300),
    evidence: "y".repeat(400),
    session: null,
    events: [{ eventId: newId(), organizationId: org, subject: "s", data: "z".repeat(600) }],
    consents: [],
  };
};
async function round(n: number) {
  const t = performance.now();
  let left = n;
  const work = async () => {
    while (left-- > 0) await recordAcceptances(pool, Array.from({ length: 256 }, rec) as any);
  };
  await Promise.all([work(), work()]);
  return Math.round((n * 256) / ((performance.now() - t) / 1000));
}
const idx = {
  newest: "create index acceptance_newest on click.acceptance (organization_id, accepted_at, receipt_id)",
  template:
    "create index acceptance_template on click.acceptance (organization_id, template_id, accepted_at, receipt_id) where template_id is not null",
};
await owner.query("drop index click.acceptance_newest; drop index click.acceptance_template");
await round(40);
for (let i = 0; i < 4; i++) {
  for (const set of [[], ["newest"], ["newest", "template"]] as (keyof typeof idx)[][]) {
    await owner.query("truncate click.acceptance, click.outbox");
    for (const s of set) await owner.query(idx[s]);
    await owner.query("checkpoint").catch(() => {});
    console.log(set.join("+") || "none", await round(80));
    for (const s of set) await owner.query(`drop index click.acceptance_${s}`);
  }
}
await owner.end();
await pool.end();
await postgres.stop();
