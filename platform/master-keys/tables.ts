import { createRoleSql, identifier } from "../db/ddl.ts";

export interface SealedTable {
  /** With its schema. */
  readonly table: string;
  /** With sealed values. */
  readonly columns: readonly string[];
  /** What else is read: the primary key, and what the values are sealed for. */
  readonly reads: readonly string[];
  /** Whether rows belong to organizations, so that the resealer needs a policy to see all of them. */
  readonly isOfOrganizations: boolean;
}

/**
 * What a service needs so that its master key can be replaced: a role that may read what is sealed and write it anew, and
 * nothing else; a row for each time that was asked for, which the role of the service may read; and, for a service that makes
 * keyed hashes, a place for their key, which that role may make and read.
 */
export const masterKeyTablesSql = (options: {
  readonly schema: string;
  readonly resealerRole: string;
  readonly serviceRole: string;
  readonly hasHashKey: boolean;
  readonly sealed: readonly SealedTable[];
}): string[] => {
  const schema = identifier(options.schema);
  const resealer = identifier(options.resealerRole);
  const service = identifier(options.serviceRole);
  return [
    createRoleSql(options.resealerRole),
    `grant usage on schema ${schema} to ${resealer}`,
    ...options.sealed.flatMap(({ table, columns, reads, isOfOrganizations }) => [
      `grant select (${[...reads, ...columns].join(", ")}), update (${columns.join(", ")}) on ${table} to ${resealer}`,
      ...(isOfOrganizations
        ? [
            `create policy resealer_reads on ${table} for select to ${resealer} using (true)`,
            `create policy resealer_seals on ${table} for update to ${resealer} using (true)`,
          ]
        : []),
    ]),
    `create table ${schema}.reseal_run (
      id bigint generated always as identity primary key,
      key_id text not null,
      started_at timestamptz not null default now(),
      pass integer not null default 1,
      position jsonb,
      seen bigint not null default 0,
      resealed bigint not null default 0,
      unreadable bigint not null default 0,
      is_clean boolean not null default true,
      finished_at timestamptz
    )`,
    `comment on table ${schema}.reseal_run is
      'Each time that everything was to be sealed with the newest master key (key_id). No organization: it goes over all. pass, position: how far it has come; is_clean: nothing was found in this pass that was sealed with another key. Rows stay, as the record of what was done.'`,
    `create unique index reseal_run_current on ${schema}.reseal_run ((true)) where finished_at is null`,
    `grant select, insert, update on ${schema}.reseal_run to ${resealer}`,
    `grant select on ${schema}.reseal_run to ${service}`,
    ...(!options.hasHashKey
      ? []
      : [
          `create table ${schema}.hash_key (
            is_only boolean primary key default true check (is_only),
            sealed bytea not null,
            created_at timestamptz not null default now()
          )`,
          `comment on table ${schema}.hash_key is
            'What keyed hashes are made with, forever: iv, tag and ciphertext of AES-256-GCM under a master key. No organization: one row for the whole service.'`,
          `grant select, insert on ${schema}.hash_key to ${service}`,
          `grant select, update (sealed) on ${schema}.hash_key to ${resealer}`,
        ]),
  ];
};
