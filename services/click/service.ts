import { createClient, type Transport } from "@connectrpc/connect";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { observePool } from "#platform/db/observe-pool.ts";
import { createPool } from "#platform/db/pool.ts";
import { createDestroyerPool } from "#platform/destroy-tables.ts";
import { createConsumer } from "#platform/events/consume.ts";
import { watchCertificates } from "#platform/gauges.ts";
import { createSmtpMailer, type MailSetup } from "#platform/mail/mail-settings.ts";
import { createHashKey } from "#platform/master-keys/hash-key.ts";
import { createResealer } from "#platform/master-keys/reseal.ts";
import { createRelay } from "#platform/outbox/relay.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import { parseMasterKeys } from "#platform/secrets.ts";
import type { Runtime, Service } from "#platform/service.ts";
import { createLogWitness } from "#platform/transparency/witness.ts";
import { acceptBodyParser } from "./accept/accept-body.ts";
import { createAcceptPath } from "./accept/accept-path.ts";
import { createRecorder } from "./accept/recorder.ts";
import { countForCampaigns } from "./campaigns/campaign-people.ts";
import { createCampaignWorker } from "./campaigns/campaign-worker.ts";
import type { ClickConfig } from "./config.ts";
import { createPurposeOffers, createTemplateOffers } from "./consent/purpose-offers.ts";
import { createCopyWorker } from "./copies/copy-worker.ts";
import { createEraser, createSetbacks, mayEraseByTime } from "./erasure/erase-due.ts";
import { createEvidencePrinter } from "./evidence/pdf/evidence-printer.ts";
import { clickRoutes, evidenceAdminRoutes, personalDataRoutes } from "./handlers.ts";
import { createEvidenceParts } from "./keys/evidence-parts.ts";
import { findFormerHashKey, sealedColumns } from "./keys/sealed-columns.ts";
import { createLogWorkers } from "./log/create-log-workers.ts";
import { createProofs } from "./log/proofs.ts";
import { createAcceptanceSource } from "./receipts/acceptance-store.ts";
import { createRendering } from "./render/render-deps.ts";
import { createStatistics, createTemplateParts } from "./stats/create-statistics.ts";
import { sweepUnlessAway } from "./sweep.ts";
import { createContentKeeper } from "./terms/content-keeper.ts";
import { applyVersionPublished, createTemplateSource, versionPublishedSubject } from "./terms/template-source.ts";
import { createKeyHasher } from "./vault/subject-vault.ts";

export interface ClickServiceDeps {
  readonly runtime: Runtime;
  /** Reaches the templates service. */
  readonly templates: Transport;
  /** Reaches the docgen service, which renders. */
  readonly docgen: Transport;
  /** Replaces the mail server; closed with the service. */
  readonly mail?: Pick<MailSetup, "mailer"> | undefined;
}

