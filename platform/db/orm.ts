import type { AnyEntity, EntityClass, EntityManager, EntitySchema } from "@mikro-orm/postgresql";
import { MikroORM } from "@mikro-orm/postgresql";
import type pg from "pg";
import { isUuid, type OrgId } from "../ids.ts";
import { type Opened, type PoolOptions, releaseBrokenConnections, startupOptions } from "./pool.ts";

export { isTransient, isUniqueViolation } from "./errors.ts";

export type Entities = readonly (string | EntityClass<AnyEntity> | EntitySchema)[];

export interface OrmOptions<E extends Entities> extends PoolOptions {
  /** The Postgres schema of the service; entities need not repeat it. */
  readonly schema: string;
  readonly entities: E;
  /** Told of the pool, to measure it. */
  readonly onPool?: ((pool: pg.Pool) => void) | undefined;
}

/**
 * An ORM over the service's schema, with the same start-up options as createPool. Connects when first used.
 * Do not annotate the variable it is put in: the inferred type is what makes `em.getKysely()` typed.
 */
export function createOrm<const E extends Entities>(options: OrmOptions<E>) {
  return new MikroORM({
    clientUrl: options.url,
    schema: options.schema,
    entities: [...options.entities] as unknown as E,
    pool: { max: options.max ?? 10 },
    driverOptions: {
      application_name: options.name,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      // Kysely names tables without their schema.
      options: `${startupOptions(options)} -c search_path=${options.schema}`,
      onPoolCreated: (pool: pg.Pool) => {
        releaseBrokenConnections(pool);
        options.onPool?.(pool);
      },
    },
    // Schema changes come from numbered migrations alone; the debug log would show parameters.
    debug: false,
    metadataCache: { enabled: false },
  });
}

/** A Tenant where statements are made by an entity manager. */
export interface OrmTenant<EM extends EntityManager = EntityManager> extends Opened {
  readonly orgId: OrgId;
  readonly em: EM;
}

/**
 * Runs `work` with an entity manager of its own in one transaction that sees and writes rows of this organization only.
 * Flushes and commits when `work` resolves, rolls back when it rejects or has swallowed an error of the database.
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
    // Fails when an error that the work swallowed has spoiled the transaction: COMMIT would roll back in silence.
    await em.execute("select");
    return result;
  });
}
