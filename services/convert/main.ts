import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createConvertService, maxMessageBytes } from "./service.ts";

const { env } = process;
const values = readSettings(settings, env);
await runServiceProcess("convert", { values, env, maxMessageBytes }, ({ runtime }) =>
  createConvertService(configFromEnv(env), { runtime }),
);
