import { Migration } from "@mikro-orm/migrations";
import { sealedBlobsSql } from "#platform/blobs/blob-store.ts";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";

/** Files are sealed under a key of their agreement. Those of before stay as they are until it is their turn. */
export class Migration014FileKeys extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const resealer = "assent_sign_resealer";
/** Deletes agreements, and their keys with them. */
const remover = "assent_sign_remover";

const statements = [
  `create table sign.file_key (
    organization_id uuid not null,
    agreement_id uuid not null,
    id uuid not null,
    seed bytea check (octet_length(seed) = 60),
    primary key (organization_id, agreement_id),
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id)
  )`,
  `comment on table sign.file_key is
    'What the files of an agreement are sealed with, wrapped under the master key. seed: null once it was erased, and all files with it.'`,
  ...forceOrgIsolationSql("sign.file_key"),
  "grant select, insert, update (seed) on sign.file_key to assent_sign",
  `grant select (organization_id, agreement_id, id, seed), update (seed) on sign.file_key to ${resealer}`,
  `create policy resealer_reads on sign.file_key for select to ${resealer} using (true)`,
  `create policy resealer_seals on sign.file_key for update to ${resealer} using (true)`,
  createRoleSql(remover),
  `grant select, delete on sign.file_key to ${remover}`,
  ...sealedBlobsSql("sign"),
  "create index blob_in_clear on sign.blob (organization_id, sha256) where not is_sealed",
  // Finds what is still in clear, and sees nothing but that there is something.
  `grant select (organization_id, sha256, is_sealed) on sign.blob to ${resealer}`,
  `create policy resealer_finds_clear on sign.blob for select to ${resealer} using (not is_sealed)`,
];
