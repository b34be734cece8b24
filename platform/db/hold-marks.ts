import { DomainError, fromConnectError } from "../errors.ts";
import { forceOrgIsolationSql, identifier } from "./ddl.ts";
import { isLockFailure } from "./errors.ts";
import type { Tenant } from "./pool.ts";

// Legal holds are kept by the sign service, and what they keep is deleted by others. Whoever deletes asks for the holds first,
// and is told with the answer how many the organization has ever set: the mark. Before a new hold is answered, every
// service has noted the new mark. A deletion that has asked before either has committed by then, or finds that its mark is
// too old and asks again.

/** The table of the marks, for a migration. The readers delete; the writer also notes. */
export const holdMarksSql = (schema: string, writer: string, ...readers: readonly string[]): string[] => {
  const table = `${identifier(schema)}.hold_mark`;
  return [
    `create table ${table} (organization_id uuid primary key, mark bigint not null)`,
    `comment on table ${table} is
      'How many legal holds the organization has ever set, as far as this service was told: nothing is deleted by whoever knows of fewer.'`,
    ...forceOrgIsolationSql(table),
    `grant select, insert, update (mark) on ${table} to ${identifier(writer)}`,
    ...readers.map((role) => `grant select on ${table} to ${identifier(role)}`),
  ];
};

const lockName = (schema: string, { orgId }: Tenant): string => `${schema}.hold_mark ${orgId}`;

/**
 * Whoever deletes calls this before it locks anything else in the transaction, and deletes in the same one: noting a mark
 * waits for the transaction. Taken after a row, that wait could be a deadlock. Throws HOLDS_CHANGED when there are holds
 * that the caller does not know.
 */
export async function shareHolds(tenant: Tenant, schema: string, mark: number): Promise<void> {
  await tenant.client.query("select pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [lockName(schema, tenant)]);
  // A statement of its own: the one that waited for the lock does not see what was committed meanwhile.
  const { rows } = await tenant.client.query<{ mark: string }>(
    `select mark from ${identifier(schema)}.hold_mark where organization_id = $1`,
    [tenant.orgId],
  );
  if (mark < Number(rows[0]?.mark ?? 0)) throw new DomainError("HOLDS_CHANGED");
}

/** Resolves when every deletion is over that knows of fewer holds. Marks only rise, in whichever order they are noted. */
export async function noteHolds(
  transaction: (work: (tenant: Tenant) => Promise<void>) => Promise<void>,
  schema: string,
  mark: number,
  signal?: AbortSignal,
): Promise<void> {
  await untilLocked(signal, () =>
    transaction(async (tenant) => {
      await tenant.client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [lockName(schema, tenant)]);
      await tenant.client.query(
        `insert into ${identifier(schema)}.hold_mark as m (organization_id, mark) values ($1, $2)
           on conflict (organization_id) do update set mark = greatest(m.mark, excluded.mark)`,
        [tenant.orgId, mark],
      );
    }),
  );
}

/** Does the transaction again until it gets its locks or the call ends: a statement gives up sooner than a long deletion. */
export async function untilLocked<T>(signal: AbortSignal | undefined, transaction: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await transaction();
    } catch (error) {
      if (!isLockFailure(error) || signal?.aborted === true) throw error;
    }
  }
}

const mostRounds = 5;

/** Asks for the holds, then deletes with the mark of the answer; asks again when there is another hold by then. */
export async function withHolds<Holds extends { readonly mark: number }, T>(
  ask: () => Promise<Holds>,
  deletes: (holds: Holds) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round += 1) {
    const holds = await ask();
    try {
      return await deletes(holds);
    } catch (error) {
      if (round === mostRounds || fromConnectError(error)?.code !== "HOLDS_CHANGED") throw error;
    }
  }
}
