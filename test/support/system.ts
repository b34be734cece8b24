import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import type { Environment } from "#platform/config.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, overNetwork, type TestDatabase } from "#platform/testing/database.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { createAdminTransport } from "../../dev/admin-transport.ts";
import type { AdminClient } from "../../dev/demo.ts";
import { type Distributed, type DistributedOptions, startDistributed } from "../../dev/distributed.ts";
import { openHome, type Secrets } from "../../dev/home.ts";
import { findNatsServer, type RunningNats, startNats } from "../../dev/nats.ts";
import { findFreePort } from "../../dev/ports.ts";
import {
  adminClient,
  type SingleProcess,
  type SingleProcessOptions,
  startSingleProcess,
} from "../../dev/single-process.ts";
import type { Api } from "./api.ts";
import { newOrganization, noneKept, signVaultOf } from "./copies.ts";
import { captureLines, type LogSource, readLogFolder, requireNoSecrets } from "./log-capture.ts";
import { type OtlpReceiver, startOtlpReceiver } from "./otlp-receiver.ts";
import { createSecretRegistry, noteAdmin, type SecretRegistry, watchRequests } from "./secrets.ts";

/** A running copy of the product for one test file. */
export interface System {
  readonly mode: Mode;
  readonly baseUrls: readonly string[];
  /** A superuser's view of the database, for looking into tables past row-level security. */
  readonly inspectUrl: string;
  readonly admin: AdminClient;
  /** Lets the admin commands find this copy. */
  readonly adminEnv: Environment;
  /** Where the domain events arrive. */
  readonly bus: EventBus;
  /** What people do with links to sign; in a single process only. */
  readonly signing?: Client<typeof SigningService>;
  /** Where the list of erasures is. */
  readonly erasureList: string;
  /** The same copy on another database; in a single process only. */
  startOn?(databaseUrl: string): Promise<SingleProcess>;
  /** Absent in a single process. */
  readonly distributed?: Distributed;
  readonly nats?: RunningNats;
  /** Where it keeps the streams. */
  readonly natsFolder?: string;
  /** Whatever must not be in its logs; requests of Api and of the administrator add theirs by themselves. */
  readonly secrets: SecretRegistry;
  /** The master key of the auth service, for tests that forge what it would have signed. */
  readonly authMasterKey: string;
  /** Opens what the sign service has sealed. */
  readonly signVault: SeedVault;
  /** What makes a test a process of this copy. */
  readonly internalTokenKeys: string;
  /** Where the spans of scenarios arrive that callers have marked. */
  readonly traces?: OtlpReceiver;
  /** A new organization with an API key, ready to call. */
  newOrganization(): Promise<Api>;
  /** Ends it, once. Rejects when one of the secrets is in its logs. */
  stop(): Promise<void>;
}

export type Mode = "single process" | "distributed";
export interface SystemOptions
  extends Pick<
    DistributedOptions,
    "gateways" | "clicks" | "docgens" | "signs" | "webhooks" | "interpose" | "environmentOf"
  > {
  /** How often the logs are anchored; once a minute when absent. */
  readonly anchorIntervalSeconds?: number;
  /** In a single process: how mails are sent, and where people may sign in beside with a password. */
  readonly mail?: SingleProcessOptions["mail"];
  readonly oidc?: SingleProcessOptions["oidc"];
  /** Settings of every process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether processes for documents start with the services, as they do otherwise too; else when they are needed. */
  readonly keepsProcesses?: boolean;
}

/** All that there is to say, so that a suite proves most about what is not said. */
const logLevel = "debug";

/** Runs the same suite against the single process and against separate processes with gRPC and NATS between them. */
export function describeInBothModes(name: string, suite: (mode: Mode) => void): void {
  describeIn("single process", name, () => suite("single process"));
  describeIn("distributed", name, () => suite("distributed"));
}

function describeIn(mode: Mode, name: string, suite: () => void): void {
  if (mode === "distributed") describeDistributed(name, suite);
  else describe(`${name} (single process)`, suite);
}

