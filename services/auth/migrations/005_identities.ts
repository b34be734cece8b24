import { Migration } from "@mikro-orm/migrations";

/** People who log in by an identity provider. */
export class Migration005Identities extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "alter table auth.user_account add column external_issuer text",
  `alter table auth.user_account add constraint user_account_identity check
    ((external_issuer is null) = (external_subject is null))`,
  "comment on column auth.user_account.external_issuer is 'The identity provider that external_subject is of.'",
  "comment on column auth.user_account.external_subject is 'Who the person is there, since the first login by it. It never changes, as an address may.'",
  `create unique index user_account_identity on auth.user_account
    (organization_id, external_subject, external_issuer) where external_subject is not null`,
  // Whoever logs in names no organization.
  `create index user_account_identity_lookup on auth.user_account
    (external_subject, external_issuer) where external_subject is not null`,
  "grant select (external_issuer, external_subject) on auth.user_account to assent_auth_lookup",
  "grant update (external_issuer, external_subject) on auth.user_account to assent_auth",
];
