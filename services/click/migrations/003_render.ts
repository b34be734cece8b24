import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";

export class Migration003Render extends Migration {
  override up(): void {
    for (const statement of [...shownTable, ...sessionColumns, ...keyTable]) this.addSql(statement);
  }
}

const shownTable = [
  `create table click.shown (
    organization_id uuid not null,
    hash bytea not null,
    content bytea not null,
    stored_at timestamptz not null default now(),
    primary key (organization_id, hash),
    check (hash = sha256(content))
  )`,
  `comment on table click.shown is
    'What was shown besides the text itself, stored once per content before anybody sees it: rendered HTML, the words around it, and snapshots of deployments. Nobody may change or delete it.'`,
  ...forceOrgIsolationSql("click.shown"),
  "grant select, insert on click.shown to assent_click",
];

const sessionColumns = [
  `alter table click.session
    add column deployment_id uuid,
    add column deployment_hash text,
    add column render_hash text,
    add column words_hash text,
    add column data text,
    add check ((deployment_id is null) = (deployment_hash is null)),
    add check ((render_hash is null) = (words_hash is null))`,
  `comment on column click.session.render_hash is
    'What the session shows, in click.shown; like words_hash and deployment_hash as sha256:<hex>. Null for sessions that are older than renderings.'`,
  "comment on column click.session.data is 'JSON: the merge values of a GENERATED template'",
  "grant update (presented_at) on click.session to assent_click",
  `grant select (deployment_id, deployment_hash, render_hash, words_hash)
    on click.session to assent_click_recorder`,
];

const keyTable = [
  `create table click.render_key (
    generation integer primary key,
    kid text not null unique,
    public_key bytea not null check (octet_length(public_key) = 32),
    private_key bytea not null,
    signs_from timestamptz not null,
    created_at timestamptz not null
  )`,
  `comment on table click.render_key is
    'The service''s own keys for render tokens, of no organization. The primary key lets one of several processes that make the next generation at once win. private_key is iv, tag and ciphertext of AES-256-GCM with the kid as associated data. Rows stay: whoever checks old evidence needs the public key.'`,
  "grant select, insert on click.render_key to assent_click",
];
