import {
  type Environment,
  type FreshText,
  integerSetting,
  readSettings,
  secretSetting,
  stringSetting,
} from "#platform/config.ts";
import { type Egress, egressOf, egressSettings } from "#platform/net/egress-proxy.ts";
import {
  createNamedReceivers,
  type NamedReceivers,
  namedReceiversSetting,
  privateReceiversSetting,
} from "#platform/net/receiver-settings.ts";
import { masterKeySetting } from "#platform/secrets.ts";
import { commonSettings, freshSetting } from "#platform/service-settings.ts";

export interface WebhooksConfig {
  readonly databaseUrl: FreshText;
  /** The role of the service; those that look across organizations take this name with `_claimer`, `_fan_out`, `_sender`, `_sweeper` and `_relay`. "-" stays the login role. */
  readonly databaseRole?: string;
  /** Database connections of this process in all, at least 10. */
  readonly poolSize?: number;
  /** 32 bytes in base64. */
  readonly masterKey: string;
  /** Receivers may be reached by http and at private addresses. */
  readonly allowPrivate?: boolean;
  /** Receivers of the operator's own network that customers may name. */
  readonly privateReceivers?: NamedReceivers | undefined;
  /** The proxy of the operator's network; absent: directly. */
  readonly egress?: Egress | undefined;
  /** Concurrent requests to receivers from this process; 500 when absent. */
  readonly maxRequests?: number;
}

export const settings = {
  ...commonSettings,
  DATABASE_POOL_SIZE: integerSetting(
    "Database connections per process, at least 10: some are set apart for what must not wait. Too few make deliveries wait, too many exhaust the database.",
    12,
    { min: 10, max: 1000 },
  ),
  NATS_URL: secretSetting("The NATS servers, comma-separated. While they are away, events wait where they happened."),
  CLICK_TARGET: stringSetting("Where the click service answers gRPC: it knows receipts."),
  SIGN_TARGET: stringSetting("Where the sign service answers gRPC: it knows agreements."),
  WEBHOOKS_MASTER_KEY: masterKeySetting(
    "32 bytes in base64, from which the keys are derived that the secrets of endpoints are encrypted with. Lost, all endpoints need new secrets.",
  ),
  WEBHOOKS_ALLOW_PRIVATE: privateReceiversSetting,
  WEBHOOKS_PRIVATE_RECEIVERS: namedReceiversSetting,
  ...egressSettings,
  WEBHOOKS_MAX_REQUESTS: integerSetting(
    "Requests to receivers that a process makes at once. Slow receivers hold places until they time out.",
    500,
    { min: 1, max: 10_000 },
  ),
};

/** Throws a ConfigError that lists everything that is wrong. */
export function configFromEnv(env: Environment): WebhooksConfig {
  const values = readSettings(settings, env);
  return {
    databaseUrl: freshSetting("DATABASE_URL", values, env),
    databaseRole: values.DATABASE_ROLE,
    poolSize: values.DATABASE_POOL_SIZE,
    masterKey: values.WEBHOOKS_MASTER_KEY,
    allowPrivate: values.WEBHOOKS_ALLOW_PRIVATE,
    privateReceivers: createNamedReceivers(values.WEBHOOKS_PRIVATE_RECEIVERS),
    egress: egressOf(values, env),
    maxRequests: values.WEBHOOKS_MAX_REQUESTS,
  };
}
