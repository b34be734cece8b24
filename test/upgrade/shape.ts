import pg from "pg";
import { allMigrations } from "../../dev/migrations.ts";

/** All that the catalogs say of the product's schemas, one line for each thing, in the same order for the same schemas. */
export async function shapeOf(superuserUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const schemas = allMigrations.map(({ schema }) => schema);
    const lines: string[] = [];
    for (const sql of [
      columns,
      constraints,
      indexes,
      policies,
      security,
      tableGrants,
      columnGrants,
      triggers,
      routines,
    ]) {
      const { rows } = await client.query<{ line: string }>(sql, [schemas]);
      lines.push(...rows.map(({ line }) => line));
    }
    return lines.sort();
  } finally {
    await client.end();
  }
}

const ofOurs = "c.relnamespace = any($1::text[]::regnamespace[])";
// What a column is called and holds; where it stands among the others means nothing.
const columns = `
  select format('column %s.%s %s null=%s identity=%s default=%s', c.oid::regclass, a.attname,
    format_type(a.atttypid, a.atttypmod), not a.attnotnull, a.attidentity, pg_get_expr(d.adbin, d.adrelid)) as line
  from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where ${ofOurs} and c.relkind in ('r', 'v', 'p') and a.attnum > 0 and not a.attisdropped and c.relname <> 'migration'`;
const constraints = `
  select format('constraint %s %s %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as line
  from pg_constraint k join pg_class c on c.oid = k.conrelid where ${ofOurs} and c.relname <> 'migration'`;
const indexes = `
  select format('index %s', pg_get_indexdef(c.oid)) as line
  from pg_class c where ${ofOurs} and c.relkind = 'i' and c.relname not like 'migration%'`;
const policies = `
  select format('policy %s.%s %s %s %s for %s using %s check %s', schemaname, tablename, policyname, permissive, roles, cmd,
    qual, with_check) as line
  from pg_policies where schemaname = any($1)`;
const security = `
  select format('security %s %s %s', c.oid::regclass, c.relrowsecurity, c.relforcerowsecurity) as line
  from pg_class c where ${ofOurs} and c.relkind = 'r'`;
const tableGrants = `
  select format('grant %s to %s on %s', g.privilege_type, coalesce(r.rolname, 'public'), c.oid::regclass) as line
  from pg_class c, aclexplode(c.relacl) g left join pg_roles r on r.oid = g.grantee
  where ${ofOurs} and c.relname not like 'migration%'`;
const columnGrants = `
  select format('grant %s to %s on %s.%s', g.privilege_type, coalesce(r.rolname, 'public'), c.oid::regclass, a.attname) as line
  from pg_attribute a join pg_class c on c.oid = a.attrelid, aclexplode(a.attacl) g left join pg_roles r on r.oid = g.grantee
  where ${ofOurs}`;
const triggers = `
  select format('trigger %s', pg_get_triggerdef(t.oid)) as line
  from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${ofOurs} and not t.tgisinternal`;
const routines = `
  select format('routine %s', pg_get_functiondef(p.oid)) as line
  from pg_proc p where p.pronamespace = any($1::text[]::regnamespace[]) and p.prokind in ('f', 'p')`;
