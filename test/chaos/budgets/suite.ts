import { expect, test } from "@jest/globals";
import { describeDistributed } from "../../support/system.ts";
import type { Cluster } from "../accept-history/cluster.ts";
import { figuresOf } from "./figures.ts";
import { drillTolerances } from "./history.ts";
import { runBudgets } from "./run.ts";

export const budgets = (running: () => Cluster): void =>
  describeDistributed("the budgets of clients", () => {
    // npm run drill:limits is the same over several windows, with a report.
    test("four gateways grant each budget exactly, say so truly, and lose count of none when something breaks", async () => {
      const { history, violations } = await runBudgets(running(), {
        seed: 1,
        firstWindowSeconds: 8,
        calmSeconds: 6,
        seconds: 14,
        part: 0.4,
        // A busy machine notices changes later.
        tolerances: { ...drillTolerances, effectiveMs: 5_000 },
      });
      expect(violations).toEqual([]);
      const figures = figuresOf(history);
      expect(figures.windows).toBeGreaterThanOrEqual(2);
      expect(figures.usedUp).toBeGreaterThan(0);
      expect(figures.strangers).toBeGreaterThan(0);
      expect(figures.alone).toBeGreaterThan(0);
      expect(new Set(history.incidents.map(({ fault }) => fault)).size).toBe(6);
    }, 120_000);
  });
