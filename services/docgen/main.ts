import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createDocgenService } from "./service.ts";

/**
 * One answer contains the texts of a template in many languages; a batch contains much data, a document up to 25 MB.
 */
const maxMessageBytes = 32 * 1024 * 1024;

const { env } = process;
const values = readSettings(settings, env);
await runServiceProcess("docgen", { values, env, maxMessageBytes }, ({ runtime, connect }) =>
  createDocgenService(configFromEnv(env), {
    runtime,
    auth: connect("auth", values.AUTH_TARGET, [TokenService]),
    convert:
      values.CONVERT_TARGET === ""
        ? undefined
        : connect("convert", values.CONVERT_TARGET, [ConverterService], maxMessageBytes),
    templates: connect("templates", values.TEMPLATES_TARGET, [TemplatesService], maxMessageBytes),
  }),
);
