import { expect, test } from "@jest/globals";
import { createPool } from "#platform/db/pool.ts";
import { describeDistributed } from "../../support/system.ts";
import type { Cluster } from "./cluster.ts";
import { networkFaults, processFaults } from "./faults.ts";
import { runAcceptHistory } from "./run.ts";
import { createTenants } from "./tenants.ts";

export const acceptHistory = (running: () => Cluster): void =>
  describeDistributed("the history of acceptances", () => {
    test("1,000 keys that go to two gateways at once are recorded once each, and both get the same receipt", async () => {
      const cluster = running();
      const [first = "", second = ""] = cluster.running.baseUrls;
      const [tenant] = await createTenants(cluster.admin, first, { tenants: 1, sessions: 0 });
      if (tenant === undefined) throw new Error("there is no tenant");
      const body = { templateSlug: tenant.texts[0], userRef: "ada" };
      const fire = (n: number, baseUrl: string) => tenant.api.with({ baseUrl }).accept(`twin-${n}`, body);
      for (let begin = 0; begin < 1_000; begin += 100) {
        const numbers = Array.from({ length: 100 }, (_, n) => begin + n);
        const pairs = await Promise.all(numbers.map((n) => Promise.all([fire(n, first), fire(n, second)])));
        for (const [one, other] of pairs) {
          expect([one.status, other.status].sort()).toEqual([200, 201]);
          expect(one.body).toEqual(other.body);
        }
      }
      expect(await countRecords(tenant.organizationId)).toBe(1_000);
    });

    // npm run drill:accept -- --seed 1 --seconds 12 --keys 150 --accepts 300 is the same with a report.
    test("whatever breaks, each key has one receipt, which is stored, announced, logged and proven, of the live text", async () => {
      const options = { seed: 1, seconds: 12, keys: 150, accepts: 300 };
      const { history, violations } = await runAcceptHistory(running(), options);
      expect(violations).toEqual([]);
      expect(new Set(history.publications.map(({ isScheduled }) => isScheduled)).size).toBe(2);
      expect(history.sessions.length).toBeGreaterThan(0);
      const began = history.incidents.filter(({ phase }) => phase === "begins");
      const kinds = Object.keys({ ...processFaults, ...networkFaults });
      expect(began.length).toBeGreaterThanOrEqual(kinds.length);
      const outcomes = new Set(history.operations.map(({ outcome }) => outcome.kind));
      expect(outcomes).toEqual(new Set(["ok", "reused", "refused", "unsent", "unknown"]));
    }, 240_000);

    async function countRecords(organizationId: string): Promise<number> {
      const pool = createPool({ url: running().inspectUrl, name: "test", max: 1 });
      try {
        const { rows } = await pool.query(
          "select count(*)::int as n from click.acceptance where organization_id = $1",
          [organizationId],
        );
        return rows[0].n;
      } finally {
        await pool.end();
      }
    }
  });
