import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";

/** What recipients were shown when they consented to electronic records stays readable, whatever the texts become. */
export class Migration008ConsentTexts extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table sign.consent_text (
    organization_id uuid not null,
    sha256 bytea not null check (octet_length(sha256) = 32 and sha256 = sha256(convert_to(content, 'UTF8'))),
    locale text not null,
    content text not null,
    primary key (organization_id, sha256)
  )`,
  `comment on table sign.consent_text is
    'Texts that recipients have consented to, by the hash that the event recipient.consented names. Rows are never changed.'`,
  ...forceOrgIsolationSql("sign.consent_text"),
  "grant select, insert on sign.consent_text to assent_sign",
];
