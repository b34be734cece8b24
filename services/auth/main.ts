import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createAuthService } from "./service.ts";

const { env } = process;
await runServiceProcess("auth", { values: readSettings(settings, env), env }, ({ runtime }) =>
  createAuthService(configFromEnv(env), { runtime }),
);
