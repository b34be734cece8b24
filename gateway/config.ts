import {
  booleanSetting,
  ConfigError,
  type Environment,
  type FreshText,
  freshText,
  integerSetting,
  listSetting,
  readSettings,
  type Setting,
  type SettingValues,
  secretSetting,
  stringSetting,
  urlSetting,
} from "#platform/config.ts";
import { type Egress, egressOf, egressSettings } from "#platform/net/egress-proxy.ts";
import {
  createNamedReceivers,
  type NamedReceivers,
  namedReceiversSetting,
  privateReceiversSetting,
} from "#platform/net/receiver-settings.ts";
import { abuseSetting, commonSettings, freshSetting } from "#platform/service-settings.ts";
import { watchFile } from "#platform/watched-file.ts";
import type { GrpcConfig } from "./grpc/listen-grpc.ts";
import { type ClientMap, parseClientMap } from "./grpc/public-rpcs.ts";
import type { ProviderSettings } from "./oidc/identity-provider.ts";

export interface GatewayConfig {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly databaseUrl: FreshText;
  /** Empty or absent means assent_gateway; "-" stays the login role. */
  readonly databaseRole?: string;
  readonly poolSize?: number;
  readonly issuer: string;
  readonly audience: string;
  readonly trustedProxies: readonly string[];
  /** How many requests one address may send in 60 s; 0 for no limit. */
  readonly floodGuardRequests?: number;
  /** The API's public address without a trailing slash; if empty or absent, that of each request. */
  readonly publicUrl?: string;
  /** The identity provider offered beside the password. */
  readonly oidc?: ProviderSettings | undefined;
  /** Where the public RPCs are served; not at all when absent. */
  readonly grpc?: GrpcConfig | undefined;
  /** Of those who report mails that came back; no reports are taken when it is absent or empty. */
  readonly mailReportsSecret?: FreshText;
  /** The proxy of the operator's network; absent: directly. */
  readonly egress?: Egress | undefined;
  /** Where abuse is reported; pages have no link when it is absent or empty. */
  readonly abuseContact?: string;
  /** Whether webhooks may use http and private addresses. */
  readonly allowPrivateReceivers?: boolean;
  /** Receivers of the operator's own network that customers may name. */
  readonly privateReceivers?: NamedReceivers | undefined;
  /** The built embed script; where the build leaves it when absent. */
  readonly embedScriptFile?: string;
  /** The folder with the built verifier of evidence; where the build leaves it when absent. */
  readonly verifierFolder?: string;
  /** The folder with the built signing page; where the build leaves it when absent. */
  readonly signingPageFolder?: string;
  /** The folder with the built dashboard; where the build leaves it when absent. */
  readonly dashboardFolder?: string;
  /** Whether the gateway does not start without the embed script, the verifier, the signing page and the dashboard. */
  readonly requireEmbedScript?: boolean;
}

export const defaultFloodGuardRequests = 300_000;

/** Its value is the text, so that nothing but the file is read again. */
const clientsSetting: Setting<string> = {
  ...stringSetting(
    'What callers may do that have a certificate, as JSON by a DNS name or URI in it: {"spiffe://example.org/ns/shop/sa/checkout":{"client":"checkout","organizations":["…"],"scopes":["click:accept"]}}. A file (GRPC_CLIENTS_FILE) is read again every 10 s.',
    "",
  ),
  parse: (text) => {
    parseClientMap(text);
    return text;
  },
};

const reportsSecretSetting: Setting<string> = {
  ...secretSetting(
    "What mail servers and mail services report mails with that came back, in the address PUBLIC_URL/mail/reports/SECRET (docs/mail.md): 32 to 200 letters, digits, - and _. Empty takes no reports. A file (MAIL_REPORTS_SECRET_FILE) is read again with each report.",
    "",
  ),
  parse: (text) => {
    if (text !== "" && !/^[\w-]{32,200}$/.test(text)) throw new Error("must be 32 to 200 letters, digits, - and _");
    return text;
  },
};

// The gateway serves no RPCs and no events.
const { RPC_HOST: _host, RPC_PORT: _port, NATS_URL: _bus, ADMIN_TOKEN: _token, ...withoutRpc } = commonSettings;

