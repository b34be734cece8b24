import {
  type Environment,
  type FreshText,
  integerSetting,
  readSettings,
  secretSetting,
  stringSetting,
} from "#platform/config.ts";
import { commonSettings, freshSetting } from "#platform/service-settings.ts";

export interface DocgenConfig {
  readonly databaseUrl: FreshText;
  /** The role of the service; the claimer and the relay take this name with `_claimer` and `_relay`. "-" stays the login role. */
  readonly databaseRole?: string;
  /** Database connections of this process in all, at least 8. */
  readonly poolSize?: number;
  /** Documents that this process renders at once; 0 or absent: one for each core. */
  readonly rendererProcesses?: number;
  /** Physical memory of each; 512 when absent. */
  readonly rendererMemoryMb?: number;
  /** How many of them are started immediately and kept; none when absent. */
  readonly renderersKept?: number;
}

export const settings = {
  ...commonSettings,
  DATABASE_POOL_SIZE: integerSetting(
    "Database connections per process, at least 8: some are set apart for what must not wait. Too few make requests wait, too many exhaust the database.",
    12,
    { min: 8, max: 1000 },
  ),
  NATS_URL: secretSetting("The NATS servers, comma-separated. While they are away, events wait in the outbox."),
  AUTH_TARGET: stringSetting("Where the auth service answers gRPC: it knows the plan of each organization."),
  TEMPLATES_TARGET: stringSetting("Where the templates service answers gRPC."),
  CONVERT_TARGET: stringSetting(
    "Where the convert service answers gRPC: it prints documents of templates that are Word files. Empty refuses these documents.",
    "",
  ),
  RENDERER_PROCESSES: integerSetting(
    "Processes that render: of several, one is kept for what other services ask for, so that their evidence does not wait for slow documents. They start when they are needed. 0 takes one for each core and that one.",
    0,
    { max: 256 },
  ),
  RENDERER_PROCESSES_KEPT: integerSetting(
    "Renderer processes that start with the service and stay. The others end after a minute without work, and starting one again takes half a second to a second.",
    1,
    { max: 256 },
  ),
  RENDERER_MEMORY_MB: integerSetting(
    "Physical memory that a renderer process may take before it is killed and its document fails. An idle one has about 200 MB.",
    512,
    { min: 384, max: 65_536 },
  ),
};

/** Throws a ConfigError that lists every problem. */
export function configFromEnv(env: Environment): DocgenConfig {
  const values = readSettings(settings, env);
  return {
    databaseUrl: freshSetting("DATABASE_URL", values, env),
    databaseRole: values.DATABASE_ROLE,
    poolSize: values.DATABASE_POOL_SIZE,
    rendererProcesses: values.RENDERER_PROCESSES,
    rendererMemoryMb: values.RENDERER_MEMORY_MB,
    renderersKept: values.RENDERER_PROCESSES_KEPT,
  };
}
