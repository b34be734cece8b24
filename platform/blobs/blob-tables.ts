import { forceOrgIsolationSql, identifier } from "../db/ddl.ts";

/**
 * The tables of a Postgres blob store. A blob lives as long as somebody refers to it, so that the same bytes are stored
 * once and are gone for good when the last one who needed them lets go.
 */
export const blobTablesSql = (options: { schema: string; writerRole: string }): string[] => {
  const schema = identifier(options.schema);
  const writer = identifier(options.writerRole);
  return [
    `create table ${schema}.blob (
      organization_id uuid not null,
      sha256 bytea not null check (sha256 = sha256(bytes)),
      bytes bytea not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, sha256)
    )`,
    // Documents, images and fonts are compressed already: trying again costs time and saves nothing.
    `alter table ${schema}.blob alter column bytes set storage external`,
    `create table ${schema}.blob_reference (
      organization_id uuid not null,
      owner_id uuid not null,
      sha256 bytea not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, owner_id),
      foreign key (organization_id, sha256) references ${schema}.blob (organization_id, sha256)
    )`,
    `create index blob_reference_by_hash on ${schema}.blob_reference (organization_id, sha256)`,
    ...forceOrgIsolationSql(`${schema}.blob`),
    ...forceOrgIsolationSql(`${schema}.blob_reference`),
    // Update is what locks a row; what a blob holds is checked against its name.
    `grant select, insert, update, delete on ${schema}.blob, ${schema}.blob_reference to ${writer}`,
  ];
};
