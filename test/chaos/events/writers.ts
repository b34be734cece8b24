import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import type { Random } from "../accept-history/random.ts";
import { makeOrder, schema } from "./shop.ts";

/** What writers know of what they wrote. */
export interface Written {
  readonly committed: ReadonlySet<string>;
  readonly rolledBack: ReadonlySet<string>;
}

export interface Writers {
  readonly written: Written;
  /** Waits for what is under way. */
  stop(): Promise<void>;
}

const writers = 4;
const mostPerTransaction = 5;
const rollBacks = 0.1;
/** So long that others, who began later, commit before. */
const longestTransactionMs = 40;

class RolledBack extends Error {}

/** Several writers at once, of two organizations; some of what they write is taken back. */
export function startWriters(pool: pg.Pool, random: Random, perSecond: number): Writers {
  const organizations = [newId() as OrgId, newId() as OrgId];
  const committed = new Set<string>();
  const rolledBack = new Set<string>();
  const stopping = new AbortController();
  const averagePerTransaction = (1 + mostPerTransaction) / 2;
  const everyMs = (1_000 * writers * averagePerTransaction) / perSecond;

  const writeOnce = async (mine: Random): Promise<void> => {
    const orgId = mine.pick(organizations);
    const orders = Array.from({ length: 1 + mine.integer(mostPerTransaction) }, () => makeOrder(orgId));
    const isTakenBack = mine.chance(rollBacks);
    try {
      await withOrg(pool, orgId, async ({ client }) => {
        await insertOutbox(client, schema, orders);
        await delay(mine.between(0, longestTransactionMs));
        if (isTakenBack) throw new RolledBack();
      });
      for (const { eventId } of orders) committed.add(eventId);
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error;
      for (const { eventId } of orders) rolledBack.add(eventId);
    }
  };
  const loop = async (mine: Random): Promise<void> => {
    let due = performance.now();
    while (!stopping.signal.aborted) {
      await writeOnce(mine);
      due += everyMs;
      await delay(Math.max(0, due - performance.now()));
    }
  };
  const running = Promise.all(Array.from({ length: writers }, (_, n) => loop(random.fork(n))));
  running.catch(() => {});
  return {
    written: { committed, rolledBack },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
