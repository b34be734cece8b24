import {
  type Environment,
  type FreshText,
  integerSetting,
  readSettings,
  secretSetting,
  stringSetting,
} from "#platform/config.ts";
import { commonSettings, freshSetting } from "#platform/service-settings.ts";
import type { CheckLimits } from "./content-check/check-pool.ts";

export interface TemplatesConfig {
  readonly databaseUrl: FreshText;
  /** The role of management; the resolver and the relay take this name with `_resolver` and `_relay`. "-" stays the login role. */
  readonly databaseRole?: string;
  /** Database connections of this process in all, at least 4. */
  readonly poolSize?: number;
  readonly checkLimits?: CheckLimits;
  /** Of all screenshots together that deployments of an organization have ever named. */
  readonly screenshotBytes?: number;
}

const megabyte = 1_048_576;
const usualScreenshotMb = 2_048;
export const usualScreenshotBytes = usualScreenshotMb * megabyte;

export const settings = {
  ...commonSettings,
  NATS_URL: secretSetting("The NATS servers, comma-separated. While they are away, events wait in the outbox."),
  SIGN_TARGET: stringSetting("Where the sign service answers gRPC: it checks PDFs that become texts."),
  SCREENSHOTS_MB: integerSetting(
    "The total size, in MiB, of the screenshots that evidence keeps for an organization: all that its deployments have ever used, each counted once. When it is reached, deployments can use only those. Give all templates processes the same value.",
    usualScreenshotMb,
    { min: 5, max: 1_048_576 },
  ),
};

/** Throws a ConfigError that lists everything that is wrong. */
export function configFromEnv(env: Environment): TemplatesConfig {
  const values = readSettings(settings, env);
  return {
    databaseUrl: freshSetting("DATABASE_URL", values, env),
    databaseRole: values.DATABASE_ROLE,
    poolSize: values.DATABASE_POOL_SIZE,
    screenshotBytes: values.SCREENSHOTS_MB * megabyte,
  };
}