export const settings = {
  ...withoutRpc,
  DATABASE_POOL_SIZE: { ...commonSettings.DATABASE_POOL_SIZE, fallback: 4 },
  HOST: stringSetting("The address that the public API listens on.", "0.0.0.0"),
  PORT: integerSetting("The port of the public API; 0 takes a free one.", 8080, { min: 0, max: 65_535 }),
  AUTH_TARGET: stringSetting(
    "Where the auth service answers gRPC: host:port, or dns:///name:port of a headless Service.",
  ),
  TEMPLATES_TARGET: stringSetting("Where the templates service answers gRPC."),
  CLICK_TARGET: stringSetting("Where the click service answers gRPC."),
  DOCGEN_TARGET: stringSetting("Where the docgen service answers gRPC."),
  SIGN_TARGET: stringSetting("Where the sign service answers gRPC."),
  WEBHOOKS_TARGET: stringSetting("Where the webhooks service answers gRPC."),
  WEBHOOKS_ALLOW_PRIVATE: privateReceiversSetting,
  WEBHOOKS_PRIVATE_RECEIVERS: namedReceiversSetting,
  ...egressSettings,
  TOKEN_ISSUER: stringSetting("The iss claim that access tokens must have; the same as in the auth service.", "assent"),
  TOKEN_AUDIENCE: stringSetting(
    "The aud claim that access tokens must have; the same as in the auth service.",
    "assent-api",
  ),
  TRUSTED_PROXIES: listSetting(
    "Addresses or networks (CIDR) of proxies whose X-Forwarded-For is trusted, comma-separated. If empty, none is trusted: behind a proxy, the proxy's address is then recorded as the caller's.",
    [],
  ),
  FLOOD_GUARD_REQUESTS: integerSetting(
    "Requests one address may send in 60 s, counted by each gateway process; IPv6 addresses count by their /64. 0 turns the guard off. Behind a proxy that is not in TRUSTED_PROXIES all clients are one address.",
    defaultFloodGuardRequests,
    { min: 0, max: 1_000_000_000 },
  ),
  PUBLIC_URL: urlSetting(
    "Where clients reach the API, for links such as renderUrl: https://api.example.com. If empty, the scheme and host of each request are used, as far as TRUSTED_PROXIES can report them.",
    "",
  ),
  GRPC_PORT: integerSetting(
    "The port that programs outside of the installation call the public RPCs at (docs/grpc.md); 0 serves none.",
    0,
    { min: 0, max: 65_535 },
  ),
  GRPC_HOST: stringSetting("The address that it listens on.", "0.0.0.0"),
  GRPC_TLS_CERT_FILE: stringSetting("PEM file of its certificate. Empty means gRPC without TLS.", ""),
  GRPC_TLS_KEY_FILE: stringSetting("PEM file of the certificate's private key.", ""),
  GRPC_TLS_CA_FILE: stringSetting(
    "PEM file of the authorities that certificates of callers come from. Empty asks callers for none: they need a token.",
    "",
  ),
  GRPC_CLIENTS: clientsSetting,
  GRPC_REFLECTION: booleanSetting(
    "Whether tools such as grpcurl can discover the public RPCs and messages at GRPC_PORT. No credential is needed for that.",
    false,
  ),
  OIDC_ISSUER: urlSetting(
    "An OpenID Connect provider for signing in to the dashboard: https://login.example.com, exactly as it names itself. Empty: none. It speaks for all organizations: it can sign in every user whose email address it says it has verified.",
    "",
  ),
  OIDC_CLIENT_ID: stringSetting("The client ID of this installation at the provider. Required with OIDC_ISSUER.", ""),
  OIDC_CLIENT_SECRET: secretSetting(
    "The secret of that client. Empty for a public client, which has PKCE alone. A file (OIDC_CLIENT_SECRET_FILE) is read again with each sign-in.",
    "",
  ),
  OIDC_NAME: stringSetting("The provider's name on the sign-in page: “Sign in with …”.", "SSO"),
  MAIL_REPORTS_SECRET: reportsSecretSetting,
  ABUSE_CONTACT: abuseSetting,
  NODE_ENV: stringSetting(
    "With production the gateway does not start when the embed script, the verifier of evidence or the signing page was not built.",
    "",
  ),
};

