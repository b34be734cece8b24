import type pg from "pg";

/**
 * Gives connections that break while they are checked out back to their pool, which then drops them. Kysely, on which
 * MikroORM stands, forgets to when the rollback fails as well (kysely-org/kysely#1990): each outage would take a
 * connection per running transaction away for good, until the pool is empty.
 */
export function releaseBrokenConnections(pool: Pick<pg.Pool, "on">): void {
  const checkedOut = new WeakSet<pg.PoolClient>();
  pool.on("acquire", (client) => checkedOut.add(client));
  pool.on("release", (_error, client) => checkedOut.delete(client as pg.PoolClient));
  pool.on("connect", (client) =>
    client.once("end", () => {
      if (!checkedOut.has(client)) return;
      const release = client.release.bind(client);
      // Whoever still holds it may give it back in vain.
      client.release = () => {};
      release(true);
    }),
  );
}
