import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { deleteOldWindows } from "../store/usage-store.ts";
import { createCustomer } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { type DocgenHarness, startDocgen } from "./harness.ts";

let harness: DocgenHarness;
let claimer: pg.Pool;
let writer: pg.Pool;
beforeAll(async () => {
  harness = await startDocgen({ checker: createFakeChecker() });
  const { url } = harness.database;
  claimer = createPool({ url, role: "assent_docgen_claimer", max: 1, name: "test-claimer" });
  writer = createPool({ url, role: "assent_docgen", max: 1, name: "test-writer" });
});
afterAll(async () => {
  await Promise.all([claimer.end(), writer.end()]);
  await harness.stop();
});

const denied = { code: "42501" };

describe("the role that chooses what is next", () => {
  test("sees that documents of all organizations wait, and nothing of what they say", async () => {
    const ids = [(await (await createCustomer(harness)).ask()).id, (await (await createCustomer(harness)).ask()).id];
    const { rows } = await claimer.query("select id from docgen.document where id = any($1)", [ids]);
    expect(rows.length).toBe(2);
    for (const column of ["source", "metadata", "file_name", "warnings", "failure", "sha256", "created_by", "*"]) {
      await expect(claimer.query(`select ${column} from docgen.document`)).rejects.toMatchObject(denied);
    }
    for (const table of ["template", "template_version", "asset", "blob", "batch", "idempotency_key", "outbox"]) {
      await expect(claimer.query(`select * from docgen.${table}`)).rejects.toMatchObject(denied);
    }
    await expect(claimer.query("select used from docgen.usage_window")).rejects.toMatchObject(denied);
  });

  test("changes nothing but who renders", async () => {
    await (await createCustomer(harness)).ask();
    for (const change of [
      "source = null",
      "file_name = 'x'",
      "failure = '{}'",
      "expires_at = now()",
      "deleted_at = now()",
    ]) {
      await expect(claimer.query(`update docgen.document set ${change}`)).rejects.toMatchObject(denied);
    }
    await expect(claimer.query("delete from docgen.document")).rejects.toMatchObject(denied);
    await expect(claimer.query("update docgen.usage_window set used = 0")).rejects.toMatchObject(denied);
  });

  test("is the only one that sees across organizations", async () => {
    await (await createCustomer(harness)).ask();
    expect((await writer.query("select id from docgen.document")).rows).toEqual([]);
    expect((await writer.query("select organization_id from docgen.turn")).rows).toEqual([]);
  });

  test("sweeps the windows that are long over", async () => {
    const { organization, ask } = await createCustomer(harness);
    await ask();
    await harness.superuser.query(
      `insert into docgen.usage_window values ($1, 3600, date_trunc('hour', now()) - interval '3 hours', 5)`,
      [organization.orgId],
    );
    expect(await deleteOldWindows(claimer)).toBe(1);
    expect(await deleteOldWindows(claimer)).toBe(0);
  });
});
