import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createSignService, maxMessageBytes } from "./service.ts";

const { env } = process;
const values = readSettings(settings, env);
await runServiceProcess("sign", { values, env, maxMessageBytes }, ({ runtime, connect }) =>
  createSignService(configFromEnv(env), {
    runtime,
    auth: connect("auth", values.AUTH_TARGET, [TokenService, RetentionService]),
    click: connect("click", values.CLICK_TARGET, [EvidenceLogService, RetentionService]),
    webhooks: connect("webhooks", values.WEBHOOKS_TARGET, [RetentionService]),
    // A text of 25 MB is sent, and a PDF comes back.
    docgen: connect("docgen", values.DOCGEN_TARGET, [RendererService, RetentionService], 32 * 1024 * 1024),
    convert:
      values.CONVERT_TARGET === ""
        ? undefined
        : connect("convert", values.CONVERT_TARGET, [ConverterService], 32 * 1024 * 1024),
  }),
);