/** Sessions, acceptances, receipts and evidence. Does not need the database before the first call. */
export async function createClickService(config: ClickConfig, deps: ClickServiceDeps): Promise<Service> {
  const { bus, clock, logger, metrics, newId, tracer } = deps.runtime;
  const pools = connect(config);
  const { pool, recorderPool, relayPool, sweeperPool, integratorPool, eraserPool, resealerPool, destroyerPool } = pools;
  for (const one of Object.values(pools)) observePool(one, "click", metrics, tracer);
  watchCertificates(metrics, { log_timestamp: config.tsa?.trusted.join("\n") ?? "" });
  const relay = createRelay({ pool: relayPool, schema: "click", service: "click", bus, clock, logger, metrics });
  const wakeRelay = () => relay.wake();
  const client = createClient(TemplatesService, deps.templates);
  const templates = createTemplateSource(client);
  const content = createContentKeeper({ pool, templates: client });
  const masterKeys = parseMasterKeys(config.masterKey, { takesAnySpelling: true });
  const hashKey = createHashKey({
    ...{ pool, schema: "click", masterKeys, logger },
    findFormer: () => findFormerHashKey(pool, masterKeys),
  });
  await hashKey.load().catch((error: unknown) => logger.debug({ err: error }, "the key of the hashes is read later"));
  const keys = createKeyHasher(hashKey.value);
  const evidence = createEvidenceParts({
    ...{ pool, masterKeys, hashKey: hashKey.value, issuer: config.issuer, clock, logger },
  });
  const resealer = createResealer({
    ...{ service: "click", schema: "click", pool, resealerPool, masterKeys, logger },
    columns: sealedColumns(masterKeys, evidence.vault),
  });
  const rendering = createRendering({ pool, templates: client, ...evidence, clock });
  const renderer = createClient(RendererService, deps.docgen);
  const evidencePrinter = createEvidencePrinter({ renderer, issuer: config.issuer, logger });
  const countPeople = countForCampaigns({ vault: evidence.vault, clock });
  const statistics = createStatistics({ pool, bus, logger, metrics, tracer, alsoApply: countPeople });
  const witness = config.logWitness ? createLogWitness(config.logWitness, config.natsUrl ?? "") : undefined;
  const logs = await createLogWorkers({
    ...{ pool: integratorPool, servicePool: pool, witness },
    ...evidence,
    tsa: config.tsa,
    anchorIntervalSeconds: config.anchorIntervalSeconds,
    runtime: deps.runtime,
    wakeRelay,
  });
  const mailer = deps.mail?.mailer ?? (config.mail && createSmtpMailer(config.mail));
  const onRecorded = (organizationIds: readonly string[], hasCopies = false) => {
    wakeRelay();
    organizationIds.forEach(logs.wakeIntegrator);
    if (hasCopies) copies.wake();
  };
  const recorder = createRecorder({ pool: recorderPool, ...evidence, content, logger, onRecorded });
  const parse = acceptBodyParser();
  const acceptPath = createAcceptPath({
    pool,
    recorderPool,
    templates,
    content,
    ...rendering.parts,
    ...evidence,
    keys,
    clock,
    newId,
    logger,
    parse,
    recorder,
  });
  const purposeOffers = createPurposeOffers({ client, templates, content });
  const templateOffers = createTemplateOffers({ pool, templates, logger });
  const applyPublished = applyVersionPublished({ templates, ...evidence, newId });
  const publications = createConsumer({
    bus,
    pool,
    schema: "click",
    durable: "click-publications",
    subjects: [versionPublishedSubject],
    apply: async (...event) => {
      await logs.guard.passed();
      return applyPublished(...event);
    },
    onApplied: wakeRelay,
    logger,
    metrics,
  });
  const sweeper = createPeriodicWorker({
    name: "sweeper click",
    everyMs: sweepMs,
    logger,
    run: () => sweepUnlessAway({ pool: sweeperPool, clock, newId, logger, onSwept: wakeRelay }),
  });
  const setbacks = createSetbacks({ bus, relayPool, clock, logger, metrics });
  const campaigns = createCampaignWorker({
    ...{ pool, sweeperPool, templates, vault: evidence.vault, clock, newId, logger, wakeRelay },
    mayDeleteByTime: () => mayEraseByTime({ logGuard: logs.guard, integratorPool, setbacks }),
  });
  const onErased = (organizationId: string) => onRecorded([organizationId]);
  const eraser = createEraser({
    ...{ pool, eraserPool, integratorPool, logGuard: logs.guard, setbacks, templates },
    ...{ ...evidence, clock, newId, logger, onErased },
  });
  const shared = {
    pool,
    eraserPool,
    acceptPath,
    countItem: (code: string) => metrics.rpcItems.inc({ service: "click", method: "AcceptBatch", code }),
    findAcceptance: createAcceptanceSource(recorderPool),
    templates,
    content,
    ...rendering.parts,
    ...evidence,
    evidencePrinter,
    tsaCertificates: config.tsa?.trusted ?? [],
    keys,
    purposeOffers,
    templateOffers,
    templateParts: createTemplateParts(client),
    proofs: createProofs({ pool }),
    hasTimestampAuthority: config.tsa !== undefined,
    clock,
    newId,
    countRendering: statistics.countRendering,
    wakeRelay,
    wakeIntegrator: logs.wakeIntegrator,
    integratorPool,
    logGuard: logs.guard,
    setbacks,
  };
  const copies = createCopyWorker({ ...shared, sweeperPool, mailer, logger, bus });
  return {
    name: "click",
    routes: clickRoutes(shared),
    internalRoutes: personalDataRoutes({ ...shared, destroyerPool }),
    adminRoutes: evidenceAdminRoutes({ ...evidence, integratorPool, clock, logger, setbacks, logMemory: logs.memory }),
    deadEvents: [publications.deadEvents, statistics.deadEvents],
    resealer,
    workers: [
      ...[hashKey.worker, relay, publications, sweeper, eraser, copies, campaigns, resealer.worker],
      ...[...logs.workers, ...statistics.workers],
    ],
    checkReady: async () => {
      // Fails as well while the schema is not migrated.
      await Promise.all([
        pool.query("select from click.session limit 0"),
        recorderPool.query("select receipt_id from click.acceptance limit 0"),
        // Both fail with another master key than the other processes have.
        hashKey.load(),
        evidence.receiptKeys.all(),
      ]);
    },
    close: async () => {
      await Promise.all([rendering.close(), evidencePrinter.close(), witness?.close(), mailer?.close()]);
      await Promise.all(Object.values(pools).map((one) => one.end()));
    },
  };
}

