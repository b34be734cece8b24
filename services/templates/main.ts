import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createTemplatesService } from "./service.ts";

const { env } = process;
/** A screenshot has up to 5 MiB. */
const maxMessageBytes = 8 * 1024 * 1024;

const values = readSettings(settings, env);
await runServiceProcess("templates", { values, env, maxMessageBytes }, ({ runtime }) =>
  createTemplatesService(configFromEnv(env), { runtime }),
);
