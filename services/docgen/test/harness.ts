import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import pg from "pg";
import {
  type CreateTemplateRequestSchema,
  DocgenService,
  Format,
  RendererService,
  type Template,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import type { ErrorCode } from "#platform/errors.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { newId, type OrgId, parseOrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import type { Service } from "#platform/service.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { DocgenConfig } from "../config.ts";
import { createDocgenService, type DocgenServiceDeps } from "../service.ts";
import { createFakeAuth, type FakeAuth } from "./fake-auth.ts";

/** A clock that runs, and that a test can move. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export interface DocgenProcess {
  readonly service: Service;
  /** What its workers publish to. */
  readonly bus: EventBus;
  /** As other services call. */
  readonly renderer: Client<typeof RendererService>;
  /** As the gateway calls for this organization; a new one when none is given. */
  organization(orgId?: string): Organization;
  startWorkers(): Promise<void>;
  /** Stops the workers, if they run, and closes the service, as a process does that ends. */
  stop(): Promise<void>;
}

/** A client of one organization. */
export interface Organization extends Client<typeof DocgenService> {
  readonly orgId: OrgId;
}

export interface DocgenHarness extends DocgenProcess {
  readonly database: TestDatabase;
  readonly auth: FakeAuth;
  readonly clock: TestClock;
  /** Sees and writes all rows. */
  readonly superuser: pg.Pool;
  /** One more process on the same database, otherwise as the first one. */
  another(changes?: DocgenOptions): Promise<DocgenProcess>;
}

export interface DocgenOptions
  extends Partial<Pick<DocgenServiceDeps, "auth" | "templates" | "renderer" | "checker" | "work">> {
  readonly config?: Partial<DocgenConfig>;
}

const clientId = "cl_test";
export const requestId = "request-1";
export const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** Starts the service without its workers on a database of its own. */
export async function startDocgen(options: DocgenOptions = {}): Promise<DocgenHarness> {
  const database = await createTestDatabase();
  const superuser = new pg.Pool({ connectionString: database.superuserUrl, max: 2 });
  // Dropping the database may reach a connection that is just being closed.
  superuser.on("error", () => {});
  const clock = createTestClock();
  const auth = createFakeAuth();
  const processes: DocgenProcess[] = [];
  const another = async (changes: DocgenOptions = {}): Promise<DocgenProcess> => {
    const process = await createProcess(database, clock, { auth: auth.transport, ...options, ...changes });
    processes.push(process);
    return process;
  };
  return {
    ...(await another()),
    database,
    auth,
    clock,
    superuser,
    another,
    stop: async () => {
      for (const process of processes) await process.stop();
      await superuser.end();
      await database.drop();
    },
  };
}

async function createProcess(
  database: TestDatabase,
  clock: Clock,
  options: DocgenOptions & { readonly auth: Transport },
): Promise<DocgenProcess> {
  const logger = createLogger("docgen", "silent");
  const metrics = createMetrics();
  const bus = createMemoryBus();
  const runtime = { logger, metrics, clock, newId, bus };
  const { config, templates = nobody, ...replaced } = options;
  const service = await createDocgenService(
    { databaseUrl: database.url, rendererProcesses: 1, ...config },
    { runtime, templates, ...replaced },
  );
  const interceptors = serverInterceptors({ service: "docgen", logger, metrics });
  const maxMessageBytes = 32 * 1024 * 1024;
  // A busy machine is no reason to fail.
  const transport = createMemoryTransport(service.routes, {
    interceptors,
    maxMessageBytes,
    defaultTimeoutMs: 60_000,
  });
  let areWorking = false;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (areWorking) await Promise.all(service.workers.map((worker) => worker.stop()));
    await service.close();
    await bus.close();
  };
  return {
    service,
    bus,
    renderer: createClient(RendererService, transport),
    organization: (id = randomUUID()) => {
      const headers = callerHeaders(callerOf(id));
      return { orgId: callerOf(id).orgId, ...createClient(DocgenService, withHeaders(transport, headers)) };
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

/** A service without a single RPC. */
const nobody = createMemoryTransport(() => undefined, { interceptors: [] });

export function callerOf(id: string): Caller {
  const orgId = parseOrgId(id);
  if (orgId === undefined) throw new TypeError(`${id} is not a UUID`);
  return { orgId, clientId, requestId, traceparent };
}

const withHeaders = (transport: Transport, headers: Record<string, string>): Transport => ({
  unary: (method, signal, timeoutMs, _header, input, values) =>
    transport.unary(method, signal, timeoutMs, headers, input, values),
  stream: (method, signal, timeoutMs, _header, input, values) =>
    transport.stream(method, signal, timeoutMs, headers, input, values),
});

function createTestClock(): TestClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    advance: (ms) => {
      offset += ms;
    },
  };
}

/** A draft, changed as given. */
export async function createTemplate(
  organization: Organization,
  request: MessageInitShape<typeof CreateTemplateRequestSchema> = {},
): Promise<Template> {
  const response = await organization.createTemplate({
    name: "Offer",
    format: Format.HTML,
    content: "<p>Dear {{ name }}</p>",
    ...request,
  });
  return present(response.template);
}

export const publish = async (organization: Organization, templateId: string): Promise<Template> =>
  present((await organization.publishTemplate({ templateId })).template);

/** A template with one published version. */
export async function createPublished(
  organization: Organization,
  request: MessageInitShape<typeof CreateTemplateRequestSchema> = {},
): Promise<Template> {
  const { id } = await createTemplate(organization, request);
  return publish(organization, id);
}

/** The fields that an error of this code names. */
export async function problemFields(promise: Promise<unknown>, code: ErrorCode): Promise<string[]> {
  return (await expectDomainError(promise, code)).details.map((detail) => detail.field);
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the value is absent");
  return value;
}
