import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { CertificateFiles } from "../services/sign/seal/test-certificate.ts";
import { evidenceIssuer, type Secrets } from "./home.ts";
import { type ManagedProcess, manageProcess } from "./managed-process.ts";
import { findFreePort } from "./ports.ts";
import { makeSeal } from "./seal.ts";

export interface DistributedOptions {
  /** A login that may assume the roles of all services; the schema is already migrated. */
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly secrets: Secrets;
  /** What documents are sealed with; a new test certificate when absent. */
  readonly seal?: CertificateFiles;
  readonly logFolder: string;
  /** Port of the first gateway; 0 takes a free one. */
  readonly port: number;
  readonly gateways?: number;
  readonly auths?: number;
  readonly templates?: number;
  readonly clicks?: number;
  readonly docgens?: number;
  readonly signs?: number;
  readonly webhooks?: number;
  readonly logLevel?: string;
  /** Puts something between a service and its callers: gets the service's port, returns the port to call instead. */
  readonly interpose?: (service: string, port: number) => Promise<number>;
  /** Environment variables of single processes, over those that all have: gets the name of the process. */
  readonly environmentOf?: (process: string) => Readonly<Record<string, string>>;
}

export interface Distributed {
  readonly baseUrls: readonly string[];
  /** Of the first process of the auth service. */
  readonly adminUrl: string;
  /** Of the first process of the click service. */
  readonly clickAdminUrl: string;
  /** Of the first process of the webhooks service. */
  readonly webhooksAdminUrl: string;
  readonly processes: readonly ManagedProcess[];
  /** The processes of one service, in the order they were started. */
  of(service: string): readonly ManagedProcess[];
  stop(): Promise<void>;
}

interface Placed {
  readonly process: ManagedProcess;
  /** Where its callers reach it. */
  readonly rpcPort: number;
  readonly adminPort: number;
}

const root = new URL("..", import.meta.url).pathname;
const loopback = "127.0.0.1";

