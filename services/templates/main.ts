import { systemClock } from "#platform/clock.ts";
import { readSettings } from "#platform/config.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { runService, stopOnSignals } from "#platform/service.ts";
import { tlsFromSettings } from "#platform/service-settings.ts";
import { configFromEnv, settings } from "./config.ts";
import { createTemplatesService } from "./service.ts";

const values = readSettings(settings, process.env);
const logger = createLogger("templates", values.LOG_LEVEL);
const bus = createNatsBus({ url: values.NATS_URL, logger });
const runtime = { logger, metrics: createMetrics(), clock: systemClock, newId, bus };

const service = await createTemplatesService(configFromEnv(process.env), { runtime });
const running = await runService(service, {
  rpc: { host: values.RPC_HOST, port: values.RPC_PORT, tls: tlsFromSettings(values) },
  admin: { host: values.ADMIN_HOST, port: values.ADMIN_PORT, token: values.ADMIN_TOKEN },
  runtime,
});
stopOnSignals(async () => {
  await running.stop();
  await bus.close();
}, logger);
