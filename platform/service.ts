import { setTimeout as delay } from "node:timers/promises";
import type { Interceptor } from "@connectrpc/connect";
import type { RequestHandler } from "express";
import { type AdminPort, createHealthState, type FindMissing, type HealthState, startAdminPort } from "./admin-port.ts";
import type { Clock } from "./clock.ts";
import type { FreshText } from "./config.ts";
import type { EventBus } from "./events/bus.ts";
import type { DeadEvents } from "./events/dead-events.ts";
import { deadEventRoutes } from "./events/dead-events.ts";
import type { NewId } from "./ids.ts";
import type { Logger } from "./logger.ts";
import type { Resealer } from "./master-keys/reseal.ts";
import { masterKeyRoutes } from "./master-keys/routes.ts";
import type { Metrics } from "./metrics.ts";
import type { Worker } from "./periodic.ts";
import { serverInterceptors } from "./rpc/interceptors.ts";
import type { RpcRoutes } from "./rpc/routes.ts";
import { type RpcServer, startRpcServer } from "./rpc/server.ts";
import type { TlsFiles } from "./rpc/tls.ts";
import type { Tracer } from "./telemetry.ts";

/** What a service's composition root returns. */
export interface Service {
  readonly name: string;
  /** Served on the RPC port. */
  readonly routes: RpcRoutes;
  /** Served on the RPC port alone: several services offer them, and an admin port may be that of all services. */
  readonly internalRoutes?: RpcRoutes | undefined;
  /** Served as JSON on the admin port in addition to routes. */
  readonly adminRoutes?: RpcRoutes | undefined;
  /** A page for operators, at the root of the admin port. */
  readonly adminPage?: RequestHandler | undefined;
  /** What its consumers gave up, for operators; served on the admin port. */
  readonly deadEvents?: readonly DeadEvents[] | undefined;
  /** Seals what it keeps with its newest master key, for operators; served on the admin port. */
  readonly resealer?: Resealer | undefined;
  readonly workers: readonly Worker[];
  /**
   * Throws when nothing can be served at all: without the database, or with a wrong master key. Another service that is
   * away, or the bus, is no reason.
   */
  checkReady(): Promise<void>;
  /** Called first when the process stops, while calls are still served: ends what would keep them long. */
  beginStop?(): void;
  /** Called once calls are drained and workers stopped; closes pools. */
  close(): Promise<void>;
}

/** Everything that other processes of the installation may call. */
export const rpcRoutesOf =
  ({ routes, internalRoutes }: Pick<Service, "routes" | "internalRoutes">): RpcRoutes =>
  (router) => {
    routes(router);
    internalRoutes?.(router);
  };

/** What every part of a process shares. */
export interface Runtime {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly bus: EventBus;
  /** Where spans go; nothing is traced when absent. */
  readonly tracer?: Tracer | undefined;
}

export interface RunServiceOptions {
  readonly rpc: {
    readonly host: string;
    readonly port: number;
    readonly tls?: TlsFiles | undefined;
    readonly maxMessageBytes?: number | undefined;
    /** Who may call over gRPC, as requireKnownCaller says. */
    readonly callers: Interceptor;
  };
  readonly admin: { readonly host: string; readonly port: number; readonly token: FreshText };
  readonly runtime: Runtime;
  /** Served on the RPC port as well: what every service of the installation offers. */
  readonly commonRoutes?: RpcRoutes | undefined;
  /** Names what is away although others can be served without it. */
  readonly findMissing?: FindMissing | undefined;
}

export interface RunningService {
  readonly rpcPort: number;
  readonly adminPort: number;
  /** Stops everything in order; the bus stays open. Calling it again waits for the same stop. */
  stop(): Promise<void>;
}

// Leaves ten of the 25 s that stopOnSignals gives to workers and pools.
const drainGraceMs = 15_000;
const hardStopMs = 25_000;
const readyRetryMs = 1000;

/**
 * Runs a service: opens the admin port and the RPC port, starts the workers, and reports SERVING once checkReady
 * passes, which it tries again every second. Resolves after the first try. When something cannot be started, stops
 * what was and rejects; the service is closed either way.
 *
 * `stop` reports NOT_SERVING, tells the service, lets calls in flight finish (15 s), stops the workers, closes the service and then the
 * admin port. A step that fails does not keep the later ones from running, but makes `stop` reject.
 */
