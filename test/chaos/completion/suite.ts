import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { until } from "#platform/testing/until.ts";
import type { ManagedProcess } from "../../../dev/distributed.ts";
import { onePage } from "../../../services/sign/intake/test/pdfs.ts";
import type { Api } from "../../support/api.ts";
import { bodyOf } from "../../support/journeys.ts";
import { describeDistributed } from "../../support/system.ts";
import type { Cluster } from "../accept-history/cluster.ts";
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

export const completions = (running: () => Cluster): void =>
  describeDistributed("completions while processes are killed", () => {
    let cluster: Cluster;
    let api: Api;
    let orgId: OrgId;
    let inspector: pg.Pool;
    let processes: readonly ManagedProcess[];
    const waiting: Waiting[] = [];

    beforeAll(
      async () => {
        cluster = running();
        api = await cluster.newOrganization();
        orgId = parseOrgId(api.organizationId) as OrgId;
        inspector = new pg.Pool({ connectionString: cluster.inspectUrl, max: 2 });
        inspector.on("error", () => {});
        processes = cluster.running.of("sign");
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
    });

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
        const problems = await Promise.all(
          waiting.map(({ id }) => problemsOf(inspector, cluster.signVault, orgId, id)),
        );
        expect(problems.flat()).toEqual([]);
        expect(await leftovers(inspector, orgId, waiting.length, documents)).toEqual({ blobs: 0, jobs: 0 });
        process.stderr.write(
          `${waiting.length} completions, ${kills} kills, ${interrupted} times in the middle of one\n`,
        );
        expect(interrupted).toBeGreaterThan(0);
      },
      3 * patienceMs + rounds * 20_000,
    );

    test(
      "and the export of the organization goes on where it was when every process that makes it was killed",
      async () => {
        const path = "/v1/privacy/exports";
        const [auths, found] = [cluster.running.of("auth"), waiting.map(({ id }) => `documents/${id}/1-sealed.pdf`)];
        const { id } = bodyOf(202, await api.post(path, { organization: true }));
        const read = async () => {
          const sql = "select status, files, claim is not null as claimed from auth.export where id = $1";
          return (await inspector.query<{ status: string; files: number; claimed: boolean }>(sql, [id])).rows[0];
        };
        await until(async () => ((await read())?.files ?? 0) > 0, patienceMs);
        for (const auth of auths) auth.kill("SIGKILL");
        await Promise.all(auths.map((auth) => auth.exited()));
        const killed = await read();
        expect(killed).toMatchObject({ status: "pending", claimed: true });
        await inspector.query("update auth.export set claimed_until = now() where id = $1", [id]);
        await Promise.all(auths.map((auth) => auth.start()));
        await until(async () => (await read())?.status === "completed", patienceMs);
        const { rows } = await inspector.query<{ path: string; pieces: number; whole: boolean }>(
          `select f.path, count(p)::int as pieces, octet_length(f.header) + coalesce(sum(octet_length(p.bytes)), 0) = f.sealed_bytes as whole
           from auth.export_file f left join auth.export_piece p
             on (p.organization_id, p.export_id, p.number) = (f.organization_id, f.export_id, f.number)
           where f.export_id = $1 group by f.organization_id, f.export_id, f.number`,
          [id],
        );
        const paths = rows.map((row) => row.path);
        expect(new Set(paths).size).toBe(paths.length);
        expect(paths).toEqual(expect.arrayContaining([...found, "index.html"]));
        expect(rows.filter(({ whole }) => !whole)).toEqual([]);
        expect(paths.length).toBeGreaterThan(killed?.files ?? 0);
        const answer = await fetch(`${api.baseUrl}${path}/${id}/content`, {
          headers: { authorization: `Bearer ${api.token}` },
        });
        const archive = Buffer.from(await answer.arrayBuffer());
        // The end of the central directory says how many files there are.
        expect([answer.status, archive.readUInt16LE(archive.length - 12)]).toEqual([200, paths.length]);
      },
      3 * patienceMs,
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
