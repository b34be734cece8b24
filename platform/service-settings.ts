import { ConfigError, integerSetting, type SettingValues, secretSetting, stringSetting, urlSetting } from "./config.ts";
import type { TlsFiles } from "./rpc/tls.ts";
import { tracingSettings } from "./tracing/settings.ts";

const port = { min: 0, max: 65_535 };

/** Settings that every service process has; spread into the service's own settings. */
export const commonSettings = {
  DATABASE_URL: urlSetting("The Postgres database. The service does not start without it.", undefined, {
    secret: true,
  }),
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
  ADMIN_HOST: stringSetting("The address of the admin port (health, metrics, RPCs as JSON).", "0.0.0.0"),
  ADMIN_PORT: integerSetting("The admin port; 0 takes a free one.", 9090, port),
  ADMIN_TOKEN: secretSetting("The bearer token of RPCs on the admin port. Empty turns them off there.", ""),
  NATS_URL: stringSetting(
    "The NATS servers, comma-separated. Empty is possible only in the single process, which has its own bus.",
    "",
  ),
  LOG_LEVEL: stringSetting("trace, debug (one line per RPC), info, warn, error or silent.", "info"),
  RPC_TLS_CERT_FILE: stringSetting("PEM file of this process's certificate. Empty means gRPC without TLS.", ""),
  RPC_TLS_KEY_FILE: stringSetting("PEM file of the certificate's private key.", ""),
  RPC_TLS_CA_FILE: stringSetting("PEM file of the authority that both sides' certificates must come from.", ""),
  ...tracingSettings,
};

/** TLS of the RPC wire as the settings say; undefined when it is off. Throws a ConfigError when it is half on. */
export function tlsFromSettings(
  settings: Pick<SettingValues<typeof commonSettings>, "RPC_TLS_CERT_FILE" | "RPC_TLS_KEY_FILE" | "RPC_TLS_CA_FILE">,
): TlsFiles | undefined {
  const { RPC_TLS_CERT_FILE: cert, RPC_TLS_KEY_FILE: key, RPC_TLS_CA_FILE: ca } = settings;
  if (cert === "" && key === "" && ca === "") return undefined;
  if (cert !== "" && key !== "" && ca !== "") return { cert, key, ca };
  throw new ConfigError(["RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE must be set together"]);
}