/** Tests of a running copy that leave it as it was for others: to start one in both modes takes longer than most of them. */
export interface Scenario {
  readonly title: string;
  readonly tests: ScenarioTests;
  /** The only mode that they need; both when absent. */
  readonly only?: Mode;
}

/** Describes tests. The copy is there as soon as they run. */
type ScenarioTests = (mode: Mode, running: () => System) => void;

export const scenario = (title: string, tests: ScenarioTests, only?: Mode): Scenario =>
  only === undefined ? { title, tests } : { title, tests, only };

/** Runs those of this mode one after the other against the same copy. */
export function describeTogether(mode: Mode, scenarios: readonly Scenario[]): void {
  describeIn(mode, "one copy of the product", () => {
    let system: System;
    let traces: OtlpReceiver | undefined;
    beforeAll(async () => {
      const copies = { gateways: 2, clicks: 2, signs: 2, keepsProcesses: true, anchorIntervalSeconds: 2 };
      if (mode === "single process") {
        system = await startSystem(mode, copies);
        return;
      }
      traces = await startOtlpReceiver();
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20key-of-the-collector",
        // Only what callers have marked is recorded.
        OTEL_TRACES_SAMPLER_ARG: "0",
      };
      const door = { GRPC_PORT: String(await findFreePort()) };
      const environmentOf = (process: string): Record<string, string> => (process === "gateway" ? door : {});
      system = { ...(await startSystem(mode, { ...copies, environment, environmentOf })), traces };
    });
    afterAll(async () => {
      await system?.stop();
      await traces?.close();
    });
    for (const { title, tests } of scenarios.filter(({ only = mode }) => only === mode)) {
      describe(title, () => tests(mode, () => system));
    }
  });
}

/** Needs nats-server: skipped with one line where it is missing, an error in CI. */
export function describeDistributed(name: string, suite: () => void): void {
  const title = `${name} (distributed)`;
  if (findNatsServer() !== undefined) {
    describe(title, suite);
  } else if (process.env.CI === "true") {
    test(title, () => {
      throw new Error("nats-server is missing and CI must not skip");
    });
  } else {
    process.stderr.write(`skipped without nats-server: ${title}\n`);
    describe.skip(title, suite);
  }
}

export async function startSystem(mode: Mode, options: SystemOptions = {}): Promise<System> {
  const system = await (mode === "distributed" ? startSeparate(options) : startSingle(options));
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await system.stop();
  };
  return { ...system, stop };
}

async function startSingle({ anchorIntervalSeconds, mail, oidc, environment }: SystemOptions): Promise<System> {
  const folder = mkdtempSync(join(tmpdir(), "assent-test-"));
  const database = await createTestDatabase();
  const { secrets } = openHome({ ASSENT_HOME: folder });
  const registry = registryOf(secrets, database);
  const lines = captureLines();
  const logger = createLogger("test", logLevel, lines);
  const startOn = (databaseUrl: string): Promise<SingleProcess> =>
    startSingleProcess({
      databaseUrl,
      natsUrl: "",
      host: "127.0.0.1",
      port: 0,
      secrets,
      logger,
      oidc,
      ...(mail === undefined ? {} : { mail }),
      env: {
        ERASURE_LIST: join(folder, "erasures"),
        LOG_WITNESS: join(folder, "log-witness"),
        ...environment,
        ...(anchorIntervalSeconds === undefined ? {} : { ANCHOR_INTERVAL_SECONDS: String(anchorIntervalSeconds) }),
      },
    });
  const running = await startOn(database.url);
  running.open();
  const admin = adminClient(noteAdmin(running.admin, registry));
  const baseUrl = `http://127.0.0.1:${running.port}`;
  watchRequests([baseUrl], registry);
  return {
    mode: "single process",
    baseUrls: [baseUrl],
    inspectUrl: database.superuserUrl,
    admin,
    adminEnv: { ASSENT_ADMIN_URL: running.adminUrl, ASSENT_ADMIN_TOKEN: secrets.adminToken },
    bus: running.bus,
    signing: createClient(SigningService, running.sign),
    erasureList: join(folder, "erasures"),
    startOn,
    secrets: registry,
    authMasterKey: secrets.authMasterKey,
    signVault: signVaultOf(secrets),
    internalTokenKeys: secrets.internalTokenKeys,
    newOrganization: () => newOrganization(admin, baseUrl),
    stop: async () => {
      await running.stop();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
      requireNoSecrets([{ name: "the log", text: lines.text() }], registry);
    },
  };
}

