import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import type { Api } from "../support/api.ts";
import { openApiOf } from "../support/contract.ts";
import { type System, startSystem } from "../support/system.ts";
import { countRecords, differences, logProblems, type Snapshot, settledSnapshot } from "./aftermath.ts";
import { readOperations } from "./operations.ts";
import { createBeginnings, createTokens, newUnlimited } from "./organizations.ts";
import { createPool } from "./pool.ts";
import { type FuzzResult, isOfPeople, runFuzz } from "./run.ts";

// In CI always the same requests, so that a change is never blamed for what it did not do; `npm run drill:fuzz` looks on.
const anySeed = process.env.CI === "true" ? 1 : Math.floor(Math.random() * 2 ** 31);
const seed = Number(process.env.FUZZ_SEED ?? anySeed);
const requests = Number(process.env.FUZZ_REQUESTS ?? 3_600);
/** A request takes about a hundredth of a second. */
const patienceMs = 120_000 + requests * 100;

describe(`${requests} requests made from the OpenAPI document (again: FUZZ_SEED=${seed} FUZZ_REQUESTS=${requests})`, () => {
  let system: System;
  let own: Api;
  let pool: pg.Pool;
  let bystander: Api;
  let before: Snapshot;
  let result: FuzzResult;

  beforeAll(async () => {
    system = await startSystem("single process");
    pool = new pg.Pool({ connectionString: system.inspectUrl, max: 4 });
    own = await newUnlimited(system);
    bystander = await newUnlimited(system);
    const known = createPool();
    await createBeginnings(system, bystander, createPool());
    // Otherwise what nobody receives is sent again in the meantime.
    for (const { id } of (await bystander.get("/v1/webhooks/endpoints")).body) {
      await bystander.call("PATCH", `/v1/webhooks/endpoints/${id}`, { enabled: false });
    }
    before = await settledSnapshot(pool, bystander.organizationId);
    const tokens = await createTokens(system, own, await newUnlimited(system));
    result = await runFuzz({
      seed,
      requests,
      own,
      tokens,
      pool: known,
      addBeginnings: () => createBeginnings(system, own, known),
    });
    if (process.env.FUZZ_REPORT === "true") process.stdout.write(summaryOf(result));
  }, patienceMs);
  afterAll(async () => {
    await pool?.end();
    await system?.stop();
  });

  test("every answer is one that the document promises, and none is late", () => {
    expect(result.findings.map(described).join("\n\n")).toBe("");
  });

  test("every operation was asked, and most of them did what they are for", async () => {
    const all = readOperations(await openApiOf(own.baseUrl));
    const asked = [...result.answers.keys()];
    expect(all.map(({ operationId }) => operationId).filter((name) => !asked.includes(name))).toEqual([]);
    const { isDone } = result;
    const ofPrograms = all.filter((operation) => !isOfPeople(operation));
    expect(ofPrograms.filter(isDone).length / ofPrograms.length).toBeGreaterThan(0.7);
    expect(all.filter((one) => isOfPeople(one) && one.isProtected && isDone(one))).toEqual([]);
  });

  test("the process is healthy, as responsive as before, and has not kept what it was sent", async () => {
    expect((await own.get("/healthz")).status).toBe(200);
    expect(result.longestPauseMs).toBeLessThan(5_000);
    const { halfway, end } = result.heap;
    expect(end - halfway).toBeLessThan(64 * 1024 * 1024 + requests * 2_000);
  });

  test(
    "the log has a leaf for every record, and every checkpoint is true",
    async () => {
      const { problems, size } = await logProblems(pool, own);
      expect(problems).toEqual([]);
      expect(size).toBeGreaterThanOrEqual(await countRecords(pool, own.organizationId));
    },
    patienceMs,
  );

  test("nothing of another organization has changed", async () => {
    expect(differences(before, await settledSnapshot(pool, bystander.organizationId))).toEqual([]);
  });
});

const described = ({ problems, curl, answer }: FuzzResult["findings"][number]): string =>
  [...problems.map((problem) => `- ${problem}`), shortened(curl), answer].join("\n");

/** The seed gives the whole of it again. */
const shortened = (text: string): string =>
  text.length <= 4_000 ? text : `${text.slice(0, 2_000)} […${text.length - 4_000} characters…] ${text.slice(-2_000)}`;

const summaryOf = ({ answers, longestPauseMs, heap }: FuzzResult): string => {
  const lines = [...answers].map(([operation, statuses]) => {
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
    return `${operation.padEnd(30)} ${counts.join("  ")}\n`;
  });
  const grown = Math.round((heap.end - heap.halfway) / 1024);
  return `${lines.join("")}longest pause ${Math.round(longestPauseMs)} ms, ${grown} KiB kept by the second half\n`;
};
