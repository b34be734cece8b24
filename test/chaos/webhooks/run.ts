import type pg from "pg";
import { until } from "#platform/testing/until.ts";
import { createRandom, type Random } from "../accept-history/random.ts";
import { checkHistory } from "./check.ts";
import { type Cluster, processCount } from "./cluster.ts";
import { runFaults } from "./faults.ts";
import { type History, isReliable, type KeptDelivery, type KeptEndpoint, type PublishedEvent } from "./history.ts";
import { leaseIsOverMs } from "./limits.ts";
import { startPublisher } from "./publisher.ts";
import { type Receivers, startReceivers } from "./receivers.ts";
import { prepareTenants, type Tenants } from "./tenants.ts";

export interface RunOptions {
  readonly seed: number;
  /** How often each fault happens; after each round everybody is killed, and more than a minute passes. */
  readonly rounds: number;
  /** Events a second. */
  readonly perSecond: number;
  readonly patienceMs: number;
  tell?(fault: string): void;
}

export interface RunResult {
  readonly history: History;
  readonly violations: readonly string[];
  readonly faults: readonly string[];
  /** In the services' time. */
  readonly seconds: number;
}

/** Until the last retry of those that accept everything in the end: rounds without events. */
const mostCalmRounds = 12;

/** Events, receivers that misbehave and processes that die, until all is delivered that can be; and what came of it. */
export async function runWebhooks(cluster: Cluster, options: RunOptions): Promise<RunResult> {
  const random = createRandom(options.seed);
  const receivers = await startReceivers(random.fork(0));
  try {
    const tenants = await prepareTenants(cluster, receivers);
    const run = createRun(cluster, receivers, tenants, options, random.fork(1));
    await run.start();
    for (let n = 0; n < options.rounds; n += 1) {
      await run.misbehave();
      await run.pass(leaseIsOverMs);
    }
    await run.settle();
    const history = await run.read();
    return { history, violations: checkHistory(history), faults: run.faults, seconds: run.aheadMs() / 1_000 };
  } finally {
    await receivers.stop();
  }
}

function createRun(
  cluster: Cluster,
  receivers: Receivers,
  { organizations, endpoints }: Tenants,
  { perSecond, seed, patienceMs, tell }: RunOptions,
  random: Random,
) {
  const { inspector, store } = cluster;
  const published: PublishedEvent[] = [];
  const faults: string[] = [];
  const disabledIn = new Map<string, number>();
  const reliable = endpoints.filter(isReliable).map(({ id }) => id);
  let round = 0;
  let aheadMs = 0;
  const now = (): Date => new Date(Date.now() + aheadMs);
  const processes = Array.from({ length: processCount }, (_, n) => n);

  const start = async (): Promise<void> => {
    receivers.setRound(round, aheadMs);
    await Promise.all(processes.map((n) => cluster.start(n, { aheadMs, seed: seed + n + 10 * round })));
  };
  const noteDisabled = async (): Promise<void> => {
    for (const { id, isEnabled } of await readEndpoints(inspector)) {
      if (!isEnabled && !disabledIn.has(id)) disabledIn.set(id, round);
    }
  };
  /** Everybody is killed wherever they are, and comes again when so much time has passed. */
  const pass = async (ms: number): Promise<void> => {
    await Promise.all(processes.map((n) => cluster.kill(n)));
    // The connections of those who were killed are gone.
    await until(() => receivers.open() === 0, patienceMs);
    await noteDisabled();
    await endLeases(inspector);
    round += 1;
    aheadMs += ms;
    await start();
  };
  /** Events come, and everything goes wrong once. */
  const misbehave = async (): Promise<void> => {
    const onPublished = (event: PublishedEvent) => published.push(event);
    const options = { bus: cluster.bus, organizations, random: random.fork(2 * round), perSecond, round, now };
    const publisher = startPublisher({ ...options, onPublished });
    const told = (fault: string): void => {
      faults.push(fault);
      tell?.(fault);
    };
    await runFaults(cluster, random.fork(2 * round + 1), { aheadMs, seed: seed + 100 + round }, told).finally(
      publisher.stop,
    );
  };
  const isQuiet = async (): Promise<boolean> =>
    (await store.isIdle("webhooks")) && (await unheard(inspector)) === 0 && (await dueNow()) === 0;
  /** What a process holds that was killed is not due for anybody else yet. */
  const dueNow = async (): Promise<number> => {
    const { count } = await waiting(inspector, reliable, now());
    return count;
  };
  return {
    ...{ start, misbehave, pass, faults },
    aheadMs: () => aheadMs,
    settle: async (): Promise<void> => {
      for (let n = 0; n < mostCalmRounds; n += 1) {
        await until(isQuiet, patienceMs);
        const { count, last } = await waiting(inspector, reliable, undefined);
        if (count === 0) break;
        await pass(Math.max(leaseIsOverMs, (last?.getTime() ?? 0) - now().getTime() + 1_000));
      }
      // Nothing is written down any more.
      await Promise.all(processes.map((n) => cluster.kill(n)));
      await until(() => receivers.open() === 0, patienceMs);
    },
    read: async (): Promise<History> => {
      const idOf = new Map(endpoints.map(({ receiver, id }) => [receiver, id]));
      return {
        ...{ endpoints, published, disabledIn, strays: receivers.strays },
        requests: receivers.requests.map((one) => ({ ...one, endpointId: idOf.get(one.endpointId) ?? "" })),
        deliveries: await readDeliveries(inspector),
        kept: await readEndpoints(inspector),
      };
    },
  };
}

/** Deliveries to these endpoints that are still to be made: up to a time, or ever. */
async function waiting(
  inspector: pg.Pool,
  endpointIds: readonly string[],
  upTo: Date | undefined,
): Promise<{ readonly count: number; readonly last: Date | undefined }> {
  const { rows } = await inspector.query<{ count: number; last: Date | null }>(
    `select count(*)::integer as count, max(due_at) as last from webhooks.delivery
     where endpoint_id = any ($1::uuid[]) and due_at is not null and ($2::timestamptz is null or due_at <= $2)`,
    [endpointIds, upTo],
  );
  return { count: rows[0]?.count ?? 0, last: rows[0]?.last ?? undefined };
}

/** Events of the service's own that have not come back to it yet. */
async function unheard(inspector: pg.Pool): Promise<number> {
  const { rows } = await inspector.query<{ count: number }>(
    `select count(*)::integer as count from webhooks.outbox o
     where not exists (select from webhooks.inbox i where i.consumer = 'webhooks' and i.event_id = o.event_id)`,
  );
  return rows[0]?.count ?? 0;
}

/** Those who were killed hold the relay no longer. */
async function endLeases(inspector: pg.Pool): Promise<void> {
  await inspector.query("delete from webhooks.relay_lease");
}

async function readDeliveries(inspector: pg.Pool): Promise<KeptDelivery[]> {
  const { rows } = await inspector.query<KeptDelivery>(
    `select d.organization_id as "orgId", d.event_id as "eventId", d.event_type as "eventType",
       d.endpoint_id as "endpointId", d.status, d.attempts,
       coalesce((select array_agg(a.status_code order by a.number) from webhooks.attempt a
         where a.organization_id = d.organization_id and a.delivery_id = d.id), '{}') as "statusCodes"
     from webhooks.delivery d`,
  );
  return rows;
}

async function readEndpoints(inspector: pg.Pool): Promise<KeptEndpoint[]> {
  const { rows } = await inspector.query<KeptEndpoint>(
    `select id, is_enabled as "isEnabled", disabled_reason as "disabledReason" from webhooks.endpoint`,
  );
  return rows;
}
