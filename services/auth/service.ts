import { createPool } from "#platform/db/pool.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import { parseMasterKey } from "#platform/secrets.ts";
import type { Runtime, Service } from "#platform/service.ts";
import type { AuthConfig } from "./config.ts";
import { deriveKeys } from "./domain/secrets.ts";
import { createKeyring } from "./keyring.ts";
import { adminRoutes, tokenRoutes } from "./rpc/index.ts";
import { createAuthOrm } from "./store/orm.ts";
import { createUsageLog } from "./usage.ts";
import { purge } from "./workers/purge.ts";

const keyRefreshMs = 5_000;
const purgeMs = 10 * 60_000;

/** Tokens, keys, and the organizations they belong to. Does not need the database before the first call. */
export async function createAuthService(config: AuthConfig, { runtime }: { runtime: Runtime }): Promise<Service> {
  const { clock, logger, newId } = runtime;
  const keys = deriveKeys(parseMasterKey(config.masterKey));
  const { orm, lookup, janitor } = connect(config);
  const keyring = createKeyring({ orm, lookup, kek: keys.signingKeyKek, clock, logger });
  const issuer = { issuer: config.issuer, audience: config.audience };
  const usage = createUsageLog({ janitor, clock, logger });
  const deps = { orm, lookup, keys, keyring, issuer, usage, clock, newId };
  return {
    name: "auth",
    routes: tokenRoutes(deps),
    adminRoutes: adminRoutes(deps),
    workers: [
      createPeriodicWorker({ name: "auth-keys", everyMs: keyRefreshMs, logger, run: keyring.refresh }),
      createPeriodicWorker({
        name: "auth-purge",
        everyMs: purgeMs,
        logger,
        run: () => purge({ janitor, clock, logger }),
      }),
      usage.worker,
    ],
    checkReady: async () => {
      await lookup.query("select 1");
      await keyring.jwks();
    },
    close: async () => {
      await Promise.all([orm.close(), lookup.end(), janitor.end()]);
    },
  };
}

/** Look-ups get most connections: they are on the path of every token and key. */
function connect(config: AuthConfig) {
  const { databaseUrl: url, poolSize = 10 } = config;
  const role = config.databaseRole || "assent_auth";
  const as = (suffix: string) => (role === "-" ? {} : { role: role + suffix });
  const managing = Math.max(1, Math.floor(poolSize / 3));
  return {
    orm: createAuthOrm({ url, ...as(""), max: managing, name: "auth" }),
    lookup: createPool({ url, ...as("_lookup"), max: Math.max(1, poolSize - managing - 1), name: "auth-lookup" }),
    janitor: createPool({ url, ...as("_janitor"), max: 1, name: "auth-janitor" }),
  };
}
