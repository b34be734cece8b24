import type { Pool } from "pg";
import { observePool } from "#platform/db/observe-pool.ts";
import { createPool } from "#platform/db/pool.ts";
import { createDestroyerPool } from "#platform/destroy-tables.ts";
import { type ConsumerWorker, createConsumer } from "#platform/events/consume.ts";
import { createSmtpMailer, type MailSetup } from "#platform/mail/mail-settings.ts";
import { createHashKey } from "#platform/master-keys/hash-key.ts";
import { createResealer } from "#platform/master-keys/reseal.ts";
import { createRelay } from "#platform/outbox/relay.ts";
import { createPasswordStretcher } from "#platform/password-stretcher.ts";
import { createPeriodicWorker, type QueueWorker } from "#platform/periodic.ts";
import { afterChanges } from "#platform/rpc/routes.ts";
import { parseMasterKeys } from "#platform/secrets.ts";
import type { Runtime, Service } from "#platform/service.ts";
import { createSeedVault } from "#platform/vault/seed-vault.ts";
import { type AuthConfig, usualListDays } from "./config.ts";
import { createDeletionWorker } from "./deletion/deletion-worker.ts";
import { deriveKeys, sealedColumns } from "./domain/secrets.ts";
import { createKeyring, findFormerHashKey } from "./keyring.ts";
import { operatorPage } from "./operator-page.ts";
import { createErasureList } from "./privacy/erasure-list.ts";
import { createErasureWorker } from "./privacy/erasure-worker.ts";
import { createScheduleWorker } from "./privacy/export-schedules.ts";
import { createExportWorker, type ExportPart } from "./privacy/export-worker.ts";
import { createHolders, type HolderTransports } from "./privacy/holders.ts";
import { adminRoutes, internalRoutes, peopleRoutes, tokenRoutes } from "./rpc/index.ts";
import { createAuthOrm } from "./store/orm.ts";
import { createUsageLog } from "./usage.ts";
import { applyEndpointDisabled, createMailWorker, endpointDisabledSubject } from "./workers/mails.ts";
import { purge } from "./workers/purge.ts";

const keyRefreshMs = 5_000;
const purgeMs = 10 * 60_000;
const dayMs = 86_400_000;

export interface AuthServiceDeps {
  readonly runtime: Runtime;
  /** Reach the services that keep something of people. */
  readonly holders: HolderTransports;
  /** In place of a mail server; closed with the service. */
  readonly mail?: MailSetup | undefined;
  /** How much an archive of an export may have; what the format allows when absent. */
  readonly exportPart?: ExportPart | undefined;
}

/** Tokens, keys, people, and the organizations they belong to. Does not need the database before the first call. */
export async function createAuthService(config: AuthConfig, deps: AuthServiceDeps): Promise<Service> {
  const { bus, clock, logger, metrics, newId, tracer } = deps.runtime;
  const masterKeys = parseMasterKeys(config.masterKey);
  const observe = (pool: Pool): void => observePool(pool, "auth", metrics, tracer);
  const { orm, lookup, people, janitor, relayPool, resealerPool, eraserPool, removerPool, destroyerPool } = connect(
    config,
    observe,
  );
  const pools = [lookup, people, janitor, relayPool, resealerPool, eraserPool, removerPool, destroyerPool];
  for (const one of pools) observe(one);
  const hashKey = createHashKey({
    ...{ pool: people, schema: "auth", masterKeys, logger },
    findFormer: () => findFormerHashKey(lookup, masterKeys),
  });
  await hashKey.load().catch((error: unknown) => logger.debug({ err: error }, "the key of the hashes is read later"));
  const keys = deriveKeys(masterKeys, hashKey.value);
  const vault = createSeedVault("auth", masterKeys, hashKey.value);
  const resealer = createResealer({
    ...{ service: "auth", schema: "auth", pool: people, resealerPool, masterKeys, logger },
    columns: sealedColumns(masterKeys, keys, vault),
  });
  const keyring = createKeyring({ orm, lookup, kek: keys.signingKeyKek, clock, logger });
  const issuer = { issuer: config.issuer, audience: config.audience };
  const usage = createUsageLog({ janitor, clock, logger });
  const mail = deps.mail ?? configuredMail(config);
  const mails = mail && createMailWorker({ people, janitor, keys, mail, clock, newId, logger, bus });
  const notices = mails && createNotices(deps.runtime, people, mails);
  const shared = {
    ...{ orm, lookup, janitor, people, eraserPool, removerPool, keys, keyring, issuer, usage, mail, clock, newId },
    passwords: createPasswordStretcher(config.argon2),
    publicUrl: () => publicUrlOf(config, mail),
    wakeMails: () => mails?.wake(),
    vault,
    wakeExports: (): void => exports.wake(),
    wakeErasures: (): void => erasing.wake(),
    holders: createHolders(deps.holders),
    erasureList: config.erasureList ? createErasureList(config.erasureList, keys.erasureKek) : undefined,
  };
  const exports = createExportWorker({ ...shared, logger, bus, part: deps.exportPart });
  const erasing = createErasureWorker({ ...shared, logger, bus });
  const relay = createRelay({ pool: relayPool, schema: "auth", service: "auth", bus, clock, logger, metrics });
  return {
    name: "auth",
    routes: (router) => {
      tokenRoutes(shared)(router);
      afterChanges(peopleRoutes(shared), relay.wake)(router);
    },
    internalRoutes: internalRoutes(shared),
    adminRoutes: afterChanges(adminRoutes(shared), relay.wake),
    adminPage: operatorPage,
    workers: [
      relay,
      createPeriodicWorker({ name: "auth-keys", everyMs: keyRefreshMs, logger, run: keyring.refresh }),
      createPeriodicWorker({
        name: "auth-purge",
        everyMs: purgeMs,
        logger,
        run: async () => {
          await purge({ janitor, clock, logger });
          const { erasureListDays = usualListDays } = config;
          await shared.erasureList?.removeBefore(new Date(clock.now().getTime() - erasureListDays * dayMs));
        },
      }),
      exports,
      createScheduleWorker({ ...shared, logger }),
      usage.worker,
      hashKey.worker,
      resealer.worker,
      erasing,
      createDeletionWorker({ ...shared, destroyerPool, logger }),
      ...[mails, notices].filter((worker) => worker !== undefined),
    ],
    resealer,
    deadEvents: notices === undefined ? [] : [notices.deadEvents],
    checkReady: async () => {
      await lookup.query("select 1");
      // Fails while the schema is not migrated.
      await people.query("select from auth.user_account limit 0");
      await keyring.jwks();
      await hashKey.load();
    },
    close: async () => {
      await mail?.mailer.close();
      await Promise.all([orm.close(), ...pools.map((pool) => pool.end())]);
    },
  };
}

