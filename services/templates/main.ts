import { systemClock } from "#platform/clock.ts";
import { readSettings } from "#platform/config.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { runService, stopOnSignals } from "#platform/service.ts";
import { wireFromSettings } from "#platform/service-settings.ts";
import { startTracing } from "#platform/tracing/start-tracing.ts";
import { traceBus } from "#platform/tracing/trace-bus.ts";
import { configFromEnv, settings } from "./config.ts";
import { createTemplatesService } from "./service.ts";

const values = readSettings(settings, process.env);
const logger = createLogger("templates", values.LOG_LEVEL);
const metrics = createMetrics();
const tracing = await startTracing("templates", values, { logger, metrics });
const { tracer } = tracing;
const bus = traceBus(createNatsBus({ url: values.NATS_URL, logger }), tracer);
const runtime = { logger, metrics, clock: systemClock, newId, bus, tracer };

const service = await createTemplatesService(configFromEnv(process.env), { runtime });
const running = await runService(service, {
  rpc: { host: values.RPC_HOST, port: values.RPC_PORT, ...wireFromSettings(values, process.env, logger) },
  admin: { host: values.ADMIN_HOST, port: values.ADMIN_PORT, token: values.ADMIN_TOKEN },
  runtime,
});
stopOnSignals(async () => {
  await running.stop();
  await bus.close();
  await tracing.stop();
}, logger);
