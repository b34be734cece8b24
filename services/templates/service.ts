import { createClient, type Transport } from "@connectrpc/connect";
import type { Pool } from "pg";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { observePool } from "#platform/db/observe-pool.ts";
import { createPool } from "#platform/db/pool.ts";
import { createDestroyerPool, destruction } from "#platform/destroy-tables.ts";
import { createRelay } from "#platform/outbox/relay.ts";
import type { Runtime, Service } from "#platform/service.ts";
import { type TemplatesConfig, usualScreenshotBytes } from "./config.ts";
import { createCheckPool, usualCheckLimits } from "./content-check/check-pool.ts";
import { createContentChecker } from "./content-check/content-checker.ts";
import { createPublisher } from "./rpc/due-publications.ts";
import { templatesRoutes } from "./rpc/index.ts";
import { exportWithFiles } from "./rpc/screenshots.ts";
import { createFileSweeper } from "./rpc/unused-files.ts";
import { createTemplatesOrm, schema } from "./store/orm.ts";

export interface TemplatesServiceDeps {
  readonly runtime: Runtime;
  /** Reaches the sign service, which checks files that become texts. */
  readonly sign: Transport;
}

/** Templates, their versions and their immutable revisions. Does not need the database before the first call. */
export async function createTemplatesService(
  config: TemplatesConfig,
  { runtime, sign }: TemplatesServiceDeps,
): Promise<Service> {
  const { bus, clock, logger, metrics, newId, tracer } = runtime;
  const observe = (pool: Pool): void => observePool(pool, "templates", metrics, tracer);
  const { orm, readerPool, resolverPool, exportPool, destroyerPool, relayPool } = connect(config, observe);
  const pools = [readerPool, resolverPool, exportPool, destroyerPool, relayPool];
  for (const one of pools) observe(one);
  const relay = createRelay({ pool: relayPool, schema, service: "templates", bus, clock, logger, metrics });
  const checkLimits = config.checkLimits ?? usualCheckLimits;
  const checkPool = createCheckPool(checkLimits);
  const checker = createContentChecker({ pool: checkPool, clock, logger });
  const wakeRelay = () => relay.wake();
  const pdfs = createClient(SignService, sign);
  const { screenshotBytes = usualScreenshotBytes } = config;
  const common = { orm, resolverPool, checker, logger, clock, newId, wakeRelay };
  const publisher = createPublisher({ ...common, bus, tracer });
  const fileSweeper = createFileSweeper(common);
  const wakePublisher = () => publisher.wake();
  return {
    name: "templates",
    routes: templatesRoutes({ ...common, readerPool, checkLimits, pdfs, screenshotBytes, wakePublisher }),
    internalRoutes: (router) => {
      router.service(PersonalDataService, {
        ...exportWithFiles(exportPool),
        ...destruction({
          ...{ pool: destroyerPool, schema },
          held: {
            pool: exportPool,
            sql: "select from templates.template where organization_id = $1 and policy_flags @> '{\"legalHold\": true}' limit 1",
          },
        }),
      });
    },
    workers: [relay, publisher, fileSweeper],
    checkReady: async () => {
      // Fails as well while the schema is not migrated.
      await orm.em
        .fork()
        .execute(
          "select from templates.revision, templates.publication_rules, templates.screenshot, templates.named_screenshot, templates.file limit 0",
        );
      await resolverPool.query(
        "select v.organization_id, s.publish_at, f.look_at from templates.version v, templates.scheduled_publication s, templates.file f limit 0",
      );
    },
    close: async () => {
      await Promise.all([orm.close(), ...pools.map((one) => one.end()), checkPool.close()]);
    },
  };
}

const relayConnections = 2;

/** Management, reading and resolution have connections of their own, so that none can starve another. */
function connect(config: TemplatesConfig, onPool: (pool: Pool) => void) {
  const { databaseUrl: url, poolSize = 10 } = config;
  const role = config.databaseRole || "assent_templates";
  const as = (suffix: string) => (role === "-" ? {} : { role: role + suffix });
  // Both take a statement or two at a time, and none of them waits for a lock.
  const resolving = Math.max(1, Math.floor((poolSize - relayConnections) / 4));
  const reading = resolving;
  const managing = Math.max(1, poolSize - relayConnections - resolving - reading);
  return {
    orm: createTemplatesOrm({ url, ...as(""), max: managing, onPool }),
    readerPool: createPool({ url, ...as(""), max: reading, name: "templates-reader" }),
    resolverPool: createPool({ url, ...as("_resolver"), max: resolving, name: "templates-resolver", plansOnce: true }),
    // Connects only while the organization is exported.
    exportPool: createPool({ url, ...as(""), max: 1, name: "templates-export" }),
    // Connects only while an organization is deleted.
    destroyerPool: createDestroyerPool({ url, ...as("_destroyer"), name: "templates-destroyer" }),
    relayPool: createPool({
      url,
      ...as("_relay"),
      max: relayConnections,
      synchronousCommit: false,
      plansOnce: true,
      name: "templates-relay",
    }),
  };
}
