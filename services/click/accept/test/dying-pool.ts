import type pg from "pg";

/** Whether the server does not get the statement at all, or only its answer is lost. */
export type When = "before" | "after";

export interface DyingPool {
  readonly pool: pg.Pool;
  /** Whether the statement was reached. */
  hasDied(): boolean;
}

/** A pool of which the connection that is given the n-th statement is killed by the server. */
export function poolThatDies(
  pool: pg.Pool,
  superuser: pg.Pool,
  { statement, when }: { readonly statement: number; readonly when: When },
): DyingPool {
  let statements = 0;
  const connect = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const kill = () => superuser.query("select pg_terminate_backend($1, 5000)", [rows[0]?.pid]);
    return replace(client, "query", async (...values: unknown[]): Promise<unknown> => {
      statements += 1;
      const isTheOne = statements === statement;
      if (isTheOne && when === "before") await kill();
      const result: unknown = await Reflect.apply(client.query, client, values);
      if (!isTheOne || when === "before") return result;
      await kill();
      throw new Error("Connection terminated unexpectedly");
    });
  };
  const query = async (...values: unknown[]): Promise<unknown> => {
    const client = await connect();
    try {
      const result: unknown = await Reflect.apply(client.query, client, values);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
  return { pool: replace(replace(pool, "connect", connect), "query", query), hasDied: () => statements >= statement };
}

const replace = <T extends object>(object: T, member: keyof T, value: unknown): T =>
  new Proxy(object, {
    get: (target, name) => {
      if (name === member) return value;
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
