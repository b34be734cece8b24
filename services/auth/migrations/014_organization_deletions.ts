import { Migration } from "@mikro-orm/migrations";
import { destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";

/** An organization is deleted with all that is kept of it. That it was, and the certificate, stay. */
export class Migration014OrganizationDeletions extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const janitor = "assent_auth_janitor";

const statements = [
  "alter table auth.organization add column closed_at timestamptz",
  "comment on column auth.organization.closed_at is 'since when it is being deleted and nobody is given a credential for it'",
  "grant update (closed_at) on auth.organization to assent_auth",
  `create table auth.organization_deletion (
    organization_id uuid not null,
    id uuid not null,
    status text not null check (status in ('scheduled', 'held', 'running', 'completed', 'withdrawn')),
    requested_by text not null,
    requested_at timestamptz(3) not null,
    effective_at timestamptz(3) not null,
    closed_at timestamptz(3),
    completed_at timestamptz(3),
    step integer not null default 0,
    found jsonb,
    certificate text,
    run_at timestamptz(3),
    attempts integer not null default 0,
    claim uuid,
    claimed_until timestamptz(3),
    primary key (organization_id, id),
    check ((status = 'completed') = (certificate is not null)),
    check ((status in ('completed', 'withdrawn')) = (run_at is null))
  )`,
  `comment on table auth.organization_deletion is
    'Deletions of organizations. Refers to none: it stays when the organization is gone. found: what there was when nothing could be added any more, and the heads of the logs; step: what comes next (services/auth/deletion/deletion-worker.ts).'`,
  `create unique index organization_deletion_once on auth.organization_deletion (organization_id)
    where status in ('scheduled', 'held', 'running')`,
  "create index organization_deletion_due on auth.organization_deletion (run_at) where run_at is not null",
  ...forceOrgIsolationSql("auth.organization_deletion"),
  `grant select, insert, update (status, closed_at, completed_at, step, found, certificate, run_at, attempts, claim,
    claimed_until) on auth.organization_deletion to assent_auth`,
  `create policy due on auth.organization_deletion to ${janitor} using (run_at is not null)`,
  `grant select (organization_id, id, run_at, attempts, claim, claimed_until), update (attempts, claim, claimed_until)
    on auth.organization_deletion to ${janitor}`,
  ...destroyerSql("auth", "assent_auth_destroyer", ["organization_deletion"]),
  // Gateways have read it long before.
  "grant select (subject), delete on auth.change to assent_auth_destroyer",
];