/** Throws a ConfigError that lists every problem. */
export function configFromEnv(env: Environment): GatewayConfig {
  const values = readSettings(settings, env);
  return {
    host: values.HOST,
    port: values.PORT,
    databaseUrl: freshSetting("DATABASE_URL", values, env),
    databaseRole: values.DATABASE_ROLE,
    poolSize: values.DATABASE_POOL_SIZE,
    issuer: values.TOKEN_ISSUER,
    audience: values.TOKEN_AUDIENCE,
    trustedProxies: values.TRUSTED_PROXIES,
    floodGuardRequests: values.FLOOD_GUARD_REQUESTS,
    publicUrl: values.PUBLIC_URL.replace(/\/+$/, ""),
    oidc: oidcOf(values, env),
    grpc: grpcOf(values, env),
    mailReportsSecret: freshText("MAIL_REPORTS_SECRET", env, {
      ...{ parse: reportsSecretSetting.parse, first: values.MAIL_REPORTS_SECRET },
    }),
    egress: egressOf(values, env),
    abuseContact: values.ABUSE_CONTACT,
    allowPrivateReceivers: values.WEBHOOKS_ALLOW_PRIVATE,
    privateReceivers: createNamedReceivers(values.WEBHOOKS_PRIVATE_RECEIVERS),
    requireEmbedScript: values.NODE_ENV === "production",
  };
}

type GrpcValues = Record<
  "GRPC_HOST" | "GRPC_TLS_CERT_FILE" | "GRPC_TLS_KEY_FILE" | "GRPC_TLS_CA_FILE" | "GRPC_CLIENTS",
  string
> & { readonly GRPC_PORT: number; readonly GRPC_REFLECTION: boolean };

function grpcOf(values: GrpcValues, env: Environment): GrpcConfig | undefined {
  const { GRPC_TLS_CERT_FILE: cert, GRPC_TLS_KEY_FILE: key, GRPC_TLS_CA_FILE: authorities } = values;
  if (values.GRPC_PORT === 0) return undefined;
  if ((cert === "") !== (key === "")) {
    throw new ConfigError(["GRPC_TLS_CERT_FILE and GRPC_TLS_KEY_FILE must be set together"]);
  }
  if (cert === "" && authorities !== "")
    throw new ConfigError(["GRPC_TLS_CERT_FILE is required with GRPC_TLS_CA_FILE"]);
  if (authorities === "" && values.GRPC_CLIENTS !== "") {
    throw new ConfigError(["GRPC_TLS_CA_FILE is required with GRPC_CLIENTS"]);
  }
  const tls = cert === "" ? undefined : { cert, key, clientAuthorities: authorities === "" ? undefined : authorities };
  return {
    ...{ host: values.GRPC_HOST, port: values.GRPC_PORT, tls, reflection: values.GRPC_REFLECTION },
    clients: clientsOf(values.GRPC_CLIENTS, env),
  };
}

function clientsOf(text: string, env: Environment): () => ClientMap {
  const path = env.GRPC_CLIENTS_FILE;
  if (!env.GRPC_CLIENTS && path) return watchFile({ path, parse: parseClientMap });
  const clients = parseClientMap(text);
  return () => clients;
}

interface OidcValues extends SettingValues<typeof egressSettings> {
  readonly OIDC_ISSUER: string;
  readonly OIDC_CLIENT_ID: string;
  readonly OIDC_CLIENT_SECRET: string;
  readonly OIDC_NAME: string;
}

function oidcOf(values: OidcValues, env: Environment): ProviderSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = values;
  if (issuer === "") return undefined;
  const problems = [
    ...(clientId === "" ? ["OIDC_CLIENT_ID is required with OIDC_ISSUER"] : []),
    ...(isTrustedWay(new URL(issuer)) ? [] : ["OIDC_ISSUER must be an https: address"]),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  const { parse } = settings.OIDC_CLIENT_SECRET;
  const clientSecret = freshText("OIDC_CLIENT_SECRET", env, { parse, first: values.OIDC_CLIENT_SECRET });
  return { issuer, clientId, clientSecret, name: values.OIDC_NAME, egress: egressOf(values, env) };
}

/** Plain http is only allowed on the same machine, for evaluation. */
const isTrustedWay = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname));
