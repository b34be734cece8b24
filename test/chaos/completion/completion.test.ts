import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { until } from "#platform/testing/until.ts";
import type { ManagedProcess } from "../../../dev/distributed.ts";
import { onePage } from "../../../services/sign/intake/test/pdfs.ts";
import type { Api } from "../../support/api.ts";
import { describeDistributed, type System, startSystem } from "../../support/system.ts";
import { createRandom } from "../accept-history/random.ts";
import { leftovers, problemsOf } from "./check-completed.ts";
import { prepareAgreement, type Waiting } from "./people.ts";

/** `COMPLETION_ROUNDS=100` for a longer run than is made each time; `COMPLETION_SEED` repeats one. */
const rounds = Number(process.env.COMPLETION_ROUNDS ?? 6);
const seed = Number(process.env.COMPLETION_SEED ?? Math.floor(Math.random() * 2 ** 31));
const agreementsOfRound = 2;
const documents = 2;
/** About as long as two agreements take. */
const longestMs = 250;
/** Far longer than anything takes on a busy machine. */
const patienceMs = 180_000;

describeDistributed("completions while processes are killed", () => {
  let system: System;
  let api: Api;
  let orgId: OrgId;
  let inspector: pg.Pool;
  let processes: readonly ManagedProcess[];
  const waiting: Waiting[] = [];

  beforeAll(
    async () => {
      system = await startSystem("distributed", { signs: 2 });
      api = await system.newOrganization();
      orgId = parseOrgId(api.organizationId) as OrgId;
      inspector = new pg.Pool({ connectionString: system.inspectUrl, max: 2 });
      inspector.on("error", () => {});
      processes = system.distributed?.of("sign") ?? [];
      const pdf = onePage({});
      for (let round = 0; round < rounds; round += 1) {
        const some = Array.from({ length: agreementsOfRound }, () => prepareAgreement(api, pdf));
        waiting.push(...(await Promise.all(some)));
      }
    },
    180_000 + rounds * 5_000,
  );
  afterAll(async () => {
    await inspector?.end();
    await system?.stop();
  }, 120_000);

  test(
    "happen exactly once each, wherever a process was when it was killed",
    async () => {
      process.stderr.write(`completions under kills: COMPLETION_SEED=${seed}\n`);
      const random = createRandom(seed);
      const signed: Promise<void>[] = [];
      let kills = 0;
      let interrupted = 0;
      for (let round = 0; round < rounds; round += 1) {
        const some = waiting.slice(round * agreementsOfRound, (round + 1) * agreementsOfRound);
        for (const { signers } of some) signed.push(...signers.map(({ finish }) => finish()));
        // Early in the work as often as late in it.
        await until(async () => (await claims()) > 0 || (await areCompleted(some)), patienceMs);
        // At once now and then whatever the seed, so that some are in the middle of it.
        await new Promise((resolve) => setTimeout(resolve, round % 3 === 0 ? 0 : random.between(0, longestMs)));
        const victims = round % 2 === 0 ? processes : [random.pick(processes)];
        for (const victim of victims) victim.kill("SIGKILL");
        await Promise.all(victims.map((victim) => victim.exited()));
        kills += victims.length;
        interrupted += await claims();
        await endLeases();
        await Promise.all(victims.map((victim) => victim.start()));
      }
      await Promise.all(signed);
      // What is missing then is told below.
      await until(() => areCompleted(waiting), patienceMs).catch(() => undefined);
      const problems = await Promise.all(waiting.map(({ id }) => problemsOf(inspector, system.signVault, orgId, id)));
      expect(problems.flat()).toEqual([]);
      expect(await leftovers(inspector, orgId, waiting.length, documents)).toEqual({ blobs: 0, jobs: 0 });
      process.stderr.write(
        `${waiting.length} completions, ${kills} kills, ${interrupted} times in the middle of one\n`,
      );
      expect(interrupted).toBeGreaterThan(0);
    },
    3 * patienceMs + rounds * 20_000,
  );

  const claims = async (): Promise<number> => {
    const sql = "select from sign.job where kind = 'completion' and claim is not null and claimed_until > now()";
    return (await inspector.query(sql)).rowCount ?? 0;
  };

  /**
   * What a killed process held would be free after a minute. Where another one is alive it loses what it holds as well,
   * and goes on without knowing, as a process does that was halted for too long.
   */
  const endLeases = () =>
    inspector.query("update sign.job set claimed_until = now() - interval '1 second' where claim is not null");

  const areCompleted = async (agreements: readonly Waiting[]): Promise<boolean> => {
    const sql = "select from sign.agreement where id = any($1::uuid[]) and status = 'completed'";
    return (await inspector.query(sql, [agreements.map(({ id }) => id)])).rowCount === agreements.length;
  };
});
