import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { BatchItemSourceSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { createPool } from "#platform/db/pool.ts";
import { callerOf } from "#platform/testing/service-harness.ts";
import { type PreparedItem, prepareBatch } from "../prepare/prepare-batch.ts";
import type { PrepareDeps } from "../prepare/prepare-source.ts";
import { itemsOf, namesUpTo } from "./batch-harness.ts";
import { type Customer, createCustomer } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { createFakeTemplates } from "./fake-templates.ts";
import { type DocgenHarness, startDocgen } from "./harness.ts";

let harness: DocgenHarness;
let pool: pg.Pool;
let deps: PrepareDeps;
let customer: Customer;
/** How often the database was asked. */
let asked = 0;
beforeAll(async () => {
  harness = await startDocgen({ renderer: createFakeRenderer(), checker: createFakeChecker() });
  customer = await createCustomer(harness);
  pool = createPool({ url: harness.database.url, role: "assent_docgen", name: "prepare-test" });
  pool.on("acquire", () => {
    asked += 1;
  });
  deps = {
    pool,
    templates: createClient(TemplatesService, createFakeTemplates().transport),
    textConverter: { convert: () => Promise.reject(new Error("no text is converted here")) } as never,
  };
});
afterAll(async () => {
  await pool.end();
  await harness.stop();
});

const prepare = (texts: readonly string[], signal?: AbortSignal): Promise<PreparedItem[]> => {
  const items = itemsOf(customer, texts).map((item) => create(BatchItemSourceSchema, item));
  return prepareBatch(deps, callerOf(customer.organization.orgId), items, signal);
};

describe("preparing a batch", () => {
  test("looks for a template once, however many items are made from it", async () => {
    asked = 0;
    const prepared = await prepare(namesUpTo(500));
    expect([asked, prepared.length]).toEqual([1, 500]);
    expect(prepared.every(({ status }) => status === "queued")).toBe(true);
  });

  test("lets others have their turn between the items", async () => {
    let turns = 0;
    let isOver = false;
    const takeTurns = () => {
      turns += 1;
      if (!isOver) setImmediate(takeTurns);
    };
    setImmediate(takeTurns);
    const data = JSON.stringify({ name: "Ada", rows: Array.from({ length: 2_000 }, (_, n) => ({ n })) });
    const start = performance.now();
    await prepare(Array.from({ length: 500 }, () => data));
    isOver = true;
    // A slice is 10 ms and an item, which may be slow on a busy machine.
    expect(turns).toBeGreaterThan((performance.now() - start) / 200);
    expect(turns).toBeGreaterThan(5);
  });

  test("ends when nobody waits for it any more", async () => {
    const data = JSON.stringify({ name: "Ada", rows: Array.from({ length: 5_000 }, (_, n) => ({ n })) });
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(
      prepare(
        Array.from({ length: 500 }, () => data),
        signal,
      ),
    ).rejects.toThrow("gone");
  });

  test("fails as a whole when the database is away", async () => {
    const away = createPool({ url: "postgres://127.0.0.1:1/none", name: "away" });
    const items = itemsOf(customer, ["Ada"]).map((item) => create(BatchItemSourceSchema, item));
    const caller = callerOf(customer.organization.orgId);
    await expect(prepareBatch({ ...deps, pool: away }, caller, items)).rejects.toThrow("ECONNREFUSED");
    await away.end();
  });
});
