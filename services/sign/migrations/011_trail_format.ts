import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { masterKeyTablesSql } from "#platform/master-keys/tables.ts";

/**
 * Events of format 2 commit to what is personal and keep it sealed, with a key for each person in an agreement. Those of
 * format 1 stay as they are: their hashes are made over it.
 */
export class Migration011TrailFormat extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "alter table sign.audit_event add column sd jsonb, add column sealed jsonb",
  "comment on column sign.audit_event.sd is 'digests of what is sealed (RFC 9901); null in format 1'",
  `comment on column sign.audit_event.sealed is
    '[key, base64]: for each person whom the event is about, the disclosures, sealed with a key of sign.subject_key; null in format 1'`,
  // Rows of before are not looked at: they are all of format 1.
  `alter table sign.audit_event add constraint audit_event_format check (
    (sd is null and sealed is null)
    or (jsonb_typeof(sd) = 'array' and jsonb_typeof(sealed) = 'array'
      and actor_name = '' and actor_email = '' and ip = '' and user_agent = '')
  ) not valid`,
  // The release before reads nothing of format 2, and would print that on a certificate that is sealed for ever. It takes the
  // error for one that passes, and lets the completion wait for a process of this release.
  `create function sign.refuse_older_completion() returns trigger language plpgsql as $$
   begin
     if exists (select from sign.audit_event e where e.organization_id = new.organization_id
       and e.agreement_id = new.agreement_id and e.sd is not null) then
       raise exception 'the trail of agreement % has events that this release cannot read', new.agreement_id
         using errcode = 'lock_not_available';
     end if;
     return new;
   end $$`,
  `create trigger older_completion before insert on sign.audit_event for each row
    when (new.sd is null and new.action = 'agreement.completed') execute function sign.refuse_older_completion()`,
  `create table sign.subject_key (
    organization_id uuid not null,
    agreement_id uuid not null,
    id uuid not null,
    email_index bytea check (octet_length(email_index) = 16),
    user_index bytea check (octet_length(user_index) = 16),
    seed bytea check (octet_length(seed) = 60),
    primary key (organization_id, agreement_id, id),
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id)
  )`,
  `comment on table sign.subject_key is
    'What the trail of an agreement says of one person is sealed with a key that is derived from this seed, which is wrapped under the master key. The indexes are keyed hashes of the e-mail address and of the user reference. The row of what is about nobody in particular has the id of the agreement. seed: null once it was erased.'`,
  ...forceOrgIsolationSql("sign.subject_key"),
  "create index subject_key_by_email on sign.subject_key (organization_id, email_index) where email_index is not null",
  "create index subject_key_by_user on sign.subject_key (organization_id, user_index) where user_index is not null",
  "grant select, insert on sign.subject_key to assent_sign",
  ...masterKeyTablesSql({
    schema: "sign",
    serviceRole: "assent_sign",
    resealerRole: "assent_sign_resealer",
    hasHashKey: true,
    sealed: [
      {
        table: "sign.subject_key",
        columns: ["seed"],
        reads: ["organization_id", "agreement_id", "id"],
        isOfOrganizations: true,
      },
    ],
  }),
];
