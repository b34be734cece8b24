import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";

/** People can be erased from agreements, by a role that serves no other request. */
export class Migration017Erasure extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const eraser = "assent_sign_eraser";

const statements = [
  "alter table sign.audit_event add column is_erased boolean not null default false",
  `comment on column sign.audit_event.is_erased is
    'of format 1: everything personal was taken from it, and a later event agreement.erased states what is left'`,
  `create table sign.erasure (
    organization_id uuid not null,
    id uuid not null,
    email_index bytea check (octet_length(email_index) = 16),
    user_index bytea check (octet_length(user_index) = 16),
    ground text not null,
    asked_by text not null,
    request_id text not null,
    started_at timestamptz(3) not null,
    primary key (organization_id, id),
    check (num_nonnulls(email_index, user_index) > 0)
  )`,
  "comment on table sign.erasure is 'Who was erased, as keyed hashes that do not tell it, on what ground and by whom.'",
  `create table sign.erasure_report (
    organization_id uuid not null,
    erasure_id uuid not null,
    target_id uuid not null,
    items jsonb not null check (jsonb_typeof(items) = 'array'),
    erased_at timestamptz(3) not null,
    primary key (organization_id, erasure_id, target_id),
    foreign key (organization_id, erasure_id) references sign.erasure (organization_id, id)
  )`,
  "comment on table sign.erasure_report is 'What an erasure came to in an agreement, a bulk list or a batch; nothing personal.'",
  ...["erasure", "erasure_report"].flatMap((table) => forceOrgIsolationSql(`sign.${table}`)),
  createRoleSql(eraser),
  `grant usage on schema sign to ${eraser}`,
  `grant select, insert on sign.erasure, sign.erasure_report to ${eraser}`,
  `grant select, update on sign.agreement to ${eraser}`,
  `grant select, insert, update on sign.document, sign.recipient, sign.custom_field to ${eraser}`,
  `grant select, insert, update (seed) on sign.subject_key to ${eraser}`,
  `grant select, insert, update (actor_id, actor_name, actor_email, ip, user_agent, details, is_erased)
    on sign.audit_event to ${eraser}`,
  `grant select, update (file_name) on sign.attachment to ${eraser}`,
  `grant select, delete on sign.view to ${eraser}`,
  `grant select, insert, delete, update (last_error) on sign.job to ${eraser}`,
  `grant select on sign.idempotency_key, sign.legal_hold to ${eraser}`,
  `grant select, update (copies, copy_count) on sign.bulk_list to ${eraser}`,
  `grant select, update (failures) on sign.bulk_batch to ${eraser}`,
];
