import type { HandlerContext } from "@connectrpc/connect";
import type pg from "pg";
import { requireCaller } from "./caller.ts";
import { identifier } from "./db/ddl.ts";
import { type Tenant, withOrg } from "./db/pool.ts";
import { type ExportItem, exportPage, jsonFile, schemaFile } from "./export-page.ts";
import type { OrgId } from "./ids.ts";
import { maskPath } from "./logger.ts";

/** What is no record of an organization but how the service works, and what is exported otherwise. */
const technical = ["outbox", "inbox", "blob", "blob_reference", "job", "mail_job", "queue", "turn", "idempotency_key"];

/** How many records are in a file. */
const rowsOfPage = 100;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  /** Place in the primary key, from 1; null when it is not in it. */
  readonly key: number | null;
}

/** Where an export goes on. */
interface Place {
  readonly table: string;
  readonly page: number;
  /** The last record, by its key; null when all of the table was exported. */
  readonly key: readonly string[] | null;
}

const prefix = "t.";

/** Whether an item is one of those below. */
export const isOfTables = (id: string): boolean => id.startsWith(prefix);

/**
 * The next records of an organization after an item, table by table, as the role of the pool may read them. Bytes are left
 * out: they are secrets, hashes, and what is sealed; secrets in texts are masked. Undefined when there are no more.
 */
export async function nextOfTables(
  pool: pg.Pool,
  orgId: OrgId,
  schema: string,
  after: string,
  leaveOut: readonly string[] = [],
): Promise<ExportItem | undefined> {
  return withOrg(pool, orgId, async (tenant) => {
    let place = placeOf(after);
    const tables = await listTables(tenant, schema, [...technical, ...leaveOut]);
    for (const table of tables.filter((one) => one >= place.table)) {
      if (table === place.table && place.key === null) continue;
      const from = table === place.table ? place : { table, page: 0, key: [] };
      place = from;
      const item = await readPage(tenant, schema, from);
      if (item !== undefined) return item;
    }
    return undefined;
  });
}

async function readPage(tenant: Tenant, schema: string, { table, page, key }: Place): Promise<ExportItem | undefined> {
  const name = `${schema}.${table}`;
  const columns = await listColumns(tenant, name);
  const keys = columns.filter((one) => one.key !== null).sort((a, b) => (a.key ?? 0) - (b.key ?? 0));
  const shown = columns.filter(({ type }) => type !== "bytea");
  const from = `${identifier(schema)}.${identifier(table)} r`;
  const keyTexts = keys.map((one) => `to_jsonb(r.${identifier(one.name)}) #>> '{}'`);
  const isFirst = key === null || key.length === 0;
  const marks = keys.map(({ type }, index) => `$${index + 3}::text::${type}`);
  const names = keys.map((one) => `r.${identifier(one.name)}`).join(", ");
  const { rows } = await tenant.client.query<{ row: object; key: string[] }>(
    `select jsonb_build_object(${shown.map((one) => `'${one.name}', r.${identifier(one.name)}`).join(", ")}) as row,
       array[${keyTexts.join(", ")}] as key
     from ${from} where r.organization_id = $1 ${isFirst ? "" : `and (${names}) > (${marks.join(", ")})`}
     order by ${names} limit $2`,
    [tenant.orgId, rowsOfPage, ...(isFirst ? [] : key)],
  );
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const next: Place = { table, page: page + 1, key: rows.length < rowsOfPage ? null : last.key };
  const properties = Object.fromEntries(shown.map((one) => [one.name, schemaOf(one)]));
  const record = { type: "object", properties, required: shown.map((one) => one.name) };
  const number = String(page + 1).padStart(5, "0");
  return {
    id: `${prefix}${Buffer.from(JSON.stringify(next)).toString("base64url")}`,
    files: [
      schemaFile(name, `Records of ${name}`, { type: "array", items: record }),
      jsonFile(`data/${name}/${number}.json`, `${name} ${page + 1}`, () => rows.map(({ row }) => maskSecrets(row))),
    ],
  };
}

const placeOf = (after: string): Place =>
  isOfTables(after)
    ? (JSON.parse(Buffer.from(after.slice(prefix.length), "base64url").toString("utf8")) as Place)
    : { table: "", page: 0, key: [] };

async function listTables({ client }: Tenant, schema: string, leftOut: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all($2) and has_table_privilege(c.oid, 'select')
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
       and exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
     order by c.relname collate "C"`,
    [schema, leftOut],
  );
  return rows.map(({ name }) => name);
}

async function listColumns({ client }: Tenant, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select a.attname as name, format_type(a.atttypid, null) as type, col_description(a.attrelid, a.attnum) as description,
       (select k.place::int from pg_index i, unnest(i.indkey) with ordinality as k (number, place)
        where i.indrelid = a.attrelid and i.indisprimary and k.number = a.attnum) as key
     from pg_attribute a where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [table],
  );
  return rows;
}

const types: Readonly<Record<string, string>> = {
  ...{ integer: "integer", bigint: "integer", smallint: "integer", "double precision": "number", numeric: "number" },
  ...{ boolean: "boolean", json: "json", jsonb: "json" },
};

function schemaOf({ type, description }: Column): object {
  const said = types[type] ?? (type.endsWith("[]") ? "array" : "string");
  return { ...(said === "json" ? {} : { type: [said, "null"] }), ...(description === null ? {} : { description }) };
}

/** The export of an organization by a service that keeps nothing but tables. */
export const exportOfTables = (pool: pg.Pool, schema: string, leaveOut: readonly string[] = []) => ({
  exportOrganization({ cursor }: { readonly cursor: string }, context: HandlerContext) {
    const { orgId } = requireCaller(context);
    return exportPage(cursor, (after) => nextOfTables(pool, orgId, schema, after, leaveOut));
  },
});

/** Members that hold an address, such as `url`, `return_url` and `urlToPublishTo`. */
const addressName = /ur[il]/i;
const secretName = /^(access_?code|api_?key|authorization|client_?secret|pass_?word|secret|token)$/i;
const mask = "***";

/** A record without what lets somebody in: passwords and tokens in addresses, and what is called a secret. */
export function maskSecrets<T>(value: T, name = ""): T {
  if (typeof value === "string" && value !== "") {
    if (secretName.test(name)) return mask as T;
    return (addressName.test(name) ? maskAddress(value) : value) as T;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, name)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskSecrets(item, key)])) as T;
}

/** Whoever gets it still sees where it leads. */
const maskAddress = (address: string): string =>
  maskPath(address, mask)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${mask}@`)
    .replace(/#.*$/s, `#${mask}`)
    .replace(/([?&][^=&#]*)=[^&#]*/g, `$1=${mask}`)
    .replace(/\?(?!.*=).+$/s, `?${mask}`);
