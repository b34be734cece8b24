import { createClient, type Transport } from "@connectrpc/connect";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { createPostgresBlobStore } from "#platform/blobs/blob-store.ts";
import { observePool } from "#platform/db/observe-pool.ts";
import { createPool } from "#platform/db/pool.ts";
import { createDestroyerPool } from "#platform/destroy-tables.ts";
import { createSmtpMailer, type MailSetup } from "#platform/mail/mail-settings.ts";
import { createHashKey } from "#platform/master-keys/hash-key.ts";
import { createResealer } from "#platform/master-keys/reseal.ts";
import { createRelay } from "#platform/outbox/relay.ts";
import { createPasswordStretcher } from "#platform/password-stretcher.ts";
import type { QueueWorker } from "#platform/periodic.ts";
import { parseMasterKeys } from "#platform/secrets.ts";
import type { Runtime, Service } from "#platform/service.ts";
import { createSeedVault } from "#platform/vault/seed-vault.ts";
import { sealedColumns } from "./agreement/subject-keys.ts";
import { schema } from "./agreement/write-change.ts";
import type { SignConfig } from "./config.ts";
import { createAgreementFiles } from "./files/agreement-files.ts";
import { createOldFileSealer } from "./files/seal-old-files.ts";
import { personalDataRoutes, signRoutes } from "./handlers.ts";
import { createIdentityCodes } from "./identity/codes.ts";
import { createOfficeConverter } from "./intake/convert-document.ts";
import { createIntake, type Intake } from "./intake/intake.ts";
import { jobHandlers } from "./jobs/handlers.ts";
import { createJobLoop } from "./jobs/job-loop.ts";
import { createCompletionWatch, createSweeper } from "./jobs/sweep.ts";
import { createReportTokens } from "./mail/report-tokens.ts";
import { createNoticeReaders } from "./notices/readers.ts";
import { createOrganizationReader } from "./organization-reader.ts";
import { createRecordHolders, type RecordHolders } from "./retention/periods.ts";
import { createRemovalWorker } from "./retention/remover.ts";
import { configuredSealer } from "./seal/configured-sealer.ts";
import { createTextResolver, type ResolveTexts } from "./sender-domains/look-up.ts";
import { mailDomainOf } from "./sender-domains/sender-domain.ts";
import { senderKeysOf } from "./sender-domains/store.ts";
import { createSealReader } from "./verification/seal-reader.ts";
import { createWitness } from "./witness/witness.ts";

export interface SignServiceDeps {
  readonly runtime: Runtime;
  /** Connects to the auth service, which knows the organizations. */
  readonly auth: Transport;
  /** Connects to the docgen service, which renders PDFs. */
  readonly docgen: Transport;
  /** Connects to the convert service, which prints Office files; without it these are refused. */
  readonly convert?: Transport | undefined;
  /** Connects to the click service, which keeps the evidence logs. */
  readonly click: Transport;
  /** Connects to the webhooks service. This one, auth, click and docgen keep what periods are for. */
  readonly webhooks: Transport;
  /** In place of clients of these four. */
  readonly records?: RecordHolders;
  /** Replaces the service's own processes; closed with the service. */
  readonly intake?: Intake;
  /** Replaces the mail server; closed with the service. */
  readonly mail?: MailSetup | undefined;
  /** In place of the name servers of the system. */
  readonly resolveTexts?: ResolveTexts;
}

/** Combining an agreement's documents, up to 100 MB, puts them all into one message. */
export const maxMessageBytes = 112 * 1024 * 1024;

