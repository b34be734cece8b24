import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { documentOf, embeddedSigner, send } from "../../completion/test/completion-setup.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";
import { type Organization, type SignHarness, startSign } from "../../test/harness.ts";
import { sweep } from "../sweep.ts";

let sign: SignHarness;
let sweeperPool: pg.Pool;
let organizations: readonly Organization[];
beforeAll(async () => {
  sign = await startSign();
  sweeperPool = createPool({ url: sign.database.url, role: "assent_sign_sweeper", max: 2, name: "sign-sweeper" });
  organizations = [sign.organization(), sign.organization()];
});
afterAll(async () => {
  await sweeperPool?.end();
  await sign?.stop();
});

const dayMs = 86_400_000;
const daysAgo = (days: number): Date => new Date(sign.clock.now().getTime() - days * dayMs);

/** In small batches, by two at the same time. */
const sweepAll = async (): Promise<void> => {
  const once = () => sweep({ sweeperPool, clock: sign.clock }, 3);
  await Promise.all([once(), once()]);
  await once();
};

const definition = { documents: [documentOf("1", smallestPdf)], recipients: [embeddedSigner("1", "Ann")] };

describe("the sweeper", () => {
  test("forgets the keys of requests after a week, of all organizations", async () => {
    for (const { orgId } of organizations) {
      for (const days of [0, 6.9, 7.1, 8, 9, 10, 400]) {
        await sign.superuser.query("insert into sign.idempotency_key values ($1, $2, $3, $4, $5)", [
          ...[orgId, `after ${days}`, randomBytes(32), randomUUID(), daysAgo(days)],
        ]);
      }
    }
    await sweepAll();
    const { rows } = await sign.superuser.query("select key from sign.idempotency_key order by key");
    expect(rows.map(({ key }) => key)).toEqual(["after 0", "after 0", "after 6.9", "after 6.9"]);
  });

  test("forgets links and sessions long after their end, and those of mails long after that of the agreement", async () => {
    const [organization] = organizations as [Organization];
    const [open, voided, deleted] = [
      await send(organization, definition),
      await send(organization, definition),
      await send(organization, definition),
    ];
    const end = (id: string, sql: string, days: number) =>
      sign.superuser.query(`update sign.agreement set ${sql} where id = $1`, [id, daysAgo(days)]);
    await end(voided.id, "status = 'voided', status_changed_at = $2", 32);
    await end(deleted.id, "deleted_at = $2", 32);
    const recent = await send(organization, definition);
    await end(recent.id, "status = 'voided', status_changed_at = $2", 30);
    const add = async (
      name: string,
      view: { agreementId: string; reusable?: boolean; ended: number; session?: number },
    ) => {
      const { agreementId, reusable = false, ended, session } = view;
      await sign.superuser.query(
        `insert into sign.view (organization_id, token_hash, kind, is_reusable, agreement_id, return_url, created_by,
           created_at, expires_at, opened_at, session_hash, session_expires_at)
         values ($1, $2, 'recipient', $3, $4, $5, 'test', $6, $7, $8, $9, $10)`,
        [
          ...[organization.orgId, randomBytes(32), reusable, agreementId, name, daysAgo(Math.max(ended, 40))],
          ...[reusable ? daysAgo(-3_000) : daysAgo(ended)],
          ...(session === undefined ? [null, null, null] : [daysAgo(ended), randomBytes(32), daysAgo(session)]),
        ],
      );
    };
    await add("old link", { agreementId: open.id, ended: 32 });
    await add("old session", { agreementId: open.id, ended: 50, session: 32 });
    await add("recent link", { agreementId: open.id, ended: 30 });
    await add("long session", { agreementId: open.id, ended: 50, session: 0 });
    for (let number = 0; number < 7; number += 1) {
      await add("mail, open", { agreementId: open.id, reusable: true, ended: 0 });
      await add("mail, ended lately", { agreementId: recent.id, reusable: true, ended: 0 });
      await add("mail, ended", { agreementId: voided.id, reusable: true, ended: 0 });
      await add("mail, deleted", { agreementId: deleted.id, reusable: true, ended: 0 });
    }
    await sweepAll();
    const { rows } = await sign.superuser.query(
      "select return_url as name, count(*)::int as count from sign.view group by 1 order by 1",
    );
    expect(rows).toEqual([
      { name: "long session", count: 1 },
      { name: "mail, ended lately", count: 7 },
      { name: "mail, open", count: 7 },
      { name: "recent link", count: 1 },
    ]);
  });

  test("removes work that was given up three months ago, and no other work", async () => {
    await sign.superuser.query("delete from sign.job");
    const add = (key: string, failedAt: Date | null) =>
      sign.superuser.query(
        `insert into sign.job (organization_id, id, kind, key, payload, request_id, traceparent, created_at, run_at, failed_at)
         values ($1, $2, 'mail', $3, '{}', '', '', $4, $4, $5)`,
        [organizations[0]?.orgId, randomUUID(), key, daysAgo(500), failedAt],
      );
    await add("waits", null);
    await add("failed lately", daysAgo(89));
    for (const index of [1, 2, 3, 4]) await add(`failed ${index}`, daysAgo(91));
    await sweepAll();
    const { rows } = await sign.superuser.query("select key from sign.job order by key");
    expect(rows.map(({ key }) => key)).toEqual(["failed lately", "waits"]);
  });

  test("sees ids and times, and nothing of what people have written", async () => {
    for (const sql of [
      "select email_subject from sign.agreement",
      "select return_url from sign.view",
      "select payload from sign.job",
      "select from sign.recipient",
      "delete from sign.agreement",
      "update sign.view set ended_at = now()",
    ]) {
      await expect(sweeperPool.query(sql)).rejects.toThrow("permission denied");
    }
    const { rows } = await sweeperPool.query("select id from sign.job where failed_at is null");
    expect(rows).toEqual([]);
  });
});
