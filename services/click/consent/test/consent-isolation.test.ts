import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool, withOrg, withTransaction } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { publishEvent } from "../../test/publishing.ts";
import { consentActions, consentTemplate, statuses } from "./consent-actions.ts";

let click: ClickHarness;
let template: FakeTemplate;
let orgId: OrgId;
const pools = new Map<string, pg.Pool>();

const { create } = clientActions(() => click);
const { addConsent, read, update, acceptConsent } = consentActions(() => click);

beforeAll(async () => {
  click = await startClick();
  for (const role of ["assent_click", "assent_click_recorder", "assent_click_sweeper", "assent_click_relay"]) {
    pools.set(role, createPool({ url: click.database.url, role, max: 1, name: "test" }));
  }
  template = addConsent([{ key: "news", expiresAfterDays: 1 }]);
  orgId = orgOf(template);
  await publishEvent(click, template);
  await acceptConsent(template, { news: true });
  await update(orgId, { news: "GRANT" }, { idempotencyKey: "k" });
  const { id } = await create(template);
  await click.client.appendSessionEvents({ sessionId: id, events: [{ type: "DISPLAYED" }] }, as(orgId));
});
afterAll(async () => {
  for (const pool of pools.values()) await pool.end();
  await click.close();
});

const poolOf = (role: string): pg.Pool => {
  const pool = pools.get(role);
  if (pool === undefined) throw new Error(`no pool for ${role}`);
  return pool;
};
const denied = (promise: Promise<unknown>) => expect(promise).rejects.toThrow("permission denied");

describe("row-level security", () => {
  test.each(["consent_head", "consent_event", "session_event", "publication"])(
    "shows rows of %s to their organization alone",
    async (table) => {
      const count = (org: OrgId) =>
        withOrg(
          poolOf("assent_click"),
          org,
          async ({ client }) => (await client.query(`select from click.${table}`)).rowCount,
        );
      expect(await count(orgId)).toBeGreaterThan(0);
      expect(await count(newOrg())).toBe(0);
      expect((await poolOf("assent_click").query(`select from click.${table}`)).rowCount).toBe(0);
    },
  );

  test("lets no change be written for another organization", async () => {
    const steal = `insert into click.consent_head (organization_id, subject_index, revision, clock)
      values ($1, decode(repeat('00', 16), 'hex'), 0, now())`;
    const foreign = withOrg(poolOf("assent_click"), newOrg(), ({ client }) => client.query(steal, [orgId]));
    await expect(foreign).rejects.toThrow("row-level security");
  });
});

describe("the service's role", () => {
  test.each([
    "update click.consent_event set type = 'GRANTED'",
    "delete from click.consent_event",
    "delete from click.consent_head",
    "update click.consent_head set subject_index = subject_index",
    "update click.consent_event set sealed = null",
    "update click.subject_key set seed = seed",
    "delete from click.subject_key",
    "update click.log_leaf set leaf = leaf",
    "delete from click.log_leaf",
    "update click.session_event set type = 'CHECKED'",
    "delete from click.session_event",
    "select from click.session_deadline",
    "delete from click.consent_deadline",
    "update click.publication set label = '9.9'",
    "update click.acceptance set decision = 'CONSENT'",
  ])("may not: %s", async (sql) => {
    await denied(withOrg(poolOf("assent_click"), orgId, ({ client }) => client.query(sql)));
  });

  test("takes keys for changes of consent, and records no acceptance", async () => {
    const insert = (decision: string) =>
      withOrg(poolOf("assent_click"), orgId, ({ client }) =>
        client.query(
          `insert into click.acceptance (organization_id, idempotency_hash, body_hash, receipt_id, template_id, version_id,
             revision, terms_hash, decision, accepted_at)
           values ($1, sha256('x'), sha256('x'), $2, $3::uuid, $3::uuid, 1, sha256('x'), $4, now())`,
          [orgId, newId(), newId(), decision],
        ),
      );
    await expect(insert("ACCEPT")).rejects.toThrow("only_keys_of_consent");
    await expect(insert("CONSENT")).rejects.toThrow("check constraint");
  });
});

describe("the recorder's role", () => {
  test.each([
    "select from click.consent_event",
    "select from click.consent_deadline",
    "update click.consent_event set type = 'GRANTED'",
    "delete from click.consent_event",
    "delete from click.consent_head",
    "select from click.session_event",
    "insert into click.session_event (organization_id) values (null)",
  ])("may not: %s", async (sql) => {
    await denied(withTransaction(poolOf("assent_click_recorder"), (client) => client.query(sql)));
  });
});

describe("the sweeper's role", () => {
  test("sees what will expire in any organization", async () => {
    for (const table of ["session_deadline", "consent_deadline"]) {
      const found = await poolOf("assent_click_sweeper").query(`select from click.${table}`);
      expect(found.rowCount).toBeGreaterThan(0);
    }
  });

  test.each([
    "select from click.acceptance",
    "select from click.agreement_text",
    "select from click.template_terms",
    "select from click.session_event",
    "select sealed from click.session",
    "select sealed from click.consent_event",
    "select from click.subject_key",
    "select from click.log_leaf",
    "update click.session set expires_at = now()",
    "update click.session set subject_index = null",
    "insert into click.session (organization_id) values (null)",
    "delete from click.session",
    "update click.consent_head set revision = 0",
    "delete from click.consent_head",
    "insert into click.consent_event (organization_id) values (null)",
    "delete from click.consent_event",
    "select from click.outbox",
    "delete from click.outbox",
  ])("may not: %s", async (sql) => {
    await denied(withTransaction(poolOf("assent_click_sweeper"), (client) => client.query(sql)));
  });
});

describe("two organizations with the same users, purposes and keys", () => {
  test("have nothing to do with each other", async () => {
    const strangers = newOrg();
    const foreign = click.templates.add(strangers, consentTemplate(["news"]));
    const before = await read(orgId, { includeHistory: true });
    // The key of the other one is free here, and its template unknown.
    await update(strangers, { news: "WITHDRAW" }, { idempotencyKey: "k" });
    await update(strangers, {}, { withdrawAll: true });
    const purposes = [{ purpose: "news", decision: "GRANT", templateId: template.templateId }];
    await expectDomainError(
      click.client.updateConsentState({ userRef: "user-1", purposes }, as(strangers)),
      "CLICK_PURPOSE_UNKNOWN",
    );
    await acceptConsent(foreign, { news: false });
    const after = await read(orgId, { includeHistory: true });
    expect({ ...after, asOf: before.asOf }).toEqual(before);
    expect(statuses(await read(strangers))).toEqual({ news: "DENIED" });
    expect((await click.client.listAcceptances({}, as(strangers))).receiptsJson).toHaveLength(1);
    for (const { receiptId } of after.consents) {
      const stolen = click.client.getReceipt({ receiptId: receiptId ?? "" }, as(strangers));
      await expectDomainError(stolen, "CLICK_RECEIPT_NOT_FOUND");
    }
  });
});
