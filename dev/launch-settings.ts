import { isIP } from "node:net";
import { join } from "node:path";
import { type Environment, readSettings, type Setting } from "#platform/config.ts";
import { commonSettings } from "#platform/service-settings.ts";
import { settings as gatewaySettings } from "../gateway/config.ts";
import { findOffice } from "../services/convert/office.ts";
import type { CertificateFiles } from "../services/sign/seal/test-certificate.ts";
import { evidenceIssuer, type Home, type Secrets } from "./home.ts";
import { settingsOfPrograms } from "./programs.ts";

/** What `npm start` and `npm run start:distributed` read beside the settings of the processes, or have other defaults for. */
export const launcherSettings: Readonly<Record<string, { readonly byDefault: string; readonly doc: string }>> = {
  PORT: { byDefault: "8080, or a free port if it is taken", doc: "The port of the API; 0 uses a free one." },
  HOST: {
    byDefault: "`127.0.0.1`",
    doc: "The address that the API listens on. A name other than localhost is not used.",
  },
  ASSENT_HOME: {
    byDefault: "`.assent`",
    doc: "The data folder: database, keys, logs, `demo.json`. Without its `secrets.json` the database can't be used.",
  },
  DATABASE_URL: {
    byDefault: "an embedded Postgres in the data folder",
    doc: "A database to use instead, with a login that owns it and can create roles.",
  },
  NATS_URL: {
    byDefault: "in memory; `start:distributed` starts nats-server",
    doc: "NATS servers to use instead.",
  },
  LOG_LEVEL: {
    byDefault: "`warn`",
    doc: "trace, debug, info, warn, error or silent. What `npm start` logs before it is ready is in `logs/start.log` of the data folder.",
  },
  SMTP_URL: {
    byDefault: "empty",
    doc: "A mail server ([mails](mail.md)). Without it, `npm start` keeps emails in a mailbox at /mailbox, and `start:distributed` sends none. If `PUBLIC_URL` is empty, links in emails lead to this instance.",
  },
  OFFICE_PROGRAM: {
    byDefault: "`soffice` on PATH",
    doc: "As below. Without LibreOffice, or with `-`, the convert service is not started, and Office files and pictures are refused.",
  },
  WEBHOOKS_ALLOW_PRIVATE: { byDefault: "`true`", doc: "As below, because the inbox is on this machine." },
  GRPC_HOST: { byDefault: "`127.0.0.1`", doc: "As below, with another default." },
};

/** What whoever starts a copy reads itself; the rest is for the processes. PORT is undefined without a wish. */
export function launchValues(env: Environment) {
  const empty = (kind: Setting<string>): Setting<string> => ({ ...kind, fallback: "" });
  const values = readSettings(
    {
      DATABASE_URL: empty(commonSettings.DATABASE_URL),
      NATS_URL: commonSettings.NATS_URL,
      LOG_LEVEL: { ...commonSettings.LOG_LEVEL, fallback: "warn" },
      PORT: { ...gatewaySettings.PORT, fallback: -1 },
    },
    env,
  );
  return { ...values, PORT: values.PORT === -1 ? undefined : values.PORT };
}

/** Read by other programs of this folder than those that start the product. */
const elsewhere = new Set(["SERVICE_LOGIN", "ASSENT_HOME"]);
const elsewherePrefixes = ["ASSENT_ADMIN_", "ASSENT_CLICK_ADMIN_", "ASSENT_SIGN_ADMIN_", "ASSENT_WEBHOOKS_ADMIN_"];

const declared: ReadonlySet<string> = new Set(settingsOfPrograms.flatMap(({ settings }) => Object.keys(settings)));

const targets: readonly string[] = [...declared].filter((name) => name.endsWith("_TARGET"));

/** What each way of starting chooses itself: where the parts find each other. */
export const decidedBySingleProcess = [
  ...targets,
  ...[...declared].filter((name) => name.startsWith("RPC_")),
  "INTERNAL_TOKEN_KEYS",
];
export const decidedByDistributed = [...targets, "RPC_HOST", "RPC_PORT", "ADMIN_HOST", "ADMIN_PORT"];

/** What a copy has of its own for settings that are required. */
export const assumedSettings = (secrets: Secrets, seal: CertificateFiles): Environment => ({
  AUTH_MASTER_KEY: secrets.authMasterKey,
  CLICK_MASTER_KEY: secrets.clickMasterKey,
  SIGN_MASTER_KEY: secrets.signMasterKey,
  WEBHOOKS_MASTER_KEY: secrets.webhooksMasterKey,
  ADMIN_TOKEN: secrets.adminToken,
  INTERNAL_TOKEN_KEYS: secrets.internalTokenKeys,
  EVIDENCE_ISSUER: evidenceIssuer,
  SEAL_KEY: seal.key,
  SEAL_CERTIFICATES: seal.certificates,
  WEBHOOKS_ALLOW_PRIVATE: "true",
  GRPC_HOST: "127.0.0.1",
});

