/**
 * Creates a role without login and lets the migrating user act as it. Safe to run again, also while another
 * database of the same cluster does so: roles belong to the cluster and no lock spans databases, so the
 * duplicate error is caught. Leaves a role that an operator created as it is.
 */
export const createRoleSql = (role: string): string => `
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = ${literal(role)}) then
        create role ${identifier(role)} nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, ${literal(role)}, 'set') then
        grant ${identifier(role)} to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', ${literal(role)};
end
$role$`;

/**
 * Restricts a table with `organization_id uuid` to the transaction's organization (`app.org_id`), for its owner
 * too. Without an organization no row is visible and none can be written. Other roles may get further policies,
 * which add up.
 */
export const forceOrgIsolationSql = (table: string): string[] => [
  `alter table ${table} enable row level security`,
  `alter table ${table} force row level security`,
  `create policy org_isolation on ${table}
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)`,
];

/**
 * Lets a role destroy all that the service keeps for an organization: every table that has `organization_id` by now, but
 * for those left out, and what died as an event. Safe to run again, as migrations do that add tables.
 */
export const destroyerSql = (schema: string, role: string, leaveOut: readonly string[] = []): string[] => [
  createRoleSql(role),
  `grant usage on schema ${schema} to ${role}`,
  `do $do$
  declare named regclass;
  begin
    for named in
      select a.attrelid from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
      where c.relnamespace = '${schema}'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'organization_id'
        and c.relname <> all('{${leaveOut.join(",")}}'::text[])
    loop
      execute format('grant select (organization_id, ctid), delete on %s to ${role}', named);
    end loop;
    if to_regclass('${schema}.dead_event') is not null then
      grant select (data, ctid), delete on ${schema}.dead_event to ${role};
    end if;
  end
  $do$`,
];

/** Quotes an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes an SQL string literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
