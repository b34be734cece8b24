import { randomUUID } from "node:crypto";
import type { Transport } from "@connectrpc/connect";
import { type Caller, callerHeaders } from "../caller.ts";
import type { Clock } from "../clock.ts";
import type { EventBus } from "../events/bus.ts";
import { createMemoryBus } from "../events/memory.ts";
import { newId, type OrgId, parseOrgId } from "../ids.ts";
import { createLogger } from "../logger.ts";
import { createMetrics } from "../metrics.ts";
import { serverInterceptors } from "../rpc/interceptors.ts";
import { createMemoryTransport } from "../rpc/memory.ts";
import { type Runtime, rpcRoutesOf, type Service } from "../service.ts";

/** A clock that a test can move. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

/** Runs, or stands still from a given time on. */
export function createTestClock(start?: number): TestClock {
  let ahead = 0;
  return {
    now: () => new Date((start ?? Date.now()) + ahead),
    advance: (ms) => {
      ahead += ms;
    },
  };
}

export const testCaller = {
  clientId: "cl_test",
  requestId: "request-1",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
} as const;

export function callerOf(id: string): Caller {
  const orgId = parseOrgId(id);
  if (orgId === undefined) throw new TypeError(`${id} is not a UUID`);
  return { orgId, ...testCaller };
}

/** An organization, a new one unless it is named, and how the gateway calls for it. */
export function organizationOn(
  transport: Transport,
  id: string = randomUUID(),
  clientId: string = testCaller.clientId,
): { orgId: OrgId; own: Transport } {
  const caller = { ...callerOf(id), clientId };
  const headers = callerHeaders(caller);
  const own: Transport = {
    unary: (method, signal, timeoutMs, _header, input, values) =>
      transport.unary(method, signal, timeoutMs, headers, input, values),
    stream: (method, signal, timeoutMs, _header, input, values) =>
      transport.stream(method, signal, timeoutMs, headers, input, values),
  };
  return { orgId: caller.orgId, own };
}

export const createTestRuntime = (service: string, clock: Clock, bus: EventBus = createMemoryBus()): Runtime => ({
  ...{ logger: createLogger(service, "silent"), metrics: createMetrics(), clock, newId, bus },
});

/** A service whose workers a test starts when it wants them. */
export interface TestProcess {
  readonly service: Service;
  /** What its workers publish and listen to. */
  readonly bus: EventBus;
  startWorkers(): Promise<void>;
  /** Stops the workers, if they run, and closes the service, as a process does that ends. */
  stop(): Promise<void>;
}

/** The process, and its face to other services. The bus is left open when others share it. */
export function createTestProcess(
  name: string,
  service: Service,
  { logger, metrics, bus }: Runtime,
  { maxMessageBytes, isBusShared = false }: { maxMessageBytes?: number; isBusShared?: boolean } = {},
): TestProcess & { readonly transport: Transport } {
  const interceptors = serverInterceptors({ service: name, logger, metrics });
  // A busy machine is no reason to fail.
  const options = { interceptors, maxMessageBytes, defaultTimeoutMs: 60_000 };
  const transport = createMemoryTransport(rpcRoutesOf(service), options);
  let areWorking = false;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (areWorking) await Promise.all(service.workers.map((worker) => worker.stop()));
    await service.close();
    if (!isBusShared) await bus.close();
  };
  return {
    ...{ service, bus, transport },
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
