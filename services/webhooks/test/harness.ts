import { randomBytes, randomUUID } from "node:crypto";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import pg from "pg";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { newId, type OrgId, parseOrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics, type Metrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import type { Service } from "#platform/service.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import type { WebhooksConfig } from "../config.ts";
import { createWebhooksService, type WebhooksServiceDeps } from "../service.ts";

/** A clock that runs, and that a test can move. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

/** A client of one organization. */
export interface Organization extends Client<typeof WebhooksService> {
  readonly orgId: OrgId;
}

export interface WebhooksProcess {
  readonly service: Service;
  /** What its consumer hears, and its relay publishes to. */
  readonly bus: EventBus;
  readonly metrics: Metrics;
  /** As the gateway calls for this organization; a new one when none is given. */
  organization(orgId?: string): Organization;
  startWorkers(): Promise<void>;
  /** Stops the workers, if they run, and closes the service, as a process does that ends. */
  stop(): Promise<void>;
}

export interface WebhooksHarness extends WebhooksProcess {
  readonly database: TestDatabase;
  readonly clock: TestClock;
  /** Sees and writes all rows. */
  readonly superuser: pg.Pool;
  /** One more process on the same database and bus. */
  another(changes?: WebhooksOptions): Promise<WebhooksProcess>;
}

export interface WebhooksOptions
  extends Partial<Pick<WebhooksServiceDeps, "click" | "sign" | "poster" | "random" | "stopGraceMs">> {
  readonly config?: Partial<WebhooksConfig>;
  readonly bus?: EventBus;
}

export const masterKey = randomBytes(32).toString("base64");

/** Starts the service without its workers on a database of its own; receivers may be on this machine. */
export async function startWebhooks(options: WebhooksOptions = {}): Promise<WebhooksHarness> {
  const database = await createTestDatabase();
  const superuser = new pg.Pool({ connectionString: database.superuserUrl, max: 2 });
  // Dropping the database may reach a connection that is just being closed.
  superuser.on("error", () => {});
  const clock = createTestClock();
  const bus = options.bus ?? createMemoryBus();
  const processes: WebhooksProcess[] = [];
  const another = async (changes: WebhooksOptions = {}): Promise<WebhooksProcess> => {
    const process = createProcess(database, clock, { ...options, bus, ...changes });
    processes.push(process);
    return process;
  };
  return {
    ...(await another()),
    ...{ database, clock, superuser, another },
    stop: async () => {
      for (const process of processes) await process.stop();
      await bus.close();
      await superuser.end();
      await database.drop();
    },
  };
}

function createProcess(
  database: TestDatabase,
  clock: Clock,
  { config, bus, click = nobody, sign = nobody, ...replaced }: WebhooksOptions & { readonly bus: EventBus },
): WebhooksProcess {
  const logger = createLogger("webhooks", "silent");
  const metrics = createMetrics();
  const service = createWebhooksService(
    { databaseUrl: database.url, masterKey, allowPrivate: true, ...config },
    { runtime: { logger, metrics, clock, newId, bus }, click, sign, ...replaced },
  );
  const interceptors = serverInterceptors({ service: "webhooks", logger, metrics });
  // A busy machine is no reason to fail.
  const transport = createMemoryTransport(service.routes, { interceptors, defaultTimeoutMs: 60_000 });
  let areWorking = false;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (areWorking) await Promise.all(service.workers.map((worker) => worker.stop()));
    await service.close();
  };
  return {
    ...{ service, bus, metrics },
    organization: (id = randomUUID()) => {
      const caller = callerOf(id);
      return { orgId: caller.orgId, ...createClient(WebhooksService, withHeaders(transport, callerHeaders(caller))) };
    },
    startWorkers: async () => {
      areWorking = true;
      for (const worker of service.workers) await worker.start();
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Answers nothing. */
const nobody = createMemoryTransport(() => undefined, { interceptors: [] });

function callerOf(id: string): Caller {
  const orgId = parseOrgId(id);
  if (orgId === undefined) throw new Error(`'${id}' is no organization id`);
  return { orgId, clientId: "client-1", requestId: "request-1", traceparent: "" };
}

const withHeaders = (transport: Transport, headers: Record<string, string>): Transport => ({
  unary: (method, signal, timeoutMs, _header, input, values) =>
    transport.unary(method, signal, timeoutMs, headers, input, values),
  stream: (method, signal, timeoutMs, _header, input, values) =>
    transport.stream(method, signal, timeoutMs, headers, input, values),
});

function createTestClock(): TestClock {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    advance: (ms) => {
      ahead += ms;
    },
  };
}
