import { destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { sqlMigration } from "#platform/db/migrate.ts";

/** Pages are at host names of organizations, as long as their DNS says that they may. */
export const pageHostMigrations = [
  sqlMigration(
    "040_page_hosts",
    `create table sign.page_host (
      organization_id uuid not null,
      id uuid not null,
      host text collate "C" not null,
      token text not null,
      status text not null check (status in ('pending', 'verified', 'lost')),
      findings jsonb not null check (jsonb_typeof(findings) = 'object'),
      checked_at timestamptz(3),
      verified_at timestamptz(3),
      created_by text not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, id)
    )`,
    "comment on table sign.page_host is 'Host names that pages are at while they are verified. findings: what was found for its record.'",
    "create unique index page_host_name on sign.page_host (organization_id, host)",
    // Of all organizations one: whoever has not proved it yet keeps nobody from it.
    "create unique index page_host_verified on sign.page_host (host) where status = 'verified'",
    ...forceOrgIsolationSql("sign.page_host"),
    "grant select, insert, update (status, findings, checked_at, verified_at), delete on sign.page_host to assent_sign",
    "create policy verifier_finds on sign.page_host for select to assent_sign_verifier using (status = 'verified')",
    "grant select (organization_id, host, status) on sign.page_host to assent_sign_verifier",
    "alter table sign.job drop constraint job_kind_check",
    `alter table sign.job add constraint job_kind_check check (kind in ('bulk-copy', 'completion', 'deletion', 'evidence',
      'file-search', 'file-words', 'mail', 'notice', 'notice-mail', 'page-host', 'page-host-mail', 'purge', 'reminder',
      'resumption', 'expiry', 'expiry-warning', 'sender-domain', 'sender-domain-mail')) not valid`,
    ...destroyerSql("sign", "assent_sign_destroyer"),
  ),
  // In a transaction of its own, in which nobody who writes jobs has to wait for it.
  sqlMigration("041_page_hosts_validated", "alter table sign.job validate constraint job_kind_check"),
];