/** The e-signature service. It connects to the database on the first call. */
export async function createSignService(config: SignConfig, deps: SignServiceDeps): Promise<Service> {
  const { bus, clock, logger, metrics, newId, tracer } = deps.runtime;
  const pools = connect(config);
  const {
    pool,
    claimerPool,
    verifierPool,
    searcherPool,
    sweeperPool,
    removerPool,
    relayPool,
    eraserPool,
    resealerPool,
    destroyerPool,
  } = pools;
  const readers = { sealReader: createSealReader(), publicSealReader: createSealReader() };
  for (const one of Object.values(pools)) observePool(one, "sign", metrics, tracer);
  const relay = createRelay({ pool: relayPool, schema, service: "sign", bus, clock, logger, metrics });
  const renderer = createClient(RendererService, deps.docgen);
  const tokens = createClient(TokenService, deps.auth);
  const evidenceLog = createClient(EvidenceLogService, deps.click);
  const organizations = createOrganizationReader({ tokens, monotonic: () => performance.now(), logger });
  const office =
    deps.convert && createOfficeConverter(createClient(ConverterService, deps.convert), () => performance.now());
  const intake =
    deps.intake ?? createIntake({ ...intakeOptions(config), renderer, office, clock, logger, metrics, tracer });
  const witness = createWitness({ logger, metrics, tracer });
  const mail = deps.mail ?? configuredMail(config);
  const masterKeys = parseMasterKeys(config.masterKey);
  const hashKey = createHashKey({ pool, schema, masterKeys, logger, findFormer: async () => undefined });
  await hashKey.load().catch((error: unknown) => logger.debug({ err: error }, "the key of the hashes is read later"));
  const vault = createSeedVault("sign", masterKeys, hashKey.value);
  const blobs = createPostgresBlobStore({ pool, schema });
  const files = createAgreementFiles({ blobs, vault, logger });
  const resealer = createResealer({
    ...{ service: "sign", schema, pool, resealerPool, masterKeys, logger },
    columns: sealedColumns(masterKeys, vault),
  });
  const wakeRelay = () => relay.wake();
  const records = deps.records ?? createRecordHolders(deps);
  const shared = {
    ...{
      pool,
      files,
      intake,
      witness,
      renderer,
      organizations,
      clock,
      newId,
      logger,
      mail,
      wakeRelay,
      tracer,
    },
    ...{ ...readers, verifierPool, searcherPool, eraserPool, evidenceLog, vault, records },
    reportTokens: createReportTokens(hashKey.value),
    codes: createIdentityCodes(hashKey.value, createPasswordStretcher(config.argon2)),
    senderKeys: senderKeysOf(masterKeys),
    mailDomain: mailDomainOf(config.mail?.from ?? ""),
    resolveTexts: deps.resolveTexts ?? createTextResolver(),
    abuseContact: config.abuseContact ?? "",
    deletesNothing: config.retentionPerMinute === 0,
    sealer: configuredSealer(config, { logger, metrics }),
    wakeJobs: (): void => jobs.wake(),
  };
  const jobs: QueueWorker = createJobLoop({
    ...{ pool, claimerPool, clock, logger, tracer, bus },
    handlers: jobHandlers({ ...shared, noticeReaders: createNoticeReaders(tokens) }),
  });
  return {
    name: "sign",
    routes: signRoutes(shared),
    internalRoutes: personalDataRoutes({ ...shared, destroyerPool }),
    resealer,
    workers: [
      hashKey.worker,
      resealer.worker,
      relay,
      jobs,
      createCompletionWatch({ claimerPool, clock, logger, metrics }),
      createSweeper({ sweeperPool, clock, logger }),
      createOldFileSealer({ pool, resealerPool, files, logger }),
      createRemovalWorker({
        ...{ removerPool, blobs, records, vault, clock, newId, logger, evidenceLog },
        perMinute: config.retentionPerMinute ?? 600,
        onDeleted: () => {
          relay.wake();
          jobs.wake();
        },
      }),
    ],
    checkReady: async () => {
      if (shared.sealer === undefined) throw new Error("there is no certificate to seal with: set SEAL_KEY");
      // Also fails while the schema is not migrated. Sequentially, because closing a pool during a failed
      // connect would hang.
      await pool.query("select from sign.agreement limit 0");
      await claimerPool.query("select organization_id from sign.job limit 0");
      await verifierPool.query("select sealed_sha256 from sign.document limit 0");
      // Fails with another master key than the other processes have.
      await hashKey.load();
    },
    close: async () => {
      await intake.close();
      await witness.close();
      await mail?.mailer.close();
      await Promise.all(Object.values(readers).map((one) => one.close()));
      await Promise.all(Object.values(pools).map((one) => one.end()));
    },
  };
}

const intakeOptions = ({ intakeProcesses, intakeProcessesKept, intakeMemoryMb }: SignConfig) => ({
  size: intakeProcesses || undefined,
  kept: intakeProcessesKept,
  ...(intakeMemoryMb === undefined ? {} : { maxMemoryMb: intakeMemoryMb }),
});

function configuredMail({ mail }: SignConfig): MailSetup | undefined {
  return mail && { mailer: createSmtpMailer(mail), publicUrl: () => mail.publicUrl };
}

const relayConnections = 2;
const claimerConnections = 2;
const verifierConnections = 1;
const sweeperConnections = 1;

/**
 * Job claims, public verification and events have connections of their own, so that requests cannot starve
 * them.
 */
function connect(config: SignConfig) {
  const { databaseUrl: url, poolSize = 12 } = config;
  const role = config.databaseRole || "assent_sign";
  const as = (suffix: string) => (role === "-" ? {} : { role: role + suffix });
  const rest = poolSize - relayConnections - claimerConnections - verifierConnections - sweeperConnections;
  return {
    pool: createPool({ url, ...as(""), max: Math.max(1, rest), name: "sign" }),
    claimerPool: createPool({ url, ...as("_claimer"), max: claimerConnections, name: "sign-claimer" }),
    verifierPool: createPool({
      ...{ url, ...as("_verifier"), max: verifierConnections },
      statementTimeoutMs: 2_000,
      name: "sign-verifier",
    }),
    // Connects only where somebody searches in files.
    searcherPool: createPool({ url, ...as("_searcher"), max: 2, statementTimeoutMs: 2_000, name: "sign-searcher" }),
    sweeperPool: createPool({ url, ...as("_sweeper"), max: sweeperConnections, name: "sign-sweeper" }),
    // Connects once a minute, for as long as something is deleted.
    removerPool: createPool({ url, ...as("_remover"), max: 1, name: "sign-remover" }),
    // Connects only while somebody is erased.
    eraserPool: createPool({ url, ...as("_eraser"), max: 1, name: "sign-eraser" }),
    // Connects only while an organization is deleted.
    destroyerPool: createDestroyerPool({ url, ...as("_destroyer"), name: "sign-destroyer" }),
    // Connects only while the master key is replaced, and now and then to look for files that are still in clear.
    resealerPool: createPool({ url, ...as("_resealer"), max: 1, name: "sign-resealer" }),
    relayPool: createPool({
      ...{ url, ...as("_relay"), max: relayConnections },
      synchronousCommit: false,
      plansOnce: true,
      name: "sign-relay",
    }),
  };
}
