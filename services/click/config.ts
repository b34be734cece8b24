import {
  type Environment,
  type FreshText,
  integerSetting,
  readSettings,
  type Setting,
  stringSetting,
  urlSetting,
} from "#platform/config.ts";
import { type MailServer, mailServerOf, mailSettings } from "#platform/mail/mail-settings.ts";
import { type Egress, egressOf, egressSettings } from "#platform/net/egress-proxy.ts";
import { masterKeySetting } from "#platform/secrets.ts";
import { commonSettings, freshSetting } from "#platform/service-settings.ts";
import { readCertificates } from "#platform/timestamps/timestamp-authority.ts";

/** The RFC 3161 timestamp authority for checkpoints of the anchor log. */
export interface TimestampSettings {
  readonly url: string;
  /** PEM certificates that the authority's chain must end in; when empty, only the token itself is verified. */
  readonly trusted: readonly string[];
  /** The proxy of the operator's network; absent: directly. */
  readonly egress?: Egress | undefined;
}

export interface ClickConfig {
  readonly databaseUrl: FreshText;
  /**
   * The role of the service. Recorder, relay, sweeper, integrator and eraser use this name plus `_recorder`,
   * `_relay`, `_sweeper`, `_integrator` and `_eraser`. "-" keeps the login role, which then needs the rights of
   * all of them.
   */
  readonly databaseRole?: string;
  /** Total database connections of this process, at least 12. */
  readonly poolSize?: number;
  /** 32 bytes in base64; several, separated by commas, are allowed, and the first one seals. */
  readonly masterKey: string;
  /** The installation's public address, an http(s) URL without a trailing slash. */
  readonly issuer: string;
  /** Absent: checkpoints get no timestamps. */
  readonly tsa?: TimestampSettings | undefined;
  /** Without it no copies are mailed. */
  readonly mail?: MailServer | undefined;
  /** How often checkpoints are anchored; default 60. */
  readonly anchorIntervalSeconds?: number;
  /** A folder, or "nats"; empty: no witness. */
  readonly logWitness?: string | undefined;
  /** Where the witness "nats" is. */
  readonly natsUrl?: FreshText | undefined;
}

const issuerSetting = (doc: string): Setting<string> => ({
  ...urlSetting(doc),
  parse: (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
    if (!isPlain || !/^https?:\/\//.test(text) || /[\s+?#]/.test(text)) {
      throw new Error("must be an http or https URL without a query, a fragment and a plus sign");
    }
    return text.replace(/\/+$/, "");
  },
});

const certificatesSetting = (doc: string): Setting<readonly string[]> => ({
  kind: "string",
  doc,
  fallback: [],
  secret: false,
  parse: (path) => {
    const certificates = readCertificates(path);
    if (certificates.length === 0) throw new Error("must name a PEM file with certificates");
    return certificates;
  },
});

export const settings = {
  ...commonSettings,
  DATABASE_POOL_SIZE: integerSetting(
    "Database connections per process, at least 12: most of them are set apart for what must not wait. Too few make requests wait, too many exhaust the database.",
    14,
    { min: 12, max: 1000 },
  ),
  CLICK_MASTER_KEY: masterKeySetting(
    "32 random bytes in base64, the same in every process of the service. What is personal and the keys of evidence are sealed with it.",
    { takesAnySpelling: true },
  ),
  EVIDENCE_ISSUER: issuerSetting(
    "The public address of this installation, such as https://agreements.example.com. It stands in every receipt and names the logs, so it must never change, and be the same in every process of the service.",
  ),
  TSA_URL: {
    ...urlSetting(
      "The time-stamping authority (RFC 3161 over HTTP) that proves since when the checkpoints of all logs exist. It learns one hash a minute. Empty means no time stamps.",
      "",
    ),
    parse: (text: string) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (!/^https?:$/.test(url?.protocol ?? "") || url?.username !== "" || url.password !== "") {
        throw new Error("must be an http or https URL without credentials");
      }
      return text;
    },
  },
  TSA_CA_FILE: certificatesSetting(
    "PEM file of the certificates that the authority's chain must end in. Empty means that a token is only checked against the certificate that comes with it.",
  ),
  ...egressSettings,
  SMTP_URL: {
    ...mailSettings.SMTP_URL,
    doc: "The mail server: smtp://user:password@host:587, or smtps:// for TLS from the first byte on. Copies go through it to those who accepted, where a policy has sendCopyToUser. Empty sends none, and the evidence says so. A file (SMTP_URL_FILE) is read again with each mail.",
  },
  MAIL_FROM: mailSettings.MAIL_FROM,
  ANCHOR_INTERVAL_SECONDS: integerSetting(
    "How often the checkpoints of all logs are anchored together and stamped. Until then, new evidence is PENDING.",
    60,
    { min: 1, max: 86_400 },
  ),
  LOG_WITNESS: stringSetting(
    "Where the newest checkpoint of each log is kept outside the database, so that a database which was set back in time is noticed before its logs sign a second history: a folder that all processes of the service share and that outlives the database, or nats for a bucket of JetStream. While it cannot be used, acceptances go on and no checkpoint is signed. Empty means that nothing is noticed.",
    "",
  ),
  TEMPLATES_TARGET: stringSetting("Where the templates service answers gRPC."),
  DOCGEN_TARGET: stringSetting("Where the docgen service answers gRPC: it renders evidence as PDF."),
};

/** Throws a ConfigError that lists every problem. */
export function configFromEnv(env: Environment): ClickConfig {
  const values = readSettings(settings, env);
  return {
    databaseUrl: freshSetting("DATABASE_URL", values, env),
    databaseRole: values.DATABASE_ROLE,
    poolSize: values.DATABASE_POOL_SIZE,
    masterKey: values.CLICK_MASTER_KEY,
    issuer: values.EVIDENCE_ISSUER,
    tsa:
      values.TSA_URL === ""
        ? undefined
        : { url: values.TSA_URL, trusted: values.TSA_CA_FILE, egress: egressOf(values, env) },
    // Copies have no links; their Message-ID has the host of the issuer.
    mail: mailServerOf({ ...values, PUBLIC_URL: values.EVIDENCE_ISSUER }, env),
    anchorIntervalSeconds: values.ANCHOR_INTERVAL_SECONDS,
    logWitness: values.LOG_WITNESS,
    natsUrl: freshSetting("NATS_URL", values, env),
  };
}
