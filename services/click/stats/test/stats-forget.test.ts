import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool, type Tenant, withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { type ClickHarness, newOrg, rows, startClick } from "../../test/harness.ts";
import { createKeyHasher } from "../../vault/subject-vault.ts";
import { forgetUser, lockUsers, updateUsers } from "../stat-store.ts";
import { readStats, settled, startWorkers } from "./stats-actions.ts";

let click: ClickHarness;
let eraser: pg.Pool;
let stopWorkers: () => Promise<void>;
beforeAll(async () => {
  click = await startClick();
  eraser = createPool({ url: click.database.url, role: "assent_click_eraser", max: 1, name: "test" });
  stopWorkers = await startWorkers(click);
});
afterAll(async () => {
  await stopWorkers();
  await eraser.end();
  await click.close();
});

const { addTemplate, acceptTemplate } = clientActions(() => click);

const keyOf = (orgId: OrgId, userRef: string) => createKeyHasher(() => click.masterKey).userKey(orgId, userRef);

const forget = (orgId: OrgId, userRef: string) =>
  withOrg(eraser, orgId, (tenant) => forgetUser(tenant, keyOf(orgId, userRef)));

async function stats(template: FakeTemplate) {
  await settled(click, orgOf(template));
  return readStats(click, template);
}

async function storedKeys(orgId: OrgId): Promise<string[]> {
  const sql = "select user_key as key from click.stat_user where organization_id = $1";
  return (await rows<{ key: Buffer }>(click, sql, [orgId])).map(({ key }) => key.toString("hex"));
}

describe("forgetting a user", () => {
  test("leaves all counts as they are, and nothing that leads to the user", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const another = click.templates.add(orgId);
    for (const userRef of ["ann", "bob"]) await acceptTemplate(template, { userRef });
    await acceptTemplate(another, { userRef: "ann" });
    const before = [await stats(template), await stats(another)];
    const ann = keyOf(orgId, "ann").toString("hex");
    expect((await storedKeys(orgId)).filter((key) => key === ann)).toHaveLength(2);
    await forget(orgId, "ann");
    const keys = await storedKeys(orgId);
    expect(keys).not.toContain(ann);
    // What was the same user in two templates cannot be told any more.
    expect(new Set(keys).size).toBe(3);
    expect([await stats(template), await stats(another)]).toEqual(before);
  });

  test("makes whoever comes back a new user", async () => {
    const template = addTemplate();
    for (const userRef of ["ann", "bob"]) await acceptTemplate(template, { userRef });
    await settled(click, orgOf(template));
    await forget(orgOf(template), "ann");
    for (const userRef of ["ann", "bob"]) await acceptTemplate(template, { userRef });
    expect(await stats(template)).toMatchObject({ acceptances: { total: 4, uniqueUsers: 3 }, usersOnLatest: 3 });
  });

  test("of whom nothing is known changes nothing", async () => {
    const template = addTemplate();
    await acceptTemplate(template, { userRef: "ann" });
    await settled(click, orgOf(template));
    const keys = await storedKeys(orgOf(template));
    await forget(orgOf(template), "bob");
    await forget(newOrg(), "ann");
    expect(await storedKeys(orgOf(template))).toEqual(keys);
  });
});

test("users are counted one by one, however many there are and whatever Postgres knows of them", async () => {
  const orgId = newOrg();
  const [templateId, versionId] = [newId(), newId()];
  await click.superuser.query(
    `insert into click.stat_user (organization_id, template_id, user_key, days, last_accepted_at, last_version_id,
       last_revision)
     select $1, $2, substr(sha256(n::text::bytea), 1, 16), '2026-01-01', now(), $3, 1 from generate_series(1, 10000) n`,
    [orgId, templateId, versionId],
  );
  const plans: string[] = [];
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    const { rows } = await click.superuser.query<Record<string, string>>(`explain ${text}`, values);
    plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
    return { rows: [] };
  };
  const tenant = { orgId, client: { query } } as unknown as Tenant;
  const last = { acceptedAt: new Date(), versionId, revision: 1 };
  const users = Array.from({ length: 200 }, (_, n) => ({
    ...{ templateId, userKey: n.toString(16).padStart(32, "0") },
    ...{ days: ["2026-01-01"], last },
  }));
  await lockUsers(tenant, users);
  await updateUsers(tenant, users);
  expect(plans).toEqual([
    expect.stringMatching(/^Nested Loop[\s\S]*Index Scan using stat_user_pkey/),
    expect.stringContaining("Conflict Arbiter Indexes: stat_user_pkey"),
  ]);
  expect(plans.join()).not.toMatch(/Seq Scan|Bitmap/);
});
