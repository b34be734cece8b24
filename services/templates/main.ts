import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createTemplatesService } from "./service.ts";

const { env } = process;
await runServiceProcess("templates", { values: readSettings(settings, env), env }, ({ runtime }) =>
  createTemplatesService(configFromEnv(env), { runtime }),
);
