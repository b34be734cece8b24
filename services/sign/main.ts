import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { systemClock } from "#platform/clock.ts";
import { readSettings } from "#platform/config.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { createGrpcTransport } from "#platform/rpc/client.ts";
import { runService, stopOnSignals } from "#platform/service.ts";
import { wireFromSettings } from "#platform/service-settings.ts";
import { startTracing } from "#platform/tracing/start-tracing.ts";
import { traceBus } from "#platform/tracing/trace-bus.ts";
import { configFromEnv, settings } from "./config.ts";
import { createSignService, maxMessageBytes } from "./service.ts";

const values = readSettings(settings, process.env);
const logger = createLogger("sign", values.LOG_LEVEL);
const metrics = createMetrics();
const tracing = await startTracing("sign", values, { logger, metrics });
const { tracer } = tracing;
const bus = traceBus(createNatsBus({ url: values.NATS_URL, logger }), tracer);
const runtime = { logger, metrics, clock: systemClock, newId, bus, tracer };
const wire = wireFromSettings(values, process.env, logger);
const auth = createGrpcTransport({ target: values.AUTH_TARGET, services: [TokenService], ...wire, tracer });
const click = createGrpcTransport({ target: values.CLICK_TARGET, services: [EvidenceLogService], ...wire, tracer });
const docgen = createGrpcTransport({
  target: values.DOCGEN_TARGET,
  services: [RendererService],
  ...wire,
  tracer,
  /** A text of 25 MB is sent, and a PDF comes back. */
  maxMessageBytes: 32 * 1024 * 1024,
});

const service = await createSignService(configFromEnv(process.env), { runtime, auth, docgen, click });
const running = await runService(service, {
  rpc: { host: values.RPC_HOST, port: values.RPC_PORT, ...wire, maxMessageBytes },
  admin: { host: values.ADMIN_HOST, port: values.ADMIN_PORT, token: values.ADMIN_TOKEN },
  runtime,
});
stopOnSignals(async () => {
  await running.stop();
  for (const transport of [auth, docgen, click]) transport.close();
  await bus.close();
  await tracing.stop();
}, logger);
