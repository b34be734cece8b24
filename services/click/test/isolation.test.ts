import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { acceptOne, as, type ClickHarness, newOrg, rows, startClick } from "./harness.ts";

let click: ClickHarness;
let recorder: pg.Pool;
let service: pg.Pool;
const orgId = newOrg();
let sessionId = "";

beforeAll(async () => {
  click = await startClick();
  const { url } = click.database;
  recorder = createPool({ url, role: "assent_click_recorder", max: 1, name: "test" });
  service = createPool({ url, role: "assent_click", max: 1, name: "test" });
  const template = click.templates.add(orgId);
  const request = { template: { case: "templateId", value: template.templateId } as const, userRef: "user-1" };
  sessionId = (await click.client.createSession(request, as(orgId))).session?.id ?? "";
  await acceptOne(click.client, { orgId, key: "k", body: { sessionId } });
});
afterAll(async () => {
  await recorder.end();
  await service.end();
  await click.close();
});

const tables = ["session", "acceptance", "agreement_text", "template_terms"];
const countIn = (table: string, org: OrgId) =>
  withOrg(service, org, async ({ client }) => (await client.query(`select from click.${table}`)).rowCount);

const denied = (promise: Promise<unknown>) => expect(promise).rejects.toThrow("permission denied");

describe("row-level security", () => {
  test.each(tables)("shows rows of %s to their organization alone", async (table) => {
    expect(await countIn(table, orgId)).toBe(1);
    expect(await countIn(table, newOrg())).toBe(0);
    expect((await service.query(`select from click.${table}`)).rowCount).toBe(0);
  });

  test("is forced on every table with an organization", async () => {
    const open = await rows(
      click,
      `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
       where n.nspname = 'click' and c.relkind = 'r' and not (c.relrowsecurity and c.relforcerowsecurity)`,
    );
    expect(open).toEqual([]);
  });

  test("every unique index of a table with an organization begins with it, but for two with a reason", async () => {
    const foreign = await rows(
      click,
      `select i.indexrelid::regclass::text as index from pg_index i
       join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
       where n.nspname = 'click' and i.indisunique and i.indkey[0] <> a.attnum order by 1`,
    );
    // The anchor log is shared; the outbox is read in the order of its positions, and contains the organization.
    expect(foreign).toEqual([{ index: "click.anchor_index" }, { index: "click.outbox_pkey" }]);
  });

  test("does not let a row be written for another organization", async () => {
    const foreign = withOrg(service, newOrg(), ({ client }) =>
      client.query(
        "insert into click.template_terms (organization_id, terms_hash, terms) values ($1, sha256('x'), 'x')",
        [orgId],
      ),
    );
    await expect(foreign).rejects.toThrow("row-level security");
  });
});

describe("the service's role", () => {
  test("writes and changes no acceptance, and deletes nothing", async () => {
    const attempt = (sql: string) => withOrg(service, orgId, ({ client }) => client.query(sql));
    await expect(attempt("insert into click.acceptance select * from click.acceptance")).rejects.toThrow(
      'row-level security policy "only_keys_of_consent"',
    );
    await denied(attempt("update click.acceptance set sealed = ''"));
    for (const table of [...tables, "outbox"]) await denied(attempt(`delete from click.${table}`));
    await denied(attempt("update click.agreement_text set content = ''"));
    await denied(attempt("update click.template_terms set terms = ''"));
    await denied(attempt("update click.session set content_hash = ''"));
    await denied(attempt("select from click.outbox"));
  });
});

describe("the recorder's role", () => {
  test("looks up by key in any organization, but sees no more than a retry needs", async () => {
    const found = await recorder.query("select receipt_id, body_hash, sealed from click.acceptance");
    expect(found.rowCount).toBe(1);
    for (const column of ["terms_hash", "template_id", "version_id"]) {
      await denied(recorder.query(`select ${column} from click.acceptance`));
    }
    await denied(recorder.query("select client_id from click.session"));
    await denied(recorder.query("select from click.agreement_text"));
    await denied(recorder.query("select from click.outbox"));
  });

  test("changes no acceptance, deletes nothing, creates no session and changes nothing but its state", async () => {
    await denied(recorder.query("update click.acceptance set sealed = ''"));
    for (const table of [...tables, "outbox"]) await denied(recorder.query(`delete from click.${table}`));
    await denied(recorder.query("truncate click.acceptance"));
    await denied(recorder.query("insert into click.session (organization_id, id) values ($1, $2)", [orgId, newId()]));
    await denied(recorder.query("update click.session set version_id = id"));
    await denied(recorder.query("update click.session set expires_at = now()"));
  });
});

describe("the database itself", () => {
  test("keeps no text under a hash that is not its own", async () => {
    const insert = withOrg(service, orgId, ({ client }) =>
      client.query(
        `insert into click.agreement_text (organization_id, version_id, revision, template_id, label, locale, content, format,
           content_hash, texts, published_by)
         select organization_id, version_id, revision + 1, template_id, label, locale, 'forged', format, content_hash, texts,
           published_by from click.agreement_text`,
      ),
    );
    await expect(insert).rejects.toThrow("check constraint");
  });
});
