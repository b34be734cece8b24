import { randomBytes, randomUUID } from "node:crypto";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import pg from "pg";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { newId, type OrgId, parseOrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import type { Service } from "#platform/service.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import type { SignConfig } from "../config.ts";
import { smallestPdf } from "../intake/smallest-pdf.ts";
import { makeTestCertificate } from "../seal/test-certificate.ts";
import type { SealFiles } from "../seal-settings.ts";
import { createSignService, maxMessageBytes, type SignServiceDeps } from "../service.ts";
import { createFakeAuth, type FakeAuth } from "./fake-auth.ts";
import { createFakeClick, type FakeClick } from "./fake-click.ts";

/** A clock that runs, and that a test can move. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

/** A client of one organization. */
export interface Organization extends Client<typeof SignService> {
  readonly orgId: OrgId;
}

export interface SignProcess {
  readonly service: Service;
  /** What its workers publish to. */
  readonly bus: EventBus;
  /** As the pages of people who sign call. */
  readonly signing: Client<typeof SigningService>;
  /** As the gateway calls for this organization; a new one when none is given. */
  organization(orgId?: string): Organization;
  startWorkers(): Promise<void>;
  /** Stops the workers, if they run, and closes the service, as a process does that ends. */
  stop(): Promise<void>;
}

export interface SignHarness extends SignProcess {
  readonly database: TestDatabase;
  readonly auth: FakeAuth;
  readonly click: FakeClick;
  readonly clock: TestClock;
  /** What the processes have, unless they are given another one. */
  readonly masterKey: string;
  /** Sees and writes all rows. */
  readonly superuser: pg.Pool;
  /** One more process on the same database, otherwise as the first one. */
  another(changes?: SignOptions): Promise<SignProcess>;
}

/** Without an intake, real processes look into documents; one, started when it is needed. */
export interface SignOptions extends Partial<Pick<SignServiceDeps, "auth" | "docgen" | "click" | "intake">> {
  readonly config?: Partial<SignConfig>;
}

/** Starts the service without its workers on a database of its own. */
export async function startSign(options: SignOptions = {}): Promise<SignHarness> {
  const database = await createTestDatabase();
  const superuser = new pg.Pool({ connectionString: database.superuserUrl, max: 2 });
  // Dropping the database may reach a connection that is just being closed.
  superuser.on("error", () => {});
  const clock = createTestClock();
  const [auth, click] = [createFakeAuth(), createFakeClick()];
  const fakes = { auth: auth.transport, click: click.transport };
  const processes: SignProcess[] = [];
  const masterKey = randomBytes(32).toString("base64");
  const another = async (changes: SignOptions = {}): Promise<SignProcess> => {
    const config = { masterKey, ...options.config, ...changes.config };
    const process = await createProcess(database, clock, { ...fakes, ...options, ...changes, config });
    processes.push(process);
    return process;
  };
  return {
    ...(await another()),
    database,
    auth,
    click,
    clock,
    masterKey,
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
  {
    config,
    docgen = fakeDocgen,
    ...replaced
  }: SignOptions & { readonly auth: Transport; readonly click: Transport } & {
    readonly config: Partial<SignConfig> & Pick<SignConfig, "masterKey">;
  },
): Promise<SignProcess> {
  const logger = createLogger("sign", "silent");
  const metrics = createMetrics();
  const bus = createMemoryBus();
  const service = await createSignService(
    { databaseUrl: database.url, intakeProcesses: 1, seal: await testSeal(), ...config },
    { runtime: { logger, metrics, clock, newId, bus }, docgen, ...replaced },
  );
  const interceptors = serverInterceptors({ service: "sign", logger, metrics });
  // A busy machine is no reason to fail.
  const transport = createMemoryTransport(service.routes, { interceptors, maxMessageBytes, defaultTimeoutMs: 60_000 });
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
    signing: createClient(SigningService, transport),
    organization: (id = randomUUID()) => {
      const caller = callerOf(id);
      return { orgId: caller.orgId, ...createClient(SignService, withHeaders(transport, callerHeaders(caller))) };
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

let made: Promise<SealFiles> | undefined;
/** One for all tests of a file. */
export const testSeal = (): Promise<SealFiles> => {
  made ??= makeTestCertificate({ name: "Test seal", now: new Date(Date.now() - 60_000), years: 1 });
  return made;
};

/** Prints everything as an empty page. */
const fakeDocgen = createMemoryTransport(
  (router) => {
    router.service(RendererService, { renderHtml: () => ({ pdf: smallestPdf, pages: 1 }) });
  },
  { interceptors: [], maxMessageBytes },
);

export const callerOf = (id: string): Caller => {
  const orgId = parseOrgId(id);
  if (orgId === undefined) throw new TypeError(`${id} is not a UUID`);
  return { orgId, clientId: "cl_test", requestId: "request-1", traceparent };
};

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

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
