import { createClient, type Transport } from "@connectrpc/connect";
import type { Pool } from "pg";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { createPostgresBlobStore } from "#platform/blobs/blob-store.ts";
import { observePool } from "#platform/db/observe-pool.ts";
import { createPool } from "#platform/db/pool.ts";
import { createDestroyerPool } from "#platform/destroy-tables.ts";
import { createRelay } from "#platform/outbox/relay.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import type { Runtime, Service } from "#platform/service.ts";
import type { DocgenConfig } from "./config.ts";
import { createPlanReader } from "./plans/plan-reader.ts";
import { createTextConverter } from "./prepare/text-converter.ts";
import type { Renderer } from "./renderer/render-job.ts";
import { createRenderer } from "./renderer/renderer.ts";
import { docgenRoutes, personalDataRoutes } from "./rpc/index.ts";
import { createDocgenOrm, schema } from "./store/orm.ts";
import type { TemplateChecker } from "./templating/checked-template.ts";
import { createTemplateChecker } from "./templating/template-checker.ts";
import { createWordPrinter } from "./work/word-printer.ts";
import { createWorkLoop, type WorkTimes } from "./work/work-loop.ts";
import { type ExpireDeps, expireDocuments, sweepUsageWindows } from "./workers/expire-documents.ts";

export interface DocgenServiceDeps {
  readonly runtime: Runtime;
  /** Reaches the auth service, which knows the plans. */
  readonly auth: Transport;
  /** Reaches the templates service. */
  readonly templates: Transport;
  /** Reaches the convert service, which prints Word files; without it these are refused. */
  readonly convert?: Transport | undefined;
  /** In place of processes of its own; closed with the service. */
  readonly renderer?: Renderer;
  /** In place of threads of its own; closed with the service. */
  readonly checker?: TemplateChecker;
  /** Replaces the usual intervals of the background work. */
  readonly work?: Partial<WorkTimes>;
}

/** Documents from templates and data. Does not need the database before the first call. */
export async function createDocgenService(config: DocgenConfig, deps: DocgenServiceDeps): Promise<Service> {
  const { bus, clock, logger, metrics, newId, tracer } = deps.runtime;
  const { orm, ...pools } = connect(config, (one) => observePool(one, "docgen", metrics, tracer));
  const { pool, claimerPool, relayPool } = pools;
  for (const one of Object.values(pools)) observePool(one, "docgen", metrics, tracer);
  const relay = createRelay({ pool: relayPool, schema, service: "docgen", bus, clock, logger, metrics });
  const wakeRelay = () => relay.wake();
  const blobs = createPostgresBlobStore({ pool, schema });
  const templates = createClient(TemplatesService, deps.templates);
  const tokens = createClient(TokenService, deps.auth);
  const plans = createPlanReader({ tokens, monotonic: () => performance.now(), logger });
  const checker = deps.checker ?? createTemplateChecker({ logger });
  const renderer = deps.renderer ?? createRenderer({ ...rendererOptions(config), logger, metrics, tracer });
  const textConverter = createTextConverter();
  const shared = { pool, claimerPool, blobs, clock, newId, logger, tracer, wakeRelay };
  const word = deps.convert && createWordPrinter(createClient(ConverterService, deps.convert), () => performance.now());
  const workLoop = createWorkLoop({ ...shared, renderer, word, bus }, deps.work);
  const all = { ...shared, word, orm, templates, checker, renderer, textConverter, plans, workLoop };
  return {
    name: "docgen",
    routes: docgenRoutes(all),
    internalRoutes: personalDataRoutes({ ...all, destroyerPool: pools.destroyerPool }),
    workers: [relay, workLoop, ...sweepers(shared)],
    checkReady: async () => {
      // Fails as well while the schema is not migrated.
      // One after the other: closing a pool that is trying to connect would never end.
      await orm.em.fork().execute("select from docgen.template limit 0");
      await pool.query("select from docgen.document limit 0");
      await claimerPool.query("select organization_id from docgen.turn limit 0");
    },
    // Callers that wait for documents would hold their calls for longer than a stopping process may take.
    beginStop: () => workLoop.endWaits(),
    close: async () => {
      await Promise.all([checker.close(), renderer.close(), textConverter.close()]);
      await Promise.all([orm.close(), ...Object.values(pools).map((one) => one.end())]);
    },
  };
}

/** How late bytes may be removed; whether they have expired is computed from the time. */
const expireEveryMs = 10_000;
const sweepWindowsEveryMs = 10 * 60_000;

const sweepers = (deps: ExpireDeps): Worker[] => [
  createPeriodicWorker({
    name: "docgen-expiry",
    everyMs: expireEveryMs,
    logger: deps.logger,
    run: () => expireDocuments(deps),
  }),
  createPeriodicWorker({
    name: "docgen-windows",
    everyMs: sweepWindowsEveryMs,
    logger: deps.logger,
    run: () => sweepUsageWindows(deps),
  }),
];

const rendererOptions = ({ rendererProcesses, rendererMemoryMb, renderersKept }: DocgenConfig) => ({
  size: rendererProcesses || undefined,
  kept: renderersKept,
  ...(rendererMemoryMb === undefined ? {} : { maxMemoryMb: rendererMemoryMb }),
});

const relayConnections = 2;
const claimerConnections = 2;

/** Management, documents and the choice of the next work have separate connections, so that none starves another. */
function connect(config: DocgenConfig, onPool: (pool: Pool) => void) {
  const { databaseUrl: url, poolSize = 12 } = config;
  const role = config.databaseRole || "assent_docgen";
  const as = (suffix: string) => (role === "-" ? {} : { role: role + suffix });
  const rest = poolSize - relayConnections - claimerConnections;
  const managing = Math.max(1, Math.floor(rest / 4));
  return {
    orm: createDocgenOrm({ url, ...as(""), max: managing, onPool }),
    pool: createPool({ url, ...as(""), max: Math.max(1, rest - managing), name: "docgen" }),
    claimerPool: createPool({ url, ...as("_claimer"), max: claimerConnections, name: "docgen-claimer" }),
    // Connects only while an organization is deleted.
    destroyerPool: createDestroyerPool({ url, ...as("_destroyer"), name: "docgen-destroyer" }),
    relayPool: createPool({
      url,
      ...as("_relay"),
      max: relayConnections,
      synchronousCommit: false,
      plansOnce: true,
      name: "docgen-relay",
    }),
  };
}