export async function runService(service: Service, options: RunServiceOptions): Promise<RunningService> {
  const { logger, metrics, tracer } = options.runtime;
  const health = createHealthState();
  const checkReady = reportChanges(service, logger);
  const observed = { service: service.name, logger, metrics, tracer };
  const operatorRoutes = [
    deadEventRoutes(service.deadEvents ?? []),
    masterKeyRoutes(service.resealer === undefined ? [] : [service.resealer]),
  ];
  if (service.adminRoutes !== undefined) operatorRoutes.push(service.adminRoutes);
  const stopping = new AbortController();
  const opened: Opened = { workers: [] };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopInOrder(service, opened, health, stopping, logger);
    return stopped;
  };
  try {
    const { routes } = service;
    const admin = { ...options.admin, routes: [routes], operatorRoutes, observed, health, checkReady };
    const { findMissing } = options;
    opened.admin = await startAdminPort({ ...admin, findMissing, page: service.adminPage });
    const { callers, ...rpc } = options.rpc;
    const allRoutes: RpcRoutes = (router) => {
      rpcRoutesOf(service)(router);
      options.commonRoutes?.(router);
    };
    const checked = serverInterceptors({ ...observed, callers });
    opened.rpc = await startRpcServer({ ...rpc, routes: allRoutes, interceptors: checked, health, logger });
    for (const worker of service.workers) {
      await worker.start();
      opened.workers.push(worker);
    }
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
  if (!(await tryReady(checkReady, health, stopping.signal))) {
    void keepTrying(checkReady, health, stopping.signal);
  }
  const ports = { rpcPort: opened.rpc.port, adminPort: opened.admin.port };
  logger.info({ ...ports, serving: health.isServing() }, "started");
  return { ...ports, stop };
}

/** What has been opened so far and must be closed. */
interface Opened {
  admin?: AdminPort;
  rpc?: RpcServer;
  readonly workers: Worker[];
}

async function stopInOrder(
  service: Service,
  opened: Opened,
  health: HealthState,
  stopping: AbortController,
  logger: Logger,
): Promise<void> {
  stopping.abort();
  health.setServing(false);
  const errors: unknown[] = [];
  const step = async (name: string, run: (() => Promise<void>) | undefined) => {
    try {
      await run?.();
    } catch (error) {
      errors.push(error);
      logger.error({ err: error, step: name }, "could not stop cleanly");
    }
  };
  await step("long calls", async () => service.beginStop?.());
  await step("calls", () => opened.rpc?.drain(drainGraceMs) ?? Promise.resolve());
  await Promise.all(opened.workers.map((worker) => step(worker.name, () => worker.stop())));
  await step("service", () => service.close());
  await step("admin port", () => opened.admin?.close() ?? Promise.resolve());
  if (errors.length > 0) throw new AggregateError(errors, `${service.name} did not stop cleanly`);
  logger.info("stopped");
}

/** The readiness check of a service, with a log line whenever its outcome changes. */
function reportChanges(service: Service, logger: Logger): () => Promise<void> {
  let wasReady = true;
  return async () => {
    try {
      await service.checkReady();
      if (!wasReady) logger.info("ready again");
      wasReady = true;
    } catch (error) {
      if (wasReady) logger.warn({ err: error }, "not ready");
      wasReady = false;
      throw error;
    }
  };
}

const tryReady = (checkReady: () => Promise<void>, health: HealthState, stopping: AbortSignal): Promise<boolean> =>
  checkReady().then(
    () => {
      if (!stopping.aborted) health.setServing(true);
      return true;
    },
    () => false,
  );

async function keepTrying(checkReady: () => Promise<void>, health: HealthState, stopping: AbortSignal): Promise<void> {
  do {
    await delay(readyRetryMs, undefined, { signal: stopping }).catch(() => {});
  } while (!stopping.aborted && !(await tryReady(checkReady, health, stopping)));
}

/**
 * Stops the process on SIGTERM or SIGINT: runs `stop` once, then exits with 0, or with 1 when it rejects or takes more
 * than 25 s. Further signals are ignored, because npm passes on the Ctrl-C that its child has already seen.
 */
export function stopOnSignals(stop: () => Promise<void>, logger: Logger): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, "stopping");
    setTimeout(() => {
      logger.error(`did not stop within ${hardStopMs / 1000} s`);
      process.exit(1);
    }, hardStopMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, "did not stop cleanly");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
