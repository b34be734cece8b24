import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import type { Deployment } from "#gen/assent/templates/v1/templates_pb.ts";
import { createPool, withOrg, withTransaction } from "#platform/db/pool.ts";
import { createActive, readSnapshots, updateDeployment } from "./deployment-harness.ts";
import { createPublished, type Organization, startTemplates, type TemplatesHarness } from "./harness.ts";

let harness: TemplatesHarness;
let owner: Organization;
let stranger: Organization;
let deployment: Deployment;
const pools = new Map<string, pg.Pool>();

beforeAll(async () => {
  harness = await startTemplates();
  [owner, stranger] = [harness.organization(), harness.organization()];
  for (const organization of [stranger, owner]) {
    deployment = await createActive(organization, (await createPublished(organization)).template.id);
  }
  for (const role of ["", "assent_templates", "assent_templates_resolver", "assent_templates_relay"]) {
    pools.set(role, createPool({ url: harness.databaseUrl, role, max: 1, name: "test" }));
  }
});
afterAll(async () => {
  for (const pool of pools.values()) await pool.end();
  await harness.stop();
});

const as = (role: string): pg.Pool => {
  const pool = pools.get(role);
  if (pool === undefined) throw new Error(`no pool for ${role}`);
  return pool;
};

const owners = async (client: pg.ClientBase, table: string): Promise<string[]> => {
  const { rows } = await client.query(`select distinct organization_id::text as id from templates.${table}`);
  return rows.map((row: { id: string }) => row.id).sort();
};

const failsWith = (code: string) => expect.objectContaining({ code });
const denied = "42501";
const checked = "23514";
const referred = "23503";

describe.each(["deployment", "deployment_snapshot"])("%s", (table) => {
  test.each(["", "assent_templates", "assent_templates_resolver"])(
    "shows the role '%s' the rows of one organization and without one none",
    async (role) => {
      expect(await withOrg(as(role), owner.orgId, ({ client }) => owners(client, table))).toEqual([owner.orgId]);
      expect(await withTransaction(as(role), (client) => owners(client, table))).toEqual([]);
    },
  );

  test("is closed to the relay", async () => {
    const attempt = withTransaction(as("assent_templates_relay"), (client) => owners(client, table));
    await expect(attempt).rejects.toEqual(failsWith(denied));
  });

  test("takes no row for another organization", async () => {
    const steal = `insert into templates.${table}
      select (jsonb_populate_record(t, jsonb_build_object('organization_id', $1::uuid))).* from templates.${table} t`;
    const attempt = withOrg(as("assent_templates"), owner.orgId, ({ client }) => client.query(steal, [stranger.orgId]));
    await expect(attempt).rejects.toEqual(failsWith(denied));
  });

  test.each(["insert into", "update", "delete from"])("the resolver may not %s it", async (verb) => {
    const rest = verb === "update" ? "set organization_id = null" : verb === "insert into" ? "default values" : "";
    const attempt = withOrg(as("assent_templates_resolver"), owner.orgId, ({ client }) =>
      client.query(`${verb} templates.${table} ${rest}`),
    );
    await expect(attempt).rejects.toEqual(failsWith(denied));
  });
});

describe("snapshots", () => {
  test.each([
    "update templates.deployment_snapshot set data = '{}'",
    "update templates.deployment_snapshot set hash = hash",
    "delete from templates.deployment_snapshot",
    "truncate templates.deployment_snapshot",
    "truncate templates.deployment",
    "alter table templates.deployment_snapshot disable row level security",
    "insert into templates.deployment_snapshot select * from templates.deployment_snapshot on conflict (organization_id, hash) do update set data = '{}'",
  ])("the service may not: %s", async (sql) => {
    const attempt = withOrg(as("assent_templates"), owner.orgId, ({ client }) => client.query(sql));
    await expect(attempt).rejects.toEqual(failsWith(denied));
  });

  test("nothing can be kept under the hash of something else", async () => {
    const sql = `insert into templates.deployment_snapshot (organization_id, hash, deployment_id, data, created_at)
      values ($1, $2, $3, '{}', now())`;
    const values = [owner.orgId, `sha256:${"0".repeat(64)}`, deployment.id];
    const attempt = withOrg(as("assent_templates"), owner.orgId, ({ client }) => client.query(sql, values));
    await expect(attempt).rejects.toEqual(failsWith(checked));
  });

  test("what was kept once stays as it was through every later change", async () => {
    const { template } = await createPublished(owner);
    const { id } = await createActive(owner, template.id);
    const before = await readSnapshots(harness, id);
    for (const name of ["a", "b", "a"]) await updateDeployment(owner, id, ["name"], { name });
    await owner.deactivateDeployment({ deploymentId: id });
    await owner.removeDeployment({ deploymentId: id });
    const after = await readSnapshots(harness, id);
    expect(after).toHaveLength(3);
    expect(after).toEqual(expect.arrayContaining(before));
  });
});

describe("a deployment's row", () => {
  const change = (sql: string) =>
    withOrg(as("assent_templates"), owner.orgId, ({ client }) =>
      client.query(`update templates.deployment set ${sql} where id = $1`, [deployment.id]),
    );

  test.each([
    "snapshot_hash = null",
    "activated_at = null",
    "status = 'DRAFT'",
    "status = 'INACTIVE'",
    "status = 'GONE'",
    "environment = 'PROD'",
    "surface = 'TV'",
    "display_mode = 'POPUP'",
    "wrap_type = 'BROWSEWRAP'",
    "key = 'dep_1'",
    "theme = '[]'",
    "policy_overrides = '1'",
  ])("cannot say: %s", async (sql) => {
    await expect(change(sql)).rejects.toEqual(failsWith(checked));
  });

  test.each([
    "version_id = gen_random_uuid()",
    "template_id = gen_random_uuid()",
    `snapshot_hash = 'sha256:${"0".repeat(64)}'`,
  ])("names nothing that does not exist: %s", async (sql) => {
    await expect(change(sql)).rejects.toEqual(failsWith(referred));
  });

  test("keys are unique within an organization", async () => {
    const { template } = await createPublished(owner);
    const { id } = await createActive(owner, template.id);
    const attempt = withOrg(as("assent_templates"), owner.orgId, ({ client }) =>
      client.query("update templates.deployment set key = $2 where id = $1", [id, deployment.key]),
    );
    await expect(attempt).rejects.toEqual(failsWith("23505"));
  });
});
