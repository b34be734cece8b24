import { createHmac } from "node:crypto";
import type { Interceptor } from "@connectrpc/connect";
import { InstallationService } from "#gen/assent/operations/v1/installation_pb.ts";
import {
  ConfigError,
  type Environment,
  type FreshText,
  freshText,
  integerSetting,
  listSetting,
  type Setting,
  type SettingValues,
  secretSetting,
  stringSetting,
  urlSetting,
} from "./config.ts";
import type { Logger } from "./logger.ts";
import { isEmailAddress } from "./mail/mail.ts";
import {
  createInternalTokens,
  type InternalTokens,
  parseAdminTokens,
  parseInternalKeys,
  requireKnownCaller,
} from "./rpc/callers.ts";
import type { RpcRoutes } from "./rpc/routes.ts";
import type { TlsFiles } from "./rpc/tls.ts";
import { tracingSettings } from "./tracing/settings.ts";
import { watchFile } from "./watched-file.ts";

/** Its value is the text, so that nothing but the file is read again. */
const internalKeysSetting: Setting<string> = {
  ...secretSetting(
    "The keys that the processes of one installation prove themselves to each other with, each at least 32 random bytes in base64, separated by commas: the first one signs, all of them verify. The same in every process, and required without RPC_TLS_CERT_FILE. A file (INTERNAL_TOKEN_KEYS_FILE) is read again every 10 s.",
    "",
  ),
  parse: (text) => {
    parseInternalKeys(text);
    return text;
  },
};

const adminTokenSetting: Setting<string> = {
  ...secretSetting(
    "The bearer tokens of RPCs on the admin port, separated by commas: each with the name of whoever has it before it (ann:TOKEN), which then stands in logs and audit trails, or without; /view behind the name (ann/view:TOKEN) is for an operator who looks and changes nothing. A file (ADMIN_TOKEN_FILE) is read again with each call. Empty turns these RPCs off.",
    "",
  ),
  parse: (text) => {
    parseAdminTokens(text);
    return text;
  },
};

const port = { min: 0, max: 65_535 };

/** Settings that every service process has; spread into the service's own settings. */
export const commonSettings = {
  DATABASE_URL: urlSetting(
    "The Postgres database. The service does not start without it. A file (DATABASE_URL_FILE) is read again for each new connection, and when a login was refused.",
    undefined,
    { secret: true },
  ),
  DATABASE_ROLE: stringSetting(
    "The database role to take on after login. Empty means assent_<service>; '-' stays the login role, which must then obey row-level security itself.",
    "",
  ),
  DATABASE_POOL_SIZE: integerSetting(
    "Database connections per process. Too few make requests wait, too many exhaust the database.",
    10,
    { min: 1, max: 1000 },
  ),
  RPC_HOST: stringSetting("The address that gRPC listens on.", "0.0.0.0"),
  RPC_PORT: integerSetting("The port that gRPC listens on; 0 takes a free one.", 50_051, port),
  ADMIN_HOST: stringSetting(
    "The address of the admin port (health, metrics, RPCs as JSON). Anyone who reaches it can read health and metrics.",
    "127.0.0.1",
  ),
  ADMIN_PORT: integerSetting("The admin port; 0 takes a free one.", 9090, port),
  ADMIN_TOKEN: adminTokenSetting,
  NATS_URL: secretSetting(
    "The NATS servers, comma-separated: nats://user:password@host:4222, or tls://…?ca=/path/of/authority.pem for TLS (without ca the authorities that Node trusts). Empty is possible only in the single process, which has its own bus.",
    "",
  ),
  LOG_LEVEL: stringSetting("trace, debug (one line per RPC), info, warn, error or silent.", "info"),
  RPC_TLS_CERT_FILE: stringSetting("PEM file of this process's certificate. Empty means gRPC without TLS.", ""),
  RPC_TLS_KEY_FILE: stringSetting("PEM file of the certificate's private key.", ""),
  RPC_TLS_CA_FILE: stringSetting("PEM file of the authority that both sides' certificates must come from.", ""),
  RPC_OWN_NAMES: listSetting(
    "DNS names or URIs (SPIFFE ids) in the certificates of the processes of this installation, comma-separated. Anyone with such a certificate can act for every organization.",
    ["auth", "click", "convert", "docgen", "gateway", "sign", "templates", "webhooks"],
  ),
  INTERNAL_TOKEN_KEYS: internalKeysSetting,
  ...tracingSettings,
};

type FreshSettings = Pick<SettingValues<typeof commonSettings>, "DATABASE_URL" | "ADMIN_TOKEN" | "NATS_URL">;

/** One that may be replaced in its file while the process runs. */
export const freshSetting = <K extends keyof FreshSettings>(
  name: K,
  values: Pick<FreshSettings, K>,
  env: Environment,
): FreshText => freshText(name, env, { parse: commonSettings[name].parse, first: values[name] });

