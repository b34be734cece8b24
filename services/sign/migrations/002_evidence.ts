import { Migration } from "@mikro-orm/migrations";
import { createRoleSql } from "#platform/db/ddl.ts";

export class Migration002Evidence extends Migration {
  override up(): void {
    for (const statement of [...newJobs, ...ages, createRoleSql(sweeperRole), ...sweeperGrants]) {
      this.addSql(statement);
    }
  }
}

const newJobs = [
  "alter table sign.job drop constraint job_kind_check",
  `alter table sign.job add constraint job_kind_check
    check (kind in ('bulk-copy', 'completion', 'evidence', 'mail', 'reminder', 'expiry', 'expiry-warning'))`,
  "comment on column sign.bulk_batch.copies is 'as the list had them when it was sent; none once all have ended'",
];

/** What is old is looked for again and again. */
const ages = [
  "create index idempotency_key_age on sign.idempotency_key (created_at)",
  "create index view_age on sign.view (expires_at) where not is_reusable",
  "create index view_reusable_age on sign.view (created_at, organization_id, token_hash) where is_reusable",
  "create index job_failed on sign.job (failed_at) where failed_at is not null",
];

/** Removes what is of no use any more, for all organizations, and sees only how old it is. */
const sweeperRole = "assent_sign_sweeper";

const sweeperGrants = [
  `grant usage on schema sign to ${sweeperRole}`,
  `create policy sweeper_removes on sign.idempotency_key to ${sweeperRole} using (true)`,
  `create policy sweeper_removes on sign.view to ${sweeperRole} using (true)`,
  `create policy sweeper_removes on sign.job to ${sweeperRole} using (failed_at is not null)`,
  `create policy sweeper_reads on sign.agreement for select to ${sweeperRole} using (true)`,
  // Only whoever may change a row may lock it, so that two sweepers do not wait for each other.
  `grant select (organization_id, key, created_at), update (created_at), delete on sign.idempotency_key to ${sweeperRole}`,
  `grant select (organization_id, token_hash, agreement_id, is_reusable, created_at, expires_at, session_expires_at),
    update (expires_at), delete on sign.view to ${sweeperRole}`,
  `grant select (organization_id, id, failed_at), update (failed_at), delete on sign.job to ${sweeperRole}`,
  `grant select (organization_id, id, status, status_changed_at, deleted_at) on sign.agreement to ${sweeperRole}`,
];