/** The keys of a copy, with the token for its admin port that is asked for. */
export const withAdminToken = (secrets: Secrets, env: Environment): Secrets => {
  const { ADMIN_TOKEN } = readSettings({ ADMIN_TOKEN: commonSettings.ADMIN_TOKEN }, env);
  return ADMIN_TOKEN === "" ? secrets : { ...secrets, adminToken: ADMIN_TOKEN };
};

/** A copy keeps what must survive its database beside it, unless it is told another place. */
export const withKeptApart = ({ folder }: Home, env: Environment): Environment => ({
  ERASURE_LIST: join(folder, "erasures"),
  LOG_WITNESS: join(folder, "log-witness"),
  ...env,
});

/** A copy prints Office files where LibreOffice is installed. */
export const withOffice = (env: Environment): Environment => {
  const { OFFICE_PROGRAM: wish } = env;
  return { ...env, OFFICE_PROGRAM: wish === "-" ? "" : wish || findOffice(env.PATH ?? "") || "" };
};

/** Whether the variable, or the one that names a file with its value, is set to anything. */
const isSet = (env: Environment, name: string): boolean => (env[name] || env[`${name}_FILE`] || "") !== "";

/**
 * The settings of one program as this environment has them: `assumed` are for those that are not set, `decided` are
 * those that nobody else may choose.
 */
export function programEnvironment(
  program: string,
  env: Environment,
  { assumed, decided }: { assumed: Environment; decided: Environment },
): Record<string, string> {
  const names = Object.keys(settingsOfPrograms.find(({ title }) => title === program)?.settings ?? {});
  const chosen = names.flatMap((name): Array<[string, string | undefined]> => {
    if (decided[name] !== undefined) return [[name, decided[name]]];
    if (!isSet(env, name)) return [[name, assumed[name]]];
    return env[name] ? [[name, env[name]]] : [[`${name}_FILE`, env[`${name}_FILE`]]];
  });
  return Object.fromEntries(chosen.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** The address to listen on: some systems have a HOST of their own, which is a name and not meant for us. */
export const hostOf = ({ HOST: host = "" }: Environment): string =>
  isIP(host) !== 0 || host === "localhost" ? host : "127.0.0.1";

/** Where this machine reaches what listens there. */
export const reachableHost = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
};

/**
 * A line for each variable that is set and that nothing reads: a setting that this way of starting decides itself, and
 * what is called nearly like a setting or begins like one. Says names, never values.
 */
export function unreadVariables(env: Environment, command: string, decided: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => env[name] && /^[A-Z][A-Z0-9_]*$/.test(name))
    .sort()
    .flatMap((name) => {
      const setting = declared.has(name) ? name : name.replace(/_FILE$/, "");
      if (decided.includes(setting)) return [`${name} is set but not used: ${command} decides that itself`];
      if (name === "HOST" && hostOf(env) !== env.HOST) return ["HOST is set but not used: it is not an address"];
      if (declared.has(setting) || setting in launcherSettings || isElsewhere(setting)) return [];
      const meant = [...declared].find((known) => isNear(setting, known));
      if (meant !== undefined) return [`${name} is set, but nothing reads it. Is ${meant} meant?`];
      return looksOurs(setting)
        ? [`${name} is set, but nothing reads it (docs/configuration.md has all settings)`]
        : [];
    });
}

const isElsewhere = (name: string): boolean =>
  elsewhere.has(name) || elsewherePrefixes.some((prefix) => name.startsWith(prefix));

/** First words that belong to other programs as well. */
const commonWords = new Set([
  "AUTH",
  "DATABASE",
  "GRPC",
  "HOST",
  "LOG",
  "MAIL",
  "NODE",
  "OTEL",
  "PORT",
  "PUBLIC",
  "SMTP",
]);
const ourWords: ReadonlySet<string> = new Set(
  ["ASSENT", ...[...declared].map((name) => name.split("_")[0] ?? "")].filter((word) => !commonWords.has(word)),
);
const looksOurs = (name: string): boolean => name.includes("_") && ourWords.has(name.split("_")[0] ?? "");

/** One slip of the keyboard in a short name, two in a longer one. Very short names are near to everything. */
const isNear = (name: string, known: string): boolean =>
  known.length >= 7 && distance(name, known) <= (known.length >= 10 ? 2 : 1);

/** How many letters were added, left out or exchanged. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const swapped = (row[j] ?? 0) + (letter === b[j] ? 0 : 1);
      next.push(Math.min(swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