/** TLS of the RPC wire as the settings say; undefined when it is off. Throws a ConfigError when it is half on. */
export function tlsFromSettings(
  settings: Pick<SettingValues<typeof commonSettings>, "RPC_TLS_CERT_FILE" | "RPC_TLS_KEY_FILE" | "RPC_TLS_CA_FILE">,
): TlsFiles | undefined {
  const { RPC_TLS_CERT_FILE: cert, RPC_TLS_KEY_FILE: key, RPC_TLS_CA_FILE: ca } = settings;
  if (cert === "" && key === "" && ca === "") return undefined;
  if (cert !== "" && key !== "" && ca !== "") return { cert, key, ca };
  throw new ConfigError(["RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE must be set together"]);
}

/** How a process proves itself to others of the installation, and whom it takes calls from. */
export interface RpcWire {
  readonly tls: TlsFiles | undefined;
  readonly tokens: InternalTokens | undefined;
  /** Refuses whoever is no process of the installation. */
  readonly callers: Interceptor;
}

type WireSettings = Parameters<typeof tlsFromSettings>[0] &
  Pick<SettingValues<typeof commonSettings>, "RPC_OWN_NAMES" | "INTERNAL_TOKEN_KEYS">;

/** TLS of the RPC wire. Throws a ConfigError when nothing would tell our processes from others. */
export function requireProof(settings: WireSettings): TlsFiles | undefined {
  const tls = tlsFromSettings(settings);
  if (tls === undefined && settings.INTERNAL_TOKEN_KEYS === "") {
    throw new ConfigError(["INTERNAL_TOKEN_KEYS is required without RPC_TLS_CERT_FILE"]);
  }
  return tls;
}

/** Throws a ConfigError when nothing would tell our processes from others. */
export function wireFromSettings(settings: WireSettings, env: Environment, logger?: Logger): RpcWire {
  const tls = requireProof(settings);
  const keys = internalKeys(settings.INTERNAL_TOKEN_KEYS, env, logger);
  const tokens = keys && createInternalTokens({ keys, now: Date.now });
  const ownNames = new Set(tls === undefined ? [] : settings.RPC_OWN_NAMES);
  return { tls, tokens, callers: requireKnownCaller({ tokens, ownNames }) };
}

function internalKeys(text: string, env: Environment, logger?: Logger): (() => readonly Buffer[]) | undefined {
  if (text === "") return undefined;
  const path = env.INTERNAL_TOKEN_KEYS_FILE;
  if (!env.INTERNAL_TOKEN_KEYS && path) return watchFile({ path, parse: parseSomeKeys, logger });
  const keys = parseInternalKeys(text);
  return () => keys;
}

function parseSomeKeys(text: string): Buffer[] {
  const keys = parseInternalKeys(text);
  if (keys.length === 0) throw new Error("there is no key in it");
  return keys;
}

/** What processes that disagree about it break for each other, although each of them starts. */
export const sharedSettings = ["ADMIN_TOKEN", "TOKEN_ISSUER", "TOKEN_AUDIENCE"] as const;

/** The shared settings among these values. */
export const sharedAmong = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(sharedSettings.filter((name) => name in values).map((name) => [name, String(values[name])]));

/** Tells nobody the value who does not have it already. */
export const settingFingerprint = (name: string, value: string, nonce: Uint8Array): Buffer =>
  createHmac("sha256", value).update(nonce).update(name).digest();

/** Lets the doctor find out who answers at an address, and whether it belongs to the same installation. */
export const installationRoutes =
  (service: string, shared: () => Readonly<Record<string, string>>): RpcRoutes =>
  (router) => {
    router.rpc(InstallationService.method.compareSettings, ({ nonce }) => ({
      service,
      settings: Object.entries(shared()).map(([name, value]) => ({
        ...{ name, fingerprint: settingFingerprint(name, value, nonce) },
      })),
    }));
  };

/** ABUSE_CONTACT, of all that people who are asked to agree see. */
export const abuseSetting: Setting<string> = {
  ...stringSetting(
    "Where people who are asked to agree report abuse of this installation: an email address, or an https: one, which gets ?reference= with what it is about. The signing page, the page of a link that has ended, the page of a session and mails about agreements link to it, whatever brand they have. Empty for no link.",
    "",
  ),
  parse: (text) => {
    if (text === "" || isEmailAddress(text)) return text;
    if (URL.parse(text)?.protocol === "https:") return text;
    throw new Error("must be an email address or an https: address");
  },
};

/**
 * Where somebody reports that Assent is abused: the operator's address with what it is about, or an empty text when the
 * operator has named none.
 */
export function reportUrlOf(contact: string, reference = ""): string {
  if (contact === "") return "";
  if (contact.startsWith("https:")) {
    if (reference === "") return contact;
    const url = new URL(contact);
    url.searchParams.set("reference", reference);
    return url.href;
  }
  return `mailto:${contact}?subject=${encodeURIComponent(reference === "" ? "Abuse" : `Abuse: ${reference}`)}`;
}

/** An address of the installation at another host name, which shares its scheme and port. */
export function atHost(publicUrl: string, host: string | undefined): string {
  const url = URL.parse(publicUrl);
  if (host === undefined || url === null) return publicUrl;
  url.hostname = host;
  return url.href.replace(/\/+$/, "");
}
