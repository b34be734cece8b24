import {
  type Environment,
  type FreshText,
  integerSetting,
  readSettings,
  secretSetting,
  stringSetting,
} from "#platform/config.ts";
import { type MailServer, mailServerOf, mailSettings } from "#platform/mail/mail-settings.ts";
import { egressOf } from "#platform/net/egress-proxy.ts";
import type { Argon2Cost } from "#platform/password-stretcher.ts";
import { masterKeySetting } from "#platform/secrets.ts";
import { abuseSetting, commonSettings, freshSetting } from "#platform/service-settings.ts";
import { type SealFiles, type SealStamps, sealFilesOf, sealSettings, sealStampsOf } from "./seal-settings.ts";

export interface SignConfig {
  readonly databaseUrl: FreshText;
  /** Of 32 random bytes in base64, or several with commas between them. */
  readonly masterKey: string;
  /**
   * The role of the service. Claimer, verifier, sweeper, remover, relay and resealer use this name plus
   * `_claimer`, `_verifier`, `_sweeper`, `_remover`, `_relay` and `_resealer`. "-" keeps the login role.
   */
  readonly databaseRole?: string;
  /** Total database connections of this process, at least 8. */
  readonly poolSize?: number;
  /** Documents that this process examines at once; 0 or absent: two, or one on a single-core machine. */
  readonly intakeProcesses?: number;
  /** Intake processes started in advance and kept running; none when absent. */
  readonly intakeProcessesKept?: number;
  /** Memory limit of each intake process in MiB; 512 when absent. */
  readonly intakeMemoryMb?: number;
  /** Without it no agreement is completed, and the service reports not ready. */
  readonly seal?: SealFiles | undefined;
  /** Without it no mail is sent. */
  readonly mail?: MailServer | undefined;
  /** Where readers of mails report abuse; no link when absent or empty. */
  readonly abuseContact?: string;
  /** Agreements that this process deletes in a minute at most, and other records that it looks at; 600 when absent. */
  readonly retentionPerMinute?: number;
  /** What hashing an access code costs; that of passwords when absent. */
  readonly argon2?: Argon2Cost | undefined;
  /** Without it seals carry no timestamp. */
  readonly tsa?: SealStamps | undefined;
}

export const settings = {
  ...commonSettings,
  DATABASE_POOL_SIZE: integerSetting(
    "Database connections per process, at least 8: some are set apart for what must not wait. Too few make requests wait, too many exhaust the database.",
    12,
    { min: 8, max: 1000 },
  ),
  NATS_URL: secretSetting("The NATS servers, comma-separated. While they are away, events wait in the outbox."),
  SIGN_MASTER_KEY: masterKeySetting(
    "32 bytes in base64. From it the keys are derived that wrap what files of agreements and the personal part of audit trails are sealed with. Lost, no file can be opened and no one can say any more who did what; hashes still hold.",
  ),
  AUTH_TARGET: stringSetting(
    "Where the auth service answers gRPC: it knows the names of organizations, and keeps the audit trail.",
  ),
  DOCGEN_TARGET: stringSetting(
    "Where the docgen service answers gRPC: it prints certificates and what is no PDF, and keeps generated documents.",
  ),
  CONVERT_TARGET: stringSetting(
    "Where the convert service answers gRPC: it prints Office files as PDFs. Empty refuses these, and pictures.",
    "",
  ),
  CLICK_TARGET: stringSetting("Where the click service answers gRPC: it keeps the evidence logs and acceptances."),
  WEBHOOKS_TARGET: stringSetting("Where the webhooks service answers gRPC: it keeps what was sent."),
  INTAKE_PROCESSES: integerSetting(
    "Processes that look into documents, apart from the service since a file may be made to break what reads it. They start when they are needed. 0 takes two, or one on a machine with one core. There may be one more, for organizations that have none of them at work, and as many that prepare what is sealed.",
    0,
    { max: 64 },
  ),
  INTAKE_PROCESSES_KEPT: integerSetting(
    "Processes of these that start with the service and stay. The others end when they have had nothing to do for a while.",
    1,
    { max: 64 },
  ),
  INTAKE_MEMORY_MB: integerSetting(
    "Physical memory that one of them may take before it is killed and its file is refused. An idle one has about 120 MB, and up to 300 MB once it has looked for texts.",
    512,
    { min: 384, max: 65_536 },
  ),
  RETENTION_PER_MINUTE: integerSetting(
    "The maximum number of agreements whose retention period ended that a process deletes per minute, and the maximum number of other records that it checks for that. 0 deletes nothing: use it after a restore that the services can't notice, until legal holds are set again.",
    600,
    { min: 0, max: 100_000 },
  ),
  ...sealSettings,
  ...mailSettings,
  ABUSE_CONTACT: abuseSetting,
};

/** Throws a ConfigError that lists every problem. */
export function configFromEnv(env: Environment): SignConfig {
  const values = readSettings(settings, env);
  return {
    databaseUrl: freshSetting("DATABASE_URL", values, env),
    databaseRole: values.DATABASE_ROLE,
    masterKey: values.SIGN_MASTER_KEY,
    poolSize: values.DATABASE_POOL_SIZE,
    intakeProcesses: values.INTAKE_PROCESSES,
    intakeProcessesKept: values.INTAKE_PROCESSES_KEPT,
    intakeMemoryMb: values.INTAKE_MEMORY_MB,
    retentionPerMinute: values.RETENTION_PER_MINUTE,
    mail: mailServerOf(values, env),
    abuseContact: values.ABUSE_CONTACT,
    seal: sealFilesOf(values, env),
    tsa: sealStampsOf(values, egressOf(values, env)),
  };
}
