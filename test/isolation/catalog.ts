import type pg from "pg";
import { allMigrations } from "../../dev/migrations.ts";

/** Everything that the catalogs of a migrated database say about keeping organizations apart. */
export interface Catalog {
  readonly tables: readonly Table[];
  readonly policies: readonly Policy[];
  readonly roles: readonly Role[];
  /** Role, table or column list, and what may be done: `click.outbox: INSERT`, `click.session: UPDATE (status)`. */
  readonly grants: readonly { readonly role: string; readonly grant: string }[];
}

export interface Table {
  readonly name: string;
  readonly ofOrganization: boolean;
  readonly forced: boolean;
  readonly owner: string;
  /** Names of unique indexes and foreign keys that do not contain the organization. */
  readonly indexesWithout: readonly string[];
  /** Names of unique indexes that contain it, but not first. */
  readonly indexesLater: readonly string[];
  readonly foreignKeysWithout: readonly string[];
  readonly policies: number;
}

export interface Policy {
  /** `click.session recorder_lookup (r)` */
  readonly name: string;
  readonly roles: readonly string[];
  readonly permissive: boolean;
  readonly using: string | null;
  readonly check: string | null;
}

export interface Role {
  readonly name: string;
  readonly strong: boolean;
  readonly owns: number;
  readonly canCreate: boolean;
  readonly foreignSchemas: readonly string[];
  readonly memberships: readonly string[];
}

const isolated = "(organization_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)";

/** Admits rows of other organizations than the one of the transaction. */
export const spans = ({ permissive, using, check }: Policy): boolean =>
  permissive && [using, check].some((condition) => condition !== null && condition !== isolated);

/** The name, with the conditions unless every row is admitted. */
export const described = ({ name, using, check }: Policy): string => {
  const conditions = [...new Set([using, check])].filter((condition) => condition !== null && condition !== "true");
  return conditions.length === 0 ? name : `${name}: ${conditions.join(" / ")}`;
};

export const schemas: readonly string[] = allMigrations.map(({ schema }) => schema);

export async function readCatalog(pool: pg.Pool): Promise<Catalog> {
  const all = async <T extends pg.QueryResultRow>(sql: string): Promise<T[]> =>
    (await pool.query<T>(sql, [schemas])).rows;
  return {
    tables: await all<Table>(tablesSql),
    policies: await all<Policy>(policiesSql),
    roles: await all<Role>(rolesSql),
    grants: await all<{ role: string; grant: string }>(grantsSql),
  };
}

const inSchemas = (relation: string): string => `${relation}.relnamespace::regnamespace::text = any($1)`;
const organization = "(select attnum from pg_attribute where attrelid = c.oid and attname = 'organization_id')";
const uniqueIndexes = (condition: string): string => `
  array(select indexrelid::regclass::text from pg_index where indrelid = c.oid and indisunique and ${condition} order by 1)`;

// MikroORM keeps the names of applied migrations in a table of its own.
const tablesSql = `
select c.oid::regclass::text as name, o.number is not null as "ofOrganization",
  c.relrowsecurity and c.relforcerowsecurity as forced, pg_get_userbyid(c.relowner) as owner,
  ${uniqueIndexes("not o.number = any(indkey)")} as "indexesWithout",
  ${uniqueIndexes("o.number = any(indkey) and indkey[0] <> o.number")} as "indexesLater",
  array(select conname::text from pg_constraint where conrelid = c.oid and contype = 'f' and not o.number = any(conkey))
    as "foreignKeysWithout",
  (select count(*)::integer from pg_policy where polrelid = c.oid) as policies
from pg_class c cross join lateral (select ${organization} as number) o
where c.relkind in ('r', 'p', 'f') and ${inSchemas("c")} and c.relname <> 'migration'
order by 1`;

const policiesSql = `
select p.polrelid::regclass::text || ' ' || p.polname || ' (' || p.polcmd::text || ')' as name,
  array(select case r when 0 then 'public' else pg_get_userbyid(r) end::text from unnest(p.polroles) r order by 1) as roles,
  p.polpermissive as permissive, pg_get_expr(p.polqual, p.polrelid) as using,
  pg_get_expr(p.polwithcheck, p.polrelid) as check
from pg_policy p join pg_class c on c.oid = p.polrelid where ${inSchemas("c")} order by 1`;

/** Every role that anything was granted to in one of the schemas, but for their owner. */
const rolesSql = `
select r.rolname::text as name, r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolcanlogin
    or r.rolreplication as strong,
  (select count(*)::integer from pg_shdepend where refobjid = r.oid and refclassid = 'pg_authid'::regclass and deptype = 'o')
    as owns,
  exists (select from unnest($1::text[]) s where has_schema_privilege(r.oid, s, 'create'))
    or has_database_privilege(r.oid, current_database(), 'create') as "canCreate",
  array(select s from unnest($1::text[]) s where has_schema_privilege(r.oid, s, 'usage')
    and r.rolname !~ ('^assent_' || s || '(_|$)')) as "foreignSchemas",
  array(select m.roleid::regrole::text from pg_auth_members m where m.member = r.oid) as memberships
from pg_roles r where r.rolname ~ ('^assent_(' || array_to_string($1::text[], '|') || ')(_|$)') order by 1`;

const grantsSql = `
select pg_get_userbyid(g.grantee)::text as role, c.oid::regclass || ': ' || g.privilege_type as grant
from pg_class c cross join lateral aclexplode(c.relacl) g
where c.relkind in ('r', 'p', 'v', 'm', 'S') and ${inSchemas("c")} and g.grantee <> c.relowner
union all
select pg_get_userbyid(g.grantee), c.oid::regclass || ': ' || g.privilege_type || ' ('
  || string_agg(a.attname, ', ' order by a.attname) || ')'
from pg_class c join pg_attribute a on a.attrelid = c.oid cross join lateral aclexplode(a.attacl) g
where ${inSchemas("c")} and g.grantee <> c.relowner
group by 1, c.oid, g.privilege_type
order by 1, 2`;
