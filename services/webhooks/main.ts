import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
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
import { createWebhooksService } from "./service.ts";

const values = readSettings(settings, process.env);
const logger = createLogger("webhooks", values.LOG_LEVEL);
const metrics = createMetrics();
const tracing = await startTracing("webhooks", values, { logger, metrics });
const { tracer } = tracing;
const bus = traceBus(createNatsBus({ url: values.NATS_URL, logger }), tracer);
const runtime = { logger, metrics, clock: systemClock, newId, bus, tracer };
const wire = wireFromSettings(values, process.env, logger);
const click = createGrpcTransport({ target: values.CLICK_TARGET, services: [ClickService], ...wire, tracer });
const sign = createGrpcTransport({
  target: values.SIGN_TARGET,
  services: [SignService],
  ...wire,
  tracer,
  /** Integrations may ask for the documents themselves, which have 25 MB at most each. */
  maxMessageBytes: 112 * 1024 * 1024,
});

const service = createWebhooksService(configFromEnv(process.env), { runtime, click, sign });
const running = await runService(service, {
  rpc: { host: values.RPC_HOST, port: values.RPC_PORT, ...wire },
  admin: { host: values.ADMIN_HOST, port: values.ADMIN_PORT, token: values.ADMIN_TOKEN },
  runtime,
});
stopOnSignals(async () => {
  await running.stop();
  click.close();
  sign.close();
  await bus.close();
  await tracing.stop();
}, logger);
