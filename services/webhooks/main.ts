import { ClickService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createWebhooksService } from "./service.ts";

const { env } = process;
const values = readSettings(settings, env);
await runServiceProcess("webhooks", { values, env }, ({ runtime, connect }) =>
  createWebhooksService(configFromEnv(env), {
    runtime,
    click: connect("click", values.CLICK_TARGET, [ClickService, EvidenceLogService]),
    // Integrations may ask for the documents themselves, which have 25 MB at most each.
    sign: connect("sign", values.SIGN_TARGET, [SignService], 112 * 1024 * 1024),
  }),
);
