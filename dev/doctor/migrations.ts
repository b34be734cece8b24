import { identifier } from "#platform/db/ddl.ts";
import { allMigrations } from "../migrations.ts";
import type { Query } from "./finding.ts";
import { type Finding, notice, ok, skipped, wrong } from "./finding.ts";
import type { Installation } from "./installation.ts";

interface HistoryTable {
  readonly schema: string;
  readonly readable: boolean;
}

/** Whether the schemas of these processes are as this release needs them. Only the owner may read which are applied. */
export async function checkMigrations(installation: Installation, query: Query): Promise<Finding[]> {
  const expected = allMigrations.filter(({ schema }) => installation.has(schema));
  const tables = await query<HistoryTable & Record<string, unknown>>(
    `select n.nspname as schema,
       pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_table_privilege(c.oid, 'select') as readable
     from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
     where c.relname = 'migration' and c.relkind = 'r' and n.nspname = any($1)`,
    [expected.map(({ schema }) => schema)],
  );
  const known = new Map(tables.map((table) => [table.schema, table]));
  const missing = expected.filter(({ schema }) => !known.has(schema)).map(({ schema }) => schema);
  if (missing.length > 0) {
    return [wrong("migrations", `there is no schema for ${missing.join(", ")}`, migrateFirst)];
  }
  const hidden = tables.filter(({ readable }) => !readable).map(({ schema }) => schema);
  if (hidden.length > 0) {
    return [
      skipped("migrations", `this login may not read which are applied to ${hidden.join(", ")}; the owner's login may`),
    ];
  }
  const found: Finding[] = [];
  for (const { schema, list } of expected) found.push(...(await compare(query, schema, list)));
  return found.length > 0 ? found : [ok("migrations", "all of this release are applied")];
}

const migrateFirst = "Run npm run migrate with the owner's DATABASE_URL before the processes start.";

async function compare(
  query: Query,
  schema: string,
  list: readonly { readonly name: string }[],
): Promise<readonly Finding[]> {
  const applied = await query<{ name: string }>(`select name from ${identifier(schema)}.migration`);
  const done = new Set(applied.map(({ name }) => name));
  const known = new Set(list.map(({ name }) => name));
  const pending = list.filter(({ name }) => !done.has(name)).map(({ name }) => name);
  const unknown = [...done].filter((name) => !known.has(name));
  return [
    ...(pending.length > 0 ? [wrong("migrations", `${schema} lacks ${pending.join(", ")}`, migrateFirst)] : []),
    ...(unknown.length > 0
      ? [
          notice(
            "migrations",
            `${schema} has ${unknown.join(", ")}, which this release does not know`,
            "The database is newer. Only the release before it may still run on it: docs/releasing.md.",
          ),
        ]
      : []),
  ];
}
