import {
  type Environment,
  type FreshText,
  integerSetting,
  readSettings,
  secretSetting,
  stringSetting,
} from "#platform/config.ts";
import { type MailServer, mailServerOf, mailSettings } from "#platform/mail/mail-settings.ts";
import type { Argon2Cost } from "#platform/password-stretcher.ts";
import { masterKeySetting } from "#platform/secrets.ts";
import { commonSettings, freshSetting } from "#platform/service-settings.ts";

export interface AuthConfig {
  readonly databaseUrl: FreshText;
  /** The role of management; look-ups and clean-up take this name with `_lookup`, `_janitor` and so on. "-" stays the login role. */
  readonly databaseRole?: string;
  /** Database connections of this process in all, at least 5. */
  readonly poolSize?: number;
  /** 32 bytes in base64. Everything that is secret in the database depends on it. */
  readonly masterKey: string;
  readonly issuer: string;
  readonly audience: string;
  /** Without it no mails are sent. */
  readonly mail?: MailServer | undefined;
  /** Where people open links, without a slash at the end. */
  readonly publicUrl?: string | undefined;
  /** The folder of the list of erasures; none is kept when absent. */
  readonly erasureList?: string | undefined;
  readonly erasureListDays?: number | undefined;
  /** What storing and checking a password costs; about 30 ms and 19 MiB when absent. Less is for tests only. */
  readonly argon2?: Argon2Cost | undefined;
}

export const usualListDays = 90;

const holderTarget = (service: string) =>
  stringSetting(`Where the ${service} service answers gRPC: what it keeps of people is found and erased there.`);

export const settings = {
  ...commonSettings,
  NATS_URL: secretSetting(
    "The NATS servers, comma-separated. Without them administrative acts appear in the audit trail only, not as events, and owners get no email when a webhook endpoint is disabled.",
    "",
  ),
  AUTH_MASTER_KEY: masterKeySetting(
    "32 random bytes in base64, the same in every process of auth. It encrypts the signing keys, the secrets of two-factor authentication, and what the stored hashes of API keys and secrets are made with.",
  ),
  TOKEN_ISSUER: stringSetting("The iss claim of access tokens. The gateway refuses tokens of any other.", "assent"),
  TOKEN_AUDIENCE: stringSetting(
    "The aud claim of access tokens. The gateway refuses tokens of any other.",
    "assent-api",
  ),
  SIGN_TARGET: holderTarget("sign"),
  CLICK_TARGET: holderTarget("click"),
  WEBHOOKS_TARGET: holderTarget("webhooks"),
  DOCGEN_TARGET: holderTarget("docgen"),
  TEMPLATES_TARGET: stringSetting(
    "Where the templates service answers gRPC: what it keeps for an organization is exported from there.",
  ),
  ERASURE_LIST: stringSetting(
    "A folder for the list of erasures, which says, sealed under AUTH_MASTER_KEY, who was erased: after the restore of a backup they are erased again from it. It must not go with the database, and every process of auth must have the same one. Empty keeps none.",
    "",
  ),
  ERASURE_LIST_DAYS: integerSetting(
    "How many days an erasure stays in the list: at least as long as you keep backups.",
    usualListDays,
    { min: 1, max: 3_650 },
  ),
  ...mailSettings,
  SMTP_URL: {
    ...mailSettings.SMTP_URL,
    doc: "The mail server: smtp://user:password@host:587, or smtps:// for TLS from the first byte on. Empty sends no mails: whoever invites a user is given the link instead, and no one can reset a password. A file (SMTP_URL_FILE) is read again with each mail.",
  },
  PUBLIC_URL: {
    ...mailSettings.PUBLIC_URL,
    doc: "Where people open the dashboard: https://sign.example.com, the same as the gateway's. Links of invitations begin with it. Required with SMTP_URL.",
  },
};

/** Throws a ConfigError that lists everything that is wrong. */
export function configFromEnv(env: Environment): AuthConfig {
  const values = readSettings(settings, env);
  return {
    databaseUrl: freshSetting("DATABASE_URL", values, env),
    databaseRole: values.DATABASE_ROLE,
    poolSize: values.DATABASE_POOL_SIZE,
    masterKey: values.AUTH_MASTER_KEY,
    issuer: values.TOKEN_ISSUER,
    audience: values.TOKEN_AUDIENCE,
    mail: mailServerOf(values, env),
    publicUrl: values.PUBLIC_URL,
    erasureList: values.ERASURE_LIST,
    erasureListDays: values.ERASURE_LIST_DAYS,
  };
}
