import { ClickService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createAuthService } from "./service.ts";

const { env } = process;
const values = readSettings(settings, env);
const mebibyte = 1024 * 1024;
await runServiceProcess("auth", { values, env }, ({ runtime, connect }) =>
  createAuthService(configFromEnv(env), {
    runtime,
    // A page of an export has one file of any size.
    holders: {
      sign: connect("sign", values.SIGN_TARGET, [PersonalDataService, SignService], 112 * mebibyte),
      click: connect(
        "click",
        values.CLICK_TARGET,
        [PersonalDataService, ClickService, EvidenceLogService],
        112 * mebibyte,
      ),
      webhooks: connect("webhooks", values.WEBHOOKS_TARGET, [PersonalDataService, WebhooksService], 112 * mebibyte),
      docgen: connect("docgen", values.DOCGEN_TARGET, [PersonalDataService], 112 * mebibyte),
      templates: connect("templates", values.TEMPLATES_TARGET, [PersonalDataService, TemplatesService], 112 * mebibyte),
    },
  }),
);
