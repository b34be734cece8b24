import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { sha256Label } from "#platform/canonical-json.ts";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { settled, startWorkers } from "../../stats/test/stats-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { type ClickHarness, newOrg, rows, startClick } from "../../test/harness.ts";
import { renderActions } from "./render-actions.ts";

let click: ClickHarness;
let pool: pg.Pool;
let stopWorkers: () => Promise<void>;
beforeAll(async () => {
  click = await startClick();
  pool = createPool({ url: click.database.url, role: "assent_click", max: 2, name: "test" });
  stopWorkers = await startWorkers(click);
});
afterAll(async () => {
  await stopWorkers();
  await pool.end();
  await click.close();
});

const { addTemplate, create, acceptTemplate } = clientActions(() => click);
const { renderDeployment } = renderActions(() => click);

const organizationTables = [
  "shown",
  "sealed_rendering",
  "subject_key",
  "stat_hour",
  "stat_accept_time",
  "stat_purpose",
  "stat_user",
  "stat_reach",
  "stat_holder",
  "stat_reused_session",
];

describe("what renderings and statistics store", () => {
  test("is seen and written by its own organization alone", async () => {
    const template = addTemplate();
    await create(template);
    await acceptTemplate(template);
    await settled(click, orgOf(template));
    for (const table of ["shown", "stat_hour", "stat_user", "stat_reach", "stat_holder"]) {
      const own = await withOrg(pool, orgOf(template), ({ client }) => client.query(`select from click.${table}`));
      expect([table, own.rowCount === 0]).toEqual([table, false]);
    }
    for (const table of organizationTables) {
      const foreign = await withOrg(pool, newOrg(), ({ client }) => client.query(`select from click.${table}`));
      expect([table, foreign.rowCount]).toEqual([table, 0]);
      expect([table, (await pool.query(`select from click.${table}`)).rowCount]).toEqual([table, 0]);
    }
    const written = withOrg(pool, newOrg(), ({ client }) =>
      client.query("insert into click.shown (organization_id, hash, content) values ($1, sha256('x'), 'x')", [
        orgOf(template),
      ]),
    );
    await expect(written).rejects.toThrow("row-level security");
  });

  test("what was shown can neither be changed nor deleted, and its name is its hash", async () => {
    const template = addTemplate();
    await create(template);
    const orgId = orgOf(template);
    const attempt = (sql: string) => withOrg(pool, orgId, ({ client }) => client.query(sql));
    for (const sql of [
      "update click.shown set content = 'x'",
      "delete from click.shown",
      "update click.sealed_rendering set sealed = 'x'",
      "delete from click.sealed_rendering",
      "update click.subject_key set seed = 'x'",
      "delete from click.subject_key",
    ]) {
      await expect(attempt(sql)).rejects.toThrow("permission denied");
    }
    const forged = withOrg(pool, orgId, ({ client }) =>
      client.query("insert into click.shown (organization_id, hash, content) values ($1, sha256('x'), 'y')", [orgId]),
    );
    await expect(forged).rejects.toThrow("shown_check");
    const pinned = "update click.session set render_hash = null, words_hash = null, deployment_id = null";
    await expect(attempt(pinned)).rejects.toThrow("permission denied");
  });

  test("the recorder cannot read it", async () => {
    await create(addTemplate());
    const recorder = createPool({ url: click.database.url, role: "assent_click_recorder", max: 1, name: "test" });
    await expect(recorder.query("select content from click.shown")).rejects.toThrow("permission denied");
    await recorder.end();
  });

  test("each content is stored once per organization, however often it is shown", async () => {
    const template = addTemplate();
    const deployment = click.templates.deploy(template);
    const another = await click.startAnother();
    await Promise.all(Array.from({ length: 10 }, () => renderDeployment(deployment)));
    const subject = { case: "deploymentKey", value: deployment.key } as const;
    await another.client.render({ subject }, { headers: { "x-org-id": orgOf(template), "x-client-id": "cl" } });
    const stored = await rows<{ content: Buffer }>(
      click,
      "select content from click.shown where organization_id = $1",
      [orgOf(template)],
    );
    expect(stored).toHaveLength(3);
    expect(stored.map(({ content }) => sha256Label(content))).toContain(sha256Label("<p>The terms.</p>"));
  });

  test("no reference of a user is in the statistics", async () => {
    const template = addTemplate();
    await acceptTemplate(template, { userRef: "ann@example.org" });
    await settled(click, orgOf(template));
    for (const table of organizationTables) {
      const stored = await rows(click, `select s::text from click.${table} s where organization_id = $1`, [
        orgOf(template),
      ]);
      expect(JSON.stringify(stored)).not.toContain("ann@example.org");
    }
  });
});
