import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createTemplatesService } from "./service.ts";

const { env } = process;
/** A screenshot or a PDF has up to 5 MiB, and the text of a PDF up to 1 MiB. */
const maxMessageBytes = 8 * 1024 * 1024;

const values = readSettings(settings, env);
await runServiceProcess("templates", { values, env, maxMessageBytes }, ({ runtime, connect }) =>
  createTemplatesService(configFromEnv(env), {
    runtime,
    sign: connect("sign", values.SIGN_TARGET, [SignService], maxMessageBytes),
  }),
);
