import type { DescService } from "@bufbuild/protobuf";
import { type FindMissing, unreachable } from "./admin-port.ts";
import { systemClock } from "./clock.ts";
import { type Environment, type SettingValues, textNow } from "./config.ts";
import { createMemoryBus } from "./events/memory.ts";
import { createNatsBus } from "./events/nats.ts";
import { watchBus, watchCertificates } from "./gauges.ts";
import { newId } from "./ids.ts";
import { createLogger } from "./logger.ts";
import { createMetrics } from "./metrics.ts";
import { createGrpcTransport, type GrpcTransport } from "./rpc/client.ts";
import { type Runtime, runService, type Service, stopOnSignals } from "./service.ts";
import {
  type commonSettings,
  freshSetting,
  installationRoutes,
  type RpcWire,
  sharedAmong,
  wireFromSettings,
} from "./service-settings.ts";
import { startTracing } from "./tracing/start-tracing.ts";
import { traceBus } from "./tracing/trace-calls.ts";

type Values = SettingValues<typeof commonSettings>;
type DatabaseSetting = "DATABASE_URL" | "DATABASE_ROLE" | "DATABASE_POOL_SIZE";

interface ProcessOptions {
  /** The gateway takes no calls as services do, and has no events; what keeps nothing has no database. */
  readonly values: Omit<Values, "RPC_HOST" | "RPC_PORT" | "ADMIN_TOKEN" | "NATS_URL" | DatabaseSetting> & {
    readonly NATS_URL?: string;
  };
  readonly env: Environment;
  /** Where lines of the log go; standard output when absent. */
  readonly logTo?: Parameters<typeof createLogger>[2];
}

/** What there is in every process. */
interface ProcessParts {
  readonly runtime: Runtime;
  readonly wire: RpcWire;
  /**
   * A way to the processes of another service, which is closed when this one has stopped. Answers have 4 MiB unless it
   * says how much.
   */
  connect(name: string, target: string, services: readonly DescService[], maxMessageBytes?: number): GrpcTransport;
  /** Names what it is connected to and cannot reach: other services, and NATS. */
  readonly findMissing: FindMissing;
}

/**
 * What all main files have in common: logs, metrics, traces, events, proof towards other processes, and the end on
 * SIGTERM. `start` opens what this process is for, and answers how to stop that; the rest is stopped after it.
 */
export async function runProcess(
  name: string,
  { values, env, logTo }: ProcessOptions,
  start: (parts: ProcessParts) => Promise<{ stop(): Promise<void> }>,
): Promise<void> {
  const logger = createLogger(name, values.LOG_LEVEL, logTo);
  const metrics = createMetrics();
  const tracing = await startTracing(name, values, { logger, metrics });
  const { tracer } = tracing;
  const { NATS_URL: url = "" } = values;
  const bus =
    url === ""
      ? createMemoryBus()
      : traceBus(createNatsBus({ url: freshSetting("NATS_URL", { NATS_URL: url }, env), logger }), tracer);
  const wire = wireFromSettings(values, env, logger);
  if (url !== "") watchBus(bus, metrics);
  watchCertificates(metrics, { rpc: values.RPC_TLS_CERT_FILE, rpc_authority: values.RPC_TLS_CA_FILE });
  const transports: Record<string, GrpcTransport> = {};
  const running = await start({
    runtime: { logger, metrics, clock: systemClock, newId, bus, tracer },
    wire,
    connect: (service, target, services, maxMessageBytes) => {
      const transport = createGrpcTransport({ target, services, ...wire, tracer, metrics, maxMessageBytes });
      transports[service] = transport;
      return transport;
    },
    findMissing: async () => [...(bus.isConnected() ? [] : ["nats"]), ...(await unreachable(transports)())],
  });
  stopOnSignals(async () => {
    await running.stop();
    for (const transport of Object.values(transports)) transport.close();
    await bus.close();
    await tracing.stop();
  }, logger);
}

/** The same for a service. `maxMessageBytes` is what it takes in one call; 4 MiB when absent. */
export const runServiceProcess = (
  name: string,
  options: ProcessOptions & {
    readonly values: Omit<Values, "NATS_URL" | DatabaseSetting>;
    readonly maxMessageBytes?: number;
  },
  create: (parts: ProcessParts) => Service | Promise<Service>,
): Promise<void> =>
  runProcess(name, options, async (parts) => {
    const { RPC_HOST, RPC_PORT, ADMIN_HOST, ADMIN_PORT } = options.values;
    const token = freshSetting("ADMIN_TOKEN", options.values, options.env);
    return runService(await create(parts), {
      rpc: { host: RPC_HOST, port: RPC_PORT, ...parts.wire, maxMessageBytes: options.maxMessageBytes },
      admin: { host: ADMIN_HOST, port: ADMIN_PORT, token },
      ...{ runtime: parts.runtime, findMissing: parts.findMissing },
      commonRoutes: installationRoutes(name, () => sharedAmong({ ...options.values, ADMIN_TOKEN: textNow(token) })),
    });
  });
