import { MikroORM } from "@mikro-orm/postgresql";
import type pg from "pg";
import { identifier, literal } from "#platform/db/ddl.ts";
import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { allMigrations } from "../../dev/migrations.ts";

/** What the migrations of now do, statement by statement: needs no pg_dump, and makes the roles as well. */
export async function schemaSql(databaseUrl: string): Promise<string> {
  const orm = new MikroORM({ clientUrl: databaseUrl, entities: [], discovery: { warnWhenNoEntities: false } });
  try {
    const parts: string[] = [];
    for (const service of allMigrations) parts.push(await statementsOf(orm, service));
    return parts.join("");
  } finally {
    await orm.close();
  }
}

async function statementsOf(orm: MikroORM, { schema, list }: ServiceMigrations): Promise<string> {
  const statements = [`create schema ${identifier(schema)}`, historyTable(schema)];
  for (const { class: MigrationOf } of list) {
    const migration = new MigrationOf(orm.em.getDriver(), orm.config);
    await migration.up();
    // All of it is run at once, where nothing can be made concurrently; on empty tables it is the same.
    statements.push(
      ...migration.getQueries().map((query) => String(query).replace(/\bindex concurrently\b/gi, "index")),
    );
  }
  return `-- ${schema}\n${statements.map((statement) => `${statement.trim().replace(/;$/, "")};\n`).join("")}`;
}

/** As the migrator makes it. */
const historyTable = (schema: string): string =>
  `create table ${identifier(schema)}.migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp)`;

export interface Rows {
  readonly sql: string;
  /** Tables that nothing was put into. */
  readonly empty: readonly string[];
}

const schemas = allMigrations.map(({ schema }) => schema);

/** Every row of every table as a statement, and how far the sequences are. The pool must see all rows. */
export async function rowsSql(superuser: Pick<pg.Pool, "query">): Promise<Rows> {
  const { rows: tables } = await superuser.query<Table>(tablesSql, [schemas]);
  const lines: string[] = [];
  const empty: string[] = [];
  for (const table of tables) {
    const found = await rowsOf(superuser, table);
    if (found.length === 0) empty.push(table.name);
    lines.push(...found);
  }
  const { rows: sequences } = await superuser.query<{ name: string; at: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as at
     from pg_sequences where schemaname = any($1) and last_value is not null order by 1`,
    [schemas],
  );
  lines.push(...sequences.map(({ name, at }) => `select setval(${literal(name)}, ${at});`));
  return { sql: lines.map((line) => `${line}\n`).join(""), empty };
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Without the columns that the database computes. */
const tablesSql = `
  select format('%I.%I', n.nspname, c.relname) as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where n.nspname = any($1) and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  group by 1 order by 1`;

async function rowsOf(superuser: Pick<pg.Pool, "query">, { name, columns }: Table): Promise<string[]> {
  const values = columns.map((column) => `quote_nullable(${column}::text)`).join(" || ', ' || ");
  const { rows } = await superuser.query<{ values: string }>(`select ${values} as values from ${name} order by 1`);
  const into = `insert into ${name} (${columns.join(", ")}) overriding system value values`;
  return rows.map((row) => `${into} (${row.values});`);
}
