import type pg from "pg";

/** Rows that are made from one that the product wrote itself, so that they have its columns and its sizes. */
export interface RowCopies {
  readonly table: string;
  /** Finds the row to copy. */
  readonly where: string;
  /** Values of $1, $2, … of `where`. */
  readonly values: readonly unknown[];
  /** SQL for what differs: `p` is the row that is copied, `n` the number of the copy. */
  readonly changes: Readonly<Record<string, string>>;
  /** SQL that is evaluated once for each copy; changes, and those after it, may use it by its name. */
  readonly computed?: Readonly<Record<string, string>>;
  /** The order to insert a piece in, when it is not that of the numbers: that of the primary key makes random keys cheap. */
  readonly orderBy?: string;
}

export interface CopyRange {
  readonly from: number;
  /** Included. */
  readonly to: number;
}

/** Inserts the copies of a range with one statement. */
export async function copyRows(client: pg.ClientBase, copies: RowCopies, range: CopyRange): Promise<void> {
  const { table, where, values, changes, computed = {}, orderBy } = copies;
  const columns = await columnsOf(client, table);
  const selected = columns.map((column) => changes[column] ?? `p."${column}"`);
  const first = values.length + 1;
  const { rowCount } = await client.query(
    `insert into ${table} (${columns.map((column) => `"${column}"`).join(", ")})
     select ${selected.join(", ")}
     from (select * from ${table} where ${where} limit 1) p,
          generate_series($${first}::bigint, $${first + 1}::bigint) n
          ${Object.entries(computed).map(onceSql).join(" ")}
     ${orderBy === undefined ? "" : `order by ${orderBy}`}`,
    [...values, range.from, range.to],
  );
  if (rowCount !== range.to - range.from + 1)
    throw new Error(`${table} has no row to copy, or not all copies were made`);
}

/** The offset keeps the planner from evaluating it wherever it is used. */
const onceSql = ([name, sql]: [string, string]): string =>
  `cross join lateral (select ${sql} as ${name} offset 0) as once_${name}`;

async function columnsOf(client: pg.ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity <> 'a' order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Runs the work without the indexes of a table and builds them afterwards: many times faster for random keys. */
export async function withoutIndexes(client: pg.ClientBase, table: string, work: () => Promise<void>): Promise<void> {
  const constraints = await definitions(
    client,
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
     from pg_constraint where conrelid = $1::regclass and contype in ('p', 'u')`,
    table,
  );
  const indexes = await definitions(
    client,
    `select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make
     from pg_index i where indrelid = $1::regclass
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    table,
  );
  for (const { drop } of [...constraints, ...indexes]) await client.query(drop);
  await work();
  for (const { make } of [...constraints, ...indexes]) await client.query(make);
}

interface Definition {
  readonly drop: string;
  readonly make: string;
}

const definitions = async (client: pg.ClientBase, sql: string, table: string): Promise<Definition[]> =>
  (await client.query<Definition>(sql, [table])).rows;
