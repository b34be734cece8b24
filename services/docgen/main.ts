import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
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
import { createDocgenService } from "./service.ts";

const values = readSettings(settings, process.env);
const logger = createLogger("docgen", values.LOG_LEVEL);
const metrics = createMetrics();
const tracing = await startTracing("docgen", values, { logger, metrics });
const { tracer } = tracing;
const bus = traceBus(createNatsBus({ url: values.NATS_URL, logger }), tracer);
const runtime = { logger, metrics, clock: systemClock, newId, bus, tracer };
const wire = wireFromSettings(values, process.env, logger);
/** The texts of a template in many languages come in one answer; a batch has many data, a document up to 25 MB. */
const maxMessageBytes = 32 * 1024 * 1024;
const auth = createGrpcTransport({ target: values.AUTH_TARGET, services: [TokenService], ...wire, tracer });
const templates = createGrpcTransport({
  target: values.TEMPLATES_TARGET,
  services: [TemplatesService],
  ...wire,
  tracer,
  maxMessageBytes,
});

const service = await createDocgenService(configFromEnv(process.env), { runtime, auth, templates });
const running = await runService(service, {
  rpc: { host: values.RPC_HOST, port: values.RPC_PORT, ...wire, maxMessageBytes },
  admin: { host: values.ADMIN_HOST, port: values.ADMIN_PORT, token: values.ADMIN_TOKEN },
  runtime,
});
stopOnSignals(async () => {
  await running.stop();
  auth.close();
  templates.close();
  await bus.close();
  await tracing.stop();
}, logger);
