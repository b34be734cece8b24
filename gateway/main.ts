import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ErasureService } from "#gen/assent/auth/v1/erasures_pb.ts";
import { ExportService } from "#gen/assent/auth/v1/exports_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { createHealthState, startAdminPort } from "#platform/admin-port.ts";
import { readSettings } from "#platform/config.ts";
import { bufferedStdout } from "#platform/logger.ts";
import { runProcess } from "#platform/run-process.ts";
import { createGateway } from "./app.ts";
import { configFromEnv, settings } from "./config.ts";
import { listenGateway } from "./listen.ts";

const { env } = process;
const values = readSettings(settings, env);
const config = configFromEnv(env);
const mebibyte = 1024 * 1024;

await runProcess("gateway", { values, env, logTo: bufferedStdout() }, async ({ runtime, connect, findMissing }) => {
  const { logger, metrics } = runtime;
  const channels = {
    auth: connect(
      "auth",
      values.AUTH_TARGET,
      [TokenService, LoginService, UserService, PasskeyService, OrganizationService, ErasureService, ExportService],
      // The list of the files of an export.
      32 * mebibyte,
    ),
    // A template may have versions in many languages, each with text of up to 1 MiB.
    templates: connect("templates", values.TEMPLATES_TARGET, [TemplatesService], 32 * mebibyte),
    // Evidence has a text of up to 1 MiB twice: as it was published, and as it was shown.
    click: connect("click", values.CLICK_TARGET, [ClickService], 32 * mebibyte),
    // A document may have 25 MB, the data of a batch as many.
    docgen: connect("docgen", values.DOCGEN_TARGET, [DocgenService], 32 * mebibyte),
    // The documents of an agreement, and all of them as one.
    sign: connect("sign", values.SIGN_TARGET, [SignService, SigningService], 112 * mebibyte),
    // A page of deliveries has what was answered to each.
    webhooks: connect("webhooks", values.WEBHOOKS_TARGET, [WebhooksService], 32 * mebibyte),
  };
  const gateway = await createGateway(config, { runtime, ...channels, findMissing });
  const health = createHealthState();
  const admin = await startAdminPort({
    ...{ host: values.ADMIN_HOST, port: values.ADMIN_PORT, token: "" },
    ...{ routes: [], operatorRoutes: [], observed: { service: "gateway", logger, metrics }, health },
    ...{ checkReady: gateway.checkReady, findMissing: gateway.findMissing },
  });
  const listening = await listenGateway(gateway, config);
  health.setServing(true);
  logger.info({ port: listening.port, adminPort: admin.port }, "started");
  return {
    stop: async () => {
      health.setServing(false);
      await listening.stop();
      await admin.close();
      logger.info("stopped");
    },
  };
});
