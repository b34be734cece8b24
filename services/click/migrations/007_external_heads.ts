import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";

export class Migration007ExternalHeads extends Migration {
  override up(): void {
    for (const statement of externalHeads) this.addSql(statement);
  }
}

const externalHeads = [
  `create table click.external_head (
    organization_id uuid not null,
    source text not null check (source in ('sign')),
    agreement_id uuid not null,
    record_id uuid not null,
    head_hash bytea not null check (octet_length(head_hash) = 32),
    sequence integer not null check (sequence > 0),
    completed_at timestamptz not null,
    recorded_at timestamptz not null,
    primary key (organization_id, source, agreement_id)
  )`,
  `comment on table click.external_head is
    'Heads of trails that other services keep, each with a leaf of the log (log_leaf, record_id). The primary key lets one of several calls enter a head. Rows are never changed or deleted.'`,
  ...forceOrgIsolationSql("click.external_head"),
  "grant select, insert on click.external_head to assent_click",
];