/** Where no mails are sent, nobody waits for what others tell of. */
function createNotices(runtime: Runtime, people: Pool, mails: QueueWorker): ConsumerWorker {
  const { bus, clock, logger, metrics, newId } = runtime;
  return createConsumer({
    ...{ bus, pool: people, schema: "auth", durable: "auth-endpoint-notices", subjects: [endpointDisabledSubject] },
    ...{
      concurrency: 1,
      apply: applyEndpointDisabled({ clock, newId }),
      onApplied: mails.wake,
      clock,
      logger,
      metrics,
    },
  });
}

function configuredMail({ mail }: AuthConfig): MailSetup | undefined {
  return mail && { mailer: createSmtpMailer(mail), publicUrl: () => mail.publicUrl };
}

/** Empty while it is not known: links begin with their path then. */
function publicUrlOf({ publicUrl }: AuthConfig, mail: MailSetup | undefined): string {
  if (publicUrl) return publicUrl;
  try {
    return mail?.publicUrl() ?? "";
  } catch {
    return "";
  }
}

/** Look-ups get most connections: they are on the path of every token, key and session. */
function connect(config: AuthConfig, onPool: (pool: Pool) => void) {
  const { databaseUrl: url, poolSize = 10 } = config;
  const role = config.databaseRole || "assent_auth";
  const as = (suffix: string) => (role === "-" ? {} : { role: role + suffix });
  const managing = Math.max(1, Math.floor(poolSize / 5));
  const ofPeople = Math.max(1, Math.floor((poolSize * 3) / 10));
  const looking = Math.max(1, poolSize - managing - ofPeople - 2);
  return {
    orm: createAuthOrm({ url, ...as(""), max: managing, name: "auth", onPool }),
    people: createPool({ url, ...as(""), max: ofPeople, name: "auth-people" }),
    lookup: createPool({ url, ...as("_lookup"), max: looking, name: "auth-lookup" }),
    janitor: createPool({ url, ...as("_janitor"), max: 1, name: "auth-janitor" }),
    relayPool: createPool({
      url,
      ...as("_relay"),
      max: 1,
      synchronousCommit: false,
      plansOnce: true,
      name: "auth-relay",
    }),
    // Connects only while the master key is replaced.
    resealerPool: createPool({ url, ...as("_resealer"), max: 1, name: "auth-resealer" }),
    // Connects only while somebody is erased.
    eraserPool: createPool({ url, ...as("_eraser"), max: 1, name: "auth-eraser" }),
    // Connects only while lines of the audit trail are deleted.
    removerPool: createPool({ url, ...as("_remover"), max: 1, name: "auth-remover" }),
    // Connects only while an organization is deleted.
    destroyerPool: createDestroyerPool({ url, ...as("_destroyer"), name: "auth-destroyer" }),
  };
}