/** Every service and gateway as a process of its own on this machine, with gRPC between them: as on a cluster. */
export async function startDistributed(options: DistributedOptions): Promise<Distributed> {
  mkdirSync(options.logFolder, { recursive: true });
  const place = (service: string, env: Record<string, string>) => placeService(options, service, env);

  const authEnv = { AUTH_MASTER_KEY: options.secrets.authMasterKey };
  const auths = await Promise.all(times(options.auths ?? 1, (n) => place(numbered("auth", n), authEnv)));
  const templates = await Promise.all(times(options.templates ?? 1, (n) => place(numbered("templates", n), {})));
  const docgenEnv = { AUTH_TARGET: target(auths), TEMPLATES_TARGET: target(templates) };
  const docgens = await Promise.all(times(options.docgens ?? 1, (n) => place(numbered("docgen", n), docgenEnv)));
  const clickEnv = {
    CLICK_MASTER_KEY: options.secrets.clickMasterKey,
    EVIDENCE_ISSUER: evidenceIssuer,
    TEMPLATES_TARGET: target(templates),
    DOCGEN_TARGET: target(docgens),
  };
  const clicks = await Promise.all(times(options.clicks ?? 1, (n) => place(numbered("click", n), clickEnv)));
  const { key, certificates } = options.seal ?? (await makeSeal());
  const signEnv = {
    ...{ AUTH_TARGET: target(auths), DOCGEN_TARGET: target(docgens), CLICK_TARGET: target(clicks) },
    ...{ SEAL_KEY: key, SEAL_CERTIFICATES: certificates },
  };
  const signs = await Promise.all(times(options.signs ?? 1, (n) => place(numbered("sign", n), signEnv)));
  const eventTargets = { CLICK_TARGET: target(clicks), SIGN_TARGET: target(signs) };
  const webhooksEnv = {
    ...{ WEBHOOKS_MASTER_KEY: options.secrets.webhooksMasterKey, WEBHOOKS_ALLOW_PRIVATE: "true" },
    ...eventTargets,
  };
  const webhooks = await Promise.all(times(options.webhooks ?? 1, (n) => place(numbered("webhooks", n), webhooksEnv)));
  const targets = {
    ...{ ...docgenEnv, DOCGEN_TARGET: target(docgens), ...eventTargets },
    ...{ WEBHOOKS_TARGET: target(webhooks), WEBHOOKS_ALLOW_PRIVATE: "true" },
  };
  const gateways = await Promise.all(times(options.gateways ?? 1, (n) => placeGateway(options, n, targets)));

  const placed = [...auths, ...templates, ...docgens, ...clicks, ...signs, ...webhooks, ...gateways];
  const processes = placed.map((p) => p.process);
  const stop = async (): Promise<void> => {
    for (const { process } of gateways) await process.stop();
    await Promise.all(processes.map((p) => p.stop()));
  };
  try {
    await Promise.all([...auths, ...templates].map((p) => p.process.start()));
    await Promise.all(docgens.map((p) => p.process.start()));
    await Promise.all([...clicks, ...signs, ...webhooks].map((p) => p.process.start()));
    await Promise.all(gateways.map((p) => p.process.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    baseUrls: gateways.map((p) => `http://${loopback}:${p.rpcPort}`),
    adminUrl: `http://${loopback}:${auths[0]?.adminPort}`,
    clickAdminUrl: `http://${loopback}:${clicks[0]?.adminPort}`,
    webhooksAdminUrl: `http://${loopback}:${webhooks[0]?.adminPort}`,
    processes,
    of: (service) => processes.filter((p) => p.name === service || p.name.startsWith(`${service}-`)),
    stop,
  };
}

async function placeService(options: DistributedOptions, name: string, env: Record<string, string>): Promise<Placed> {
  const ownPort = await findFreePort();
  const rpcPort = (await options.interpose?.(name, ownPort)) ?? ownPort;
  const adminPort = await findFreePort();
  const service = name.replace(/-\d+$/, "");
  const process = manageProcess({
    name,
    entry: join(root, "services", service, "main.ts"),
    env: {
      ...sharedEnv(options, adminPort),
      RPC_HOST: loopback,
      RPC_PORT: String(ownPort),
      ...env,
      ...options.environmentOf?.(name),
    },
    logFile: join(options.logFolder, `${name}.log`),
    readyUrl: `http://${loopback}:${adminPort}/readyz`,
  });
  return { process, rpcPort, adminPort };
}

async function placeGateway(options: DistributedOptions, n: number, targets: Record<string, string>): Promise<Placed> {
  const port = n === 0 && options.port !== 0 ? options.port : await findFreePort();
  const adminPort = await findFreePort();
  const name = numbered("gateway", n);
  const process = manageProcess({
    name,
    entry: join(root, "gateway", "main.ts"),
    env: {
      ...sharedEnv(options, adminPort),
      HOST: loopback,
      PORT: String(port),
      ...targets,
      ...options.environmentOf?.(name),
    },
    logFile: join(options.logFolder, `${name}.log`),
    readyUrl: `http://${loopback}:${port}/healthz`,
  });
  return { process, rpcPort: port, adminPort };
}

const sharedEnv = (options: DistributedOptions, adminPort: number): Record<string, string> => ({
  DATABASE_URL: options.databaseUrl,
  NATS_URL: options.natsUrl,
  ADMIN_HOST: loopback,
  ADMIN_PORT: String(adminPort),
  ADMIN_TOKEN: options.secrets.adminToken,
  INTERNAL_TOKEN_KEYS: options.secrets.internalTokenKeys,
  LOG_LEVEL: options.logLevel ?? "info",
});

const numbered = (name: string, n: number): string => (n === 0 ? name : `${name}-${n + 1}`);

/** A gRPC target that lists the addresses, so that the client balances over them as over a headless Service. */
const target = (placed: readonly Placed[]): string => `ipv4:${placed.map((p) => `${loopback}:${p.rpcPort}`).join(",")}`;

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
