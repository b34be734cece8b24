import type { DescService } from "@bufbuild/protobuf";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { startAdminPort } from "#platform/admin-port.ts";
import { systemClock } from "#platform/clock.ts";
import { readSettings } from "#platform/config.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { createHealthState } from "#platform/health.ts";
import { newId } from "#platform/ids.ts";
import { bufferedStdout, createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { createGrpcTransport } from "#platform/rpc/client.ts";
import { stopOnSignals } from "#platform/service.ts";
import { wireFromSettings } from "#platform/service-settings.ts";
import { startTracing } from "#platform/tracing/start-tracing.ts";
import { createGateway } from "./app.ts";
import { configFromEnv, settings } from "./config.ts";
import { listenGateway } from "./listen.ts";
import { unreachable } from "./readiness.ts";

const values = readSettings(settings, process.env);
const config = configFromEnv(process.env);
const logger = createLogger("gateway", values.LOG_LEVEL, bufferedStdout());
const metrics = createMetrics();
const tracing = await startTracing("gateway", values, { logger, metrics });
const { tracer } = tracing;
const wire = wireFromSettings(values, process.env, logger);
const connect = (target: string, services: DescService | DescService[], options: { maxMessageBytes?: number } = {}) =>
  createGrpcTransport({ target, services: [services].flat(), ...wire, tracer, ...options });

/** A template may have versions in many languages, each with text of up to 1 MiB. */
const templatesMessageBytes = 32 * 1024 * 1024;
const auth = connect(values.AUTH_TARGET, [TokenService, LoginService, UserService, OrganizationService]);
const templates = connect(values.TEMPLATES_TARGET, TemplatesService, { maxMessageBytes: templatesMessageBytes });
/** Evidence has a text of up to 1 MiB twice: as it was published, and as it was shown. */
const click = connect(values.CLICK_TARGET, ClickService, { maxMessageBytes: 32 * 1024 * 1024 });
/** A document may have 25 MB, the data of a batch as many. */
const docgen = connect(values.DOCGEN_TARGET, DocgenService, { maxMessageBytes: 32 * 1024 * 1024 });
/** The documents of an agreement, and all of them as one. */
const sign = connect(values.SIGN_TARGET, [SignService, SigningService], { maxMessageBytes: 112 * 1024 * 1024 });
const runtime = { logger, metrics, clock: systemClock, newId, bus: createMemoryBus(), tracer };
/** A page of deliveries has what was answered to each. */
const webhooks = connect(values.WEBHOOKS_TARGET, WebhooksService, { maxMessageBytes: 32 * 1024 * 1024 });
const channels = { auth, templates, click, docgen, sign, webhooks };
const gateway = await createGateway(config, { runtime, ...channels, findMissing: unreachable(channels) });

const health = createHealthState();
const admin = await startAdminPort({
  host: values.ADMIN_HOST,
  port: values.ADMIN_PORT,
  token: "",
  routes: [],
  interceptors: [],
  metrics,
  health,
  checkReady: gateway.checkReady,
});
const listening = await listenGateway(gateway, config);
health.setServing(true);
logger.info({ port: listening.port, adminPort: admin.port }, "started");

stopOnSignals(async () => {
  health.setServing(false);
  await listening.stop();
  await admin.close();
  for (const transport of Object.values(channels)) transport.close();
  await tracing.stop();
  logger.info("stopped");
}, logger);
