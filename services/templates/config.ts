import { type Environment, type FreshText, readSettings, secretSetting, stringSetting } from "#platform/config.ts";
import { commonSettings, freshSetting } from "#platform/service-settings.ts";
import type { CheckLimits } from "./content-check/check-pool.ts";

export interface TemplatesConfig {
  readonly databaseUrl: FreshText;
  /** The role of management; the resolver and the relay take this name with `_resolver` and `_relay`. "-" stays the login role. */
  readonly databaseRole?: string;
  /** Database connections of this process in all, at least 4. */
  readonly poolSize?: number;
  readonly checkLimits?: CheckLimits;
}

export const settings = {
  ...commonSettings,
  NATS_URL: secretSetting("The NATS servers, comma-separated. While they are away, events wait in the outbox."),
  SIGN_TARGET: stringSetting("Where the sign service answers gRPC: it checks PDFs that become texts."),
};

/** Throws a ConfigError that lists everything that is wrong. */
export function configFromEnv(env: Environment): TemplatesConfig {
  const values = readSettings(settings, env);
  return {
    databaseUrl: freshSetting("DATABASE_URL", values, env),
    databaseRole: values.DATABASE_ROLE,
    poolSize: values.DATABASE_POOL_SIZE,
  };
}
