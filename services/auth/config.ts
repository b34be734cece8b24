import { type Environment, readSettings, stringSetting } from "#platform/config.ts";
import { masterKeySetting } from "#platform/secrets.ts";
import { commonSettings } from "#platform/service-settings.ts";

export interface AuthConfig {
  readonly databaseUrl: string;
  /** The role of management; look-ups and clean-up take this name with `_lookup` and `_janitor`. "-" stays the login role. */
  readonly databaseRole?: string;
  /** Database connections of this process in all, at least 3. */
  readonly poolSize?: number;
  /** 32 bytes in base64. Everything that is secret in the database depends on it. */
  readonly masterKey: string;
  readonly issuer: string;
  readonly audience: string;
}

// Auth neither publishes nor consumes events.
const { NATS_URL: _notUsed, ...withoutBus } = commonSettings;

export const settings = {
  ...withoutBus,
  AUTH_MASTER_KEY: masterKeySetting(
    "32 random bytes in base64, the same in every process of auth. It encrypts the signing keys and is part of every stored secret: with another one, no API key, client secret or signing key in the database works.",
  ),
  TOKEN_ISSUER: stringSetting("The iss claim of access tokens. The gateway refuses tokens of any other.", "assent"),
  TOKEN_AUDIENCE: stringSetting(
    "The aud claim of access tokens. The gateway refuses tokens of any other.",
    "assent-api",
  ),
};

/** Throws a ConfigError that lists everything that is wrong. */
export function configFromEnv(env: Environment): AuthConfig {
  const values = readSettings(settings, env);
  return {
    databaseUrl: values.DATABASE_URL,
    databaseRole: values.DATABASE_ROLE,
    poolSize: values.DATABASE_POOL_SIZE,
    masterKey: values.AUTH_MASTER_KEY,
    issuer: values.TOKEN_ISSUER,
    audience: values.TOKEN_AUDIENCE,
  };
}
