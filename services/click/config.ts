import { type Environment, readSettings, type Setting, secretSetting, stringSetting } from "#platform/config.ts";
import { commonSettings } from "#platform/service-settings.ts";

export interface ClickConfig {
  readonly databaseUrl: string;
  /**
   * The role of the service; the recorder, the relay and the sweeper take this name with `_recorder`, `_relay` and
   * `_sweeper`. "-" stays the login role, which must then be allowed what all four are.
   */
  readonly databaseRole?: string;
  /** Database connections of this process in all, at least 8. */
  readonly poolSize?: number;
  /** 32 bytes in base64. */
  readonly masterKey: string;
}

const masterKeySetting = (doc: string): Setting<string> => ({
  ...secretSetting(doc),
  parse: (text) => {
    if (Buffer.from(text, "base64").length !== 32) throw new Error("must be 32 bytes in base64");
    return text;
  },
});

export const settings = {
  ...commonSettings,
  CLICK_MASTER_KEY: masterKeySetting(
    "32 random bytes in base64, the same in every process of the service. Idempotency keys are recognised with it: with another one, a retry would be recorded again.",
  ),
  TEMPLATES_TARGET: stringSetting("Where the templates service answers gRPC."),
};

/** Throws a ConfigError that lists everything that is wrong. */
export function configFromEnv(env: Environment): ClickConfig {
  const values = readSettings(settings, env);
  return {
    databaseUrl: values.DATABASE_URL,
    databaseRole: values.DATABASE_ROLE,
    poolSize: values.DATABASE_POOL_SIZE,
    masterKey: values.CLICK_MASTER_KEY,
  };
}
