import { randomBytes } from "node:crypto";
import { type Client, createClient } from "@connectrpc/connect";
import type pg from "pg";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import {
  createTestClock,
  createTestProcess,
  createTestRuntime,
  organizationOn,
  type TestClock,
  type TestProcess,
} from "#platform/testing/service-harness.ts";
import type { WebhooksConfig } from "../config.ts";
import { createWebhooksService, type WebhooksServiceDeps } from "../service.ts";

/** A client of one organization. */
export interface Organization
  extends Client<typeof WebhooksService>,
    Client<typeof PersonalDataService>,
    Client<typeof RetentionService> {
  readonly orgId: OrgId;
}

export interface WebhooksProcess extends TestProcess {
  readonly metrics: Metrics;
  /** As the gateway calls for this organization; a new one when none is given. */
  organization(orgId?: string): Organization;
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
  const { superuser } = database;
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
      await database.drop();
    },
  };
}

function createProcess(
  database: TestDatabase,
  clock: Clock,
  { config, bus, click = nobody, sign = nobody, ...replaced }: WebhooksOptions & { readonly bus: EventBus },
): WebhooksProcess {
  const runtime = createTestRuntime("webhooks", clock, bus);
  const service = createWebhooksService(
    { databaseUrl: database.url, masterKey, allowPrivate: true, ...config },
    { runtime, click, sign, ...replaced },
  );
  const { transport, ...process } = createTestProcess("webhooks", service, runtime, { isBusShared: true });
  return {
    ...process,
    metrics: runtime.metrics,
    organization: (id) => {
      const { orgId, own } = organizationOn(transport, id);
      return {
        orgId,
        ...createClient(WebhooksService, own),
        ...createClient(PersonalDataService, own),
        ...createClient(RetentionService, own),
      };
    },
  };
}

/** Answers nothing. */
const nobody = createMemoryTransport(() => undefined, { interceptors: [] });
