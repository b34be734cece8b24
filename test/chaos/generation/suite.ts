import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { until } from "#platform/testing/until.ts";
import type { ManagedProcess } from "../../../dev/distributed.ts";
import type { Api } from "../../support/api.ts";
import { collectEvents, type EventLog } from "../../support/events.ts";
import { describeDistributed } from "../../support/system.ts";
import type { Cluster } from "../accept-history/cluster.ts";

const total = 500;
const pollMs = 100;
const templates = "/v1/gen/templates";

export const batchUnderFaults = (running: () => Cluster): void =>
  describeDistributed("a batch of 500 documents under faults", () => {
    let cluster: Cluster;
    let events: EventLog;
    let api: Api;

    beforeAll(async () => {
      cluster = running();
      events = await collectEvents(cluster.bus, "generation-chaos");
      api = await cluster.newOrganization();
    });
    afterAll(async () => {
      await events?.stop();
    });

    test("ends complete, each item exactly once, whatever is killed half-way", async () => {
      const batchId = await submitBatch(api);
      const submittedIn = new Date().getUTCHours();
      const [docgen, other] = cluster.running.of("docgen");
      if (docgen === undefined || other === undefined) throw new Error("two docgen processes are needed");

      await untilCompleted(api, batchId, 60);
      other.kill("SIGKILL");
      await other.exited();
      await untilCompleted(api, batchId, 120);
      await killRenderer(docgen);
      await untilCompleted(api, batchId, 200);
      await cluster.postgres.kill("immediate");
      await Promise.all([cluster.postgres.restart(), other.start()]);
      const batch = await untilCompleted(api, batchId, total);

      expect(batch).toMatchObject({ status: "completed", counts: { total, queued: 0, completed: total, failed: 0 } });
      // Once, whatever was done again; an hour that has begun since knows nothing of it.
      const { hour } = (await api.get("/v1/gen/usage")).body;
      expect(hour.used).toBe(new Date().getUTCHours() === submittedIn ? 1 : 0);
      await expectEachOnce(api, batchId);
      await expectStoredOnce(batchId);
      // The lease of a process that was killed runs for half a minute, and the machine may be busy.
    }, 240_000);

    const expectEachOnce = async (api: Api, batchId: string): Promise<void> => {
      const items = await itemsOf(api, batchId);
      expect(items.map(({ ref }) => ref)).toEqual(refs);
      const ids = items.map(({ documentId }) => documentId).sort();
      const told = (subject: string) =>
        events.of(`assent.docgen.${subject}`).filter(({ organizationId }) => organizationId === api.organizationId);
      const completed = () => told("document.completed");
      const ended = () => told("batch.completed");
      await until(() => completed().length >= total && ended().length >= 1, 40_000);
      expect(
        completed()
          .map(({ aggregateId }) => aggregateId ?? "")
          .sort(),
      ).toEqual(ids);
      expect(ended().map(({ batchCompleted }) => batchCompleted)).toEqual([
        { batchId, status: "completed", total, completed: total, failed: 0, cancelled: 0 },
      ]);
      expect(told("document.failed")).toEqual([]);
    };

    /** Looks into the tables, past what is kept out of the answers. */
    const expectStoredOnce = async (batchId: string): Promise<void> => {
      const client = new pg.Client({ connectionString: cluster.inspectUrl });
      await client.connect();
      const count = async (sql: string): Promise<number> =>
        (await client.query<{ count: number }>(`select count(*)::integer as count from ${sql}`, [batchId])).rows[0]
          ?.count ?? -1;
      try {
        const documents = "docgen.document d where d.batch_id = $1";
        expect(await count(`${documents} and d.status = 'completed' and d.source is null and d.claim is null`)).toBe(
          total,
        );
        expect(
          await count(`docgen.blob_reference r join ${documents.replace(" where", " on d.id = r.owner_id where")}`),
        ).toBe(total);
        expect(
          await count(`docgen.document d join docgen.blob b on b.sha256 = d.sha256 and length(b.bytes) = d.bytes
          and b.organization_id = d.organization_id where d.batch_id = $1`),
        ).toBe(total);
        // The process that was killed had begun something, and others began it again.
        expect(await count(`${documents} and d.attempts > 1`)).toBeGreaterThan(0);
        // What was broken off left nothing behind.
        expect(
          await count(
            `docgen.blob b where b.organization_id = (select organization_id from docgen.batch where id = $1)`,
          ),
        ).toBe(total);
      } finally {
        await client.end();
      }
    };
  });

const refs = Array.from({ length: total }, (_, index) => `row-${index}`);

async function submitBatch(api: Api): Promise<string> {
  const created = await api.post(templates, { name: "Card", format: "html", content: "<p>Dear {{ name }}</p>" });
  expect(created.status).toBe(201);
  const templateId: string = created.body.id;
  expect((await api.post(`${templates}/${templateId}/publish`, undefined)).status).toBe(200);
  const items = refs.map((ref) => ({ ref, templateId, data: { name: ref } }));
  const { status, body } = await api.post("/batches", { items });
  expect([status, body.counts?.queued]).toEqual([202, total]);
  return body.id;
}

/** The batch as soon as so many of its items are completed; while something is down it is asked for again. */
function untilCompleted(api: Api, batchId: string, count: number) {
  return until(async () => {
    await delay(pollMs);
    const { status, body } = await api.get(`/batches/${batchId}`);
    if (status !== 200) return undefined;
    const { queued, completed, failed, cancelled } = body.counts;
    expect(queued + completed + failed + cancelled).toBe(total);
    return completed >= count ? body : undefined;
  }, 180_000);
}

async function itemsOf(api: Api, batchId: string): Promise<{ ref: string; documentId: string }[]> {
  const { status, body } = await api.get(`/batches/${batchId}/items`);
  expect(status).toBe(200);
  return body;
}

/** Kills a process that renders, as the system does that has no memory left. */
async function killRenderer(docgen: ManagedProcess): Promise<void> {
  const pid = docgen.pid ?? 0;
  const [renderer] = await until(() => {
    const found = rendererProcesses(pid);
    return found.length > 0 && found;
  });
  process.kill(renderer ?? 0, "SIGKILL");
}

/** The ids of the processes that render for this one. */
function rendererProcesses(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    numbersIn(`/proc/${pid}/task/${thread}/children`),
  );
  return children.filter((child) => readFile(`/proc/${child}/cmdline`).includes("render-process"));
}

const numbersIn = (path: string): number[] => readFile(path).split(/\s+/).filter(Boolean).map(Number);

/** Processes come and go while they are looked at. */
function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
