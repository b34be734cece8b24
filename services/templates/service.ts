import type { Pool } from "pg";
import { createPool, observePool } from "#platform/db/pool.ts";
import { createRelay } from "#platform/outbox/relay.ts";
import type { Runtime, Service } from "#platform/service.ts";
import type { TemplatesConfig } from "./config.ts";
import { createCheckPool, usualCheckLimits } from "./content-check/check-pool.ts";
import { createContentChecker } from "./content-check/content-checker.ts";
import { templatesRoutes } from "./rpc/index.ts";
import { createTemplatesOrm, schema } from "./store/orm.ts";

/** Templates, their versions and their immutable revisions. Does not need the database before the first call. */
export async function createTemplatesService(
  config: TemplatesConfig,
  { runtime }: { runtime: Runtime },
): Promise<Service> {
  const { bus, clock, logger, metrics, newId, tracer } = runtime;
  const observe = (pool: Pool): void => observePool(pool, "templates", metrics, tracer);
  const { orm, resolverPool, relayPool } = connect(config, observe);
  for (const one of [resolverPool, relayPool]) observe(one);
  const relay = createRelay({ pool: relayPool, schema, service: "templates", bus, clock, logger, metrics });
  const checkLimits = config.checkLimits ?? usualCheckLimits;
  const checkPool = createCheckPool(checkLimits);
  const checker = createContentChecker({ pool: checkPool, clock, logger });
  const wakeRelay = () => relay.wake();
  return {
    name: "templates",
    routes: templatesRoutes({ orm, resolverPool, checker, checkLimits, logger, clock, newId, wakeRelay }),
    workers: [relay],
    checkReady: async () => {
      // Fails as well while the schema is not migrated.
      await orm.em.fork().execute("select from templates.revision, templates.deployment_snapshot limit 0");
      await resolverPool.query("select organization_id from templates.version limit 0");
    },
    close: async () => {
      await Promise.all([orm.close(), resolverPool.end(), relayPool.end(), checkPool.close()]);
    },
  };
}

const relayConnections = 2;

/** Management and resolution have connections of their own, so that neither can starve the other. */
function connect(config: TemplatesConfig, onPool: (pool: Pool) => void) {
  const { databaseUrl: url, poolSize = 10 } = config;
  const role = config.databaseRole || "assent_templates";
  const as = (suffix: string) => (role === "-" ? {} : { role: role + suffix });
  const resolving = Math.max(1, Math.floor((poolSize - relayConnections) / 2));
  const managing = Math.max(1, poolSize - relayConnections - resolving);
  return {
    orm: createTemplatesOrm({ url, ...as(""), max: managing, onPool }),
    resolverPool: createPool({ url, ...as("_resolver"), max: resolving, name: "templates-resolver" }),
    relayPool: createPool({
      url,
      ...as("_relay"),
      max: relayConnections,
      synchronousCommit: false,
      name: "templates-relay",
    }),
  };
}