async function startSeparate({
  anchorIntervalSeconds,
  mail: _mail,
  oidc: _oidc,
  environment,
  keepsProcesses = false,
  environmentOf,
  ...options
}: SystemOptions): Promise<System> {
  const folder = mkdtempSync(join(tmpdir(), "assent-test-"));
  const database = await createTestDatabase();
  const home = openHome({ ASSENT_HOME: folder });
  const nats = await startNats({ storeDir: join(folder, "nats"), logFile: join(folder, "nats.log") });
  if (nats === undefined) throw new Error("nats-server is missing");
  const registry = registryOf(home.secrets, database);
  const distributed = await startDistributed({
    databaseUrl: overNetwork(database.url),
    natsUrl: nats.url,
    secrets: home.secrets,
    logFolder: home.logFolder,
    port: 0,
    logLevel,
    ...options,
    // Starts one more process where it is named.
    env: { OFFICE_PROGRAM: environment?.OFFICE_PROGRAM },
    environmentOf: (process) => ({
      ...(keepsProcesses ? {} : noneKept(process)),
      ...(process === "auth" ? { ERASURE_LIST: join(folder, "erasures") } : {}),
      ...(process.startsWith("click") ? { LOG_WITNESS: "nats" } : {}),
      ...environment,
      ...environmentOf?.(process),
      ...(process.startsWith("click") && anchorIntervalSeconds !== undefined
        ? { ANCHOR_INTERVAL_SECONDS: String(anchorIntervalSeconds) }
        : {}),
    }),
  });
  const admin = adminClient(noteAdmin(createAdminTransport(distributed.adminUrl, home.secrets.adminToken), registry));
  watchRequests(distributed.baseUrls, registry);
  const bus = createNatsBus({ url: nats.url, logger: createLogger("test", "error") });
  return {
    mode: "distributed",
    baseUrls: distributed.baseUrls,
    inspectUrl: database.superuserUrl,
    admin,
    adminEnv: {
      ASSENT_ADMIN_URL: distributed.adminUrl,
      ASSENT_CLICK_ADMIN_URL: distributed.clickAdminUrl,
      ASSENT_SIGN_ADMIN_URL: distributed.signAdminUrl,
      ASSENT_WEBHOOKS_ADMIN_URL: distributed.webhooksAdminUrl,
      ASSENT_ADMIN_TOKEN: home.secrets.adminToken,
    },
    bus,
    distributed,
    nats,
    natsFolder: join(folder, "nats"),
    erasureList: join(folder, "erasures"),
    secrets: registry,
    authMasterKey: home.secrets.authMasterKey,
    signVault: signVaultOf(home.secrets),
    internalTokenKeys: home.secrets.internalTokenKeys,
    newOrganization: () => newOrganization(admin, distributed.baseUrls[0] ?? ""),
    stop: async () => {
      await bus.close();
      await distributed.stop();
      await nats.stop();
      await database.drop();
      const logs: LogSource[] = [home.logFolder, folder].flatMap(readLogFolder);
      rmSync(folder, { recursive: true, force: true });
      requireNoSecrets(logs, registry);
    },
  };
}

/** With what the system itself is given. */
function registryOf(secrets: Secrets, database: TestDatabase): SecretRegistry {
  const registry = createSecretRegistry();
  registry.add("master key of auth", secrets.authMasterKey);
  registry.add("master key of click", secrets.clickMasterKey);
  registry.add("master key of sign", secrets.signMasterKey);
  registry.add("master key of webhooks", secrets.webhooksMasterKey);
  registry.add("admin token", secrets.adminToken);
  registry.add("internal token key", secrets.internalTokenKeys);
  for (const url of [database.url, database.superuserUrl]) registry.add("database password", new URL(url).password);
  return registry;
}
