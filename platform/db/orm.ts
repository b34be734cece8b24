import {
  type AnyEntity,
  type EntityClass,
  type EntityManager,
  type EntitySchema,
  MikroORM,
} from "@mikro-orm/postgresql";
import type pg from "pg";
import { textNow } from "../config.ts";
import { isUuid, type OrgId } from "../ids.ts";
import {
  followLogin,
  type Opened,
  type PoolOptions,
  releaseBrokenConnections,
  requireCommitted,
  startupOptions,
} from "./pool.ts";

export { isTransient, isUniqueViolation } from "./errors.ts";

export type Entities = readonly (string | EntityClass<AnyEntity> | EntitySchema)[];

export interface OrmOptions<E extends Entities> extends PoolOptions {
  /** The service's Postgres schema; entities do not repeat it. */
  readonly schema: string;
  readonly entities: E;
  /** Receives the pool, to measure it. */
  readonly onPool?: ((pool: pg.Pool) => void) | undefined;
}

/**
 * An ORM for the service's schema, with createPool's start-up options. Connects on first use. Do not annotate
 * the type of the variable that holds it: only the inferred type makes `em.getKysely()` typed.
 */
export function createOrm<const E extends Entities>(options: OrmOptions<E>) {
  return new MikroORM({
    clientUrl: textNow(options.url),
    schema: options.schema,
    entities: [...options.entities] as unknown as E,
    pool: { max: options.max ?? 10 },
    driverOptions: {
      application_name: options.name,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      pipeline: true,
      // Kysely names tables without a schema.
      options: `${startupOptions(options)} -c search_path=${options.schema}`,
      onPoolCreated: (pool: pg.Pool) => {
        releaseBrokenConnections(pool);
        followLogin(pool, options.url);
        options.onPool?.(pool);
        shortenTransactions(pool);
      },
    },
    // Schema changes come only from numbered migrations. The debug log is off because it would show parameters.
    debug: false,
    metadataCache: { enabled: false },
  });
}

/** A Tenant for code that uses an entity manager. */
export interface OrmTenant<EM extends EntityManager = EntityManager> extends Opened {
  readonly orgId: OrgId;
  readonly em: EM;
}

/**
 * Runs `work` with its own entity manager in one transaction that only sees and writes rows of this
 * organization. Flushes and commits when `work` resolves. Rolls back when it rejects, or when it swallowed a
 * database error.
 */
export async function withOrgEm<EM extends EntityManager, T>(
  orm: { readonly em: EM },
  orgId: OrgId,
  work: (tenant: OrmTenant<EM>) => Promise<T>,
): Promise<T> {
  if (!isUuid(orgId)) throw new TypeError("the organization id is not a UUID");
  const fork = orm.em.fork() as EM;
  return fork.transactional(async (em) => {
    await em.execute("select set_config('app.org_id', ?, true)", [orgId]);
    const result = await work({ orgId, em } as OrmTenant<EM>);
    await em.flush();
    return result;
  });
}

type Query = (...args: readonly unknown[]) => Promise<pg.QueryResult>;

/**
 * Kysely waits for the answer to BEGIN, which says nothing: here it goes out together with the statement behind it, whose
 * answer tells of both. A COMMIT that rolled back is a failure.
 */
function shortenTransactions(pool: pg.Pool): void {
  pool.on("connect", (client) => {
    const target = client as unknown as { query: Query };
    const query = target.query.bind(client);
    let beginning: Promise<pg.QueryResult> | undefined;
    target.query = (...args) => {
      const [text] = args;
      const isCalledBack = typeof args.at(-1) === "function";
      if (isCalledBack || typeof text !== "string") return query(...args);
      if (text === "begin") {
        beginning = query(text);
        beginning.catch(() => {});
        return Promise.resolve(begun);
      }
      const both = Promise.all([query(...args), beginning]);
      beginning = undefined;
      return both.then(([answer]) => (text === "commit" ? requireCommitted(answer) : answer));
    };
  });
}

const begun: pg.QueryResult = { command: "BEGIN", rowCount: null, rows: [], fields: [], oid: 0 };