/** Events of what time brings about come at most so much later. */
const sweepMs = 1_000;

const relayConnections = 2;
const sweeperConnections = 1;
/** Two statements of the recorder, two batches that read their sessions, and one that finds receipts. */
const recorderConnections = 5;
/** One of them is held by the process that anchors, while it does. */
const integratorConnections = 2;
/** Erasures of one process come one after the other. */
const eraserConnections = 1;
/** A person may have ten thousand records. */
const eraseStatementMs = 20_000;
const apartConnections =
  relayConnections + sweeperConnections + recorderConnections + integratorConnections + eraserConnections;

/** The recorder has connections of its own, so that nothing else can make acceptances wait. */
function connect(config: ClickConfig) {
  const { databaseUrl: url, poolSize = 14 } = config;
  const role = config.databaseRole || "assent_click";
  const as = (suffix: string) => (role === "-" ? {} : { role: role + suffix });
  return {
    pool: createPool({
      url,
      ...as(""),
      max: Math.max(1, poolSize - apartConnections),
      name: "click",
    }),
    recorderPool: createPool({
      url,
      ...as("_recorder"),
      max: recorderConnections,
      lockTimeoutMs: 1_000,
      name: "click-recorder",
    }),
    relayPool: createPool({
      url,
      ...as("_relay"),
      max: relayConnections,
      synchronousCommit: false,
      plansOnce: true,
      name: "click-relay",
    }),
    sweeperPool: createPool({ url, ...as("_sweeper"), max: sweeperConnections, name: "click-sweeper" }),
    integratorPool: createPool({ url, ...as("_integrator"), max: integratorConnections, name: "click-integrator" }),
    eraserPool: createPool({
      url,
      ...as("_eraser"),
      max: eraserConnections,
      statementTimeoutMs: eraseStatementMs,
      name: "click-eraser",
    }),
    // Connects only while an organization is deleted.
    destroyerPool: createDestroyerPool({ url, ...as("_destroyer"), name: "click-destroyer" }),
    // Connects only while the master key is replaced.
    resealerPool: createPool({ url, ...as("_resealer"), max: 1, name: "click-resealer" }),
  };
}
