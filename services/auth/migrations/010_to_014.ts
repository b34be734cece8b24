import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";

/** People are erased from all services by jobs, and from the audit trail by a role that serves no other request. */
export class Migration010Erasures extends Migration {
  override up(): void {
    for (const statement of erasures) this.addSql(statement);
  }
}

const eraser = "assent_auth_eraser";
const [janitor, resealer] = ["assent_auth_janitor", "assent_auth_resealer"];

const erasures = [
  `create table auth.erasure (
    organization_id uuid not null references auth.organization,
    id uuid not null,
    key_hash bytea check (octet_length(key_hash) = 32),
    request_hash bytea not null check (octet_length(request_hash) = 32),
    sealed_person bytea,
    ground text not null,
    is_dry boolean not null,
    asked_by text not null,
    request_id text not null,
    created_at timestamptz(3) not null,
    completed_at timestamptz(3),
    step integer not null default 0,
    position text not null default '',
    pages integer not null default 0,
    run_at timestamptz not null,
    attempts integer not null default 0,
    claim uuid,
    claimed_until timestamptz,
    primary key (organization_id, id),
    unique (organization_id, key_hash),
    check ((completed_at is null) = (sealed_person is not null))
  )`,
  `comment on table auth.erasure is
    'Erasures of people from all services. While one runs, sealed_person says of whom; then nothing does but a keyed hash of the request. step, position: how far it has come.'`,
  "comment on column auth.erasure.sealed_person is 'iv, tag and ciphertext of AES-256-GCM with the erasure as associated data; gone when it ends.'",
  "create index erasure_due on auth.erasure (run_at) where completed_at is null",
  `create table auth.erasure_page (
    organization_id uuid not null,
    erasure_id uuid not null,
    page integer not null,
    items jsonb not null check (jsonb_typeof(items) = 'array'),
    primary key (organization_id, erasure_id, page),
    foreign key (organization_id, erasure_id) references auth.erasure (organization_id, id)
  )`,
  "comment on table auth.erasure_page is 'What became of what was known of a person: kinds, ids, reasons and times; nothing personal.'",
  ...["erasure", "erasure_page"].flatMap((table) => forceOrgIsolationSql(`auth.${table}`)),
  `grant select, insert, update (sealed_person, completed_at, step, position, pages, run_at, attempts, claim, claimed_until)
    on auth.erasure to assent_auth`,
  "grant select, insert on auth.erasure_page to assent_auth",
  `create policy due on auth.erasure to ${janitor} using (completed_at is null)`,
  `grant select (organization_id, id, run_at, attempts, claim, claimed_until, completed_at),
    update (attempts, claim, claimed_until) on auth.erasure to ${janitor}`,
  `create policy resealer_reads on auth.erasure for select to ${resealer} using (true)`,
  `create policy resealer_seals on auth.erasure for update to ${resealer} using (true)`,
  `grant select (organization_id, id, sealed_person), update (sealed_person) on auth.erasure to ${resealer}`,
  createRoleSql(eraser),
  `grant usage on schema auth to ${eraser}`,
  `grant select, update (actor_name, subject_name, details, ip, user_agent) on auth.audit_event to ${eraser}`,
];

/** An organization is deleted with all that is kept of it. That it was, and the certificate, stay. */
export class Migration014OrganizationDeletions extends Migration {
  override up(): void {
    for (const statement of organizationDeletions) this.addSql(statement);
  }
}

const organizationDeletions = [
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
