import { expect, test } from "@jest/globals";
import type { Migration } from "@mikro-orm/migrations";
import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { allMigrations } from "../../dev/migrations.ts";
import { keptReleases, migrationsOf } from "./release.ts";

/** What makes those wait who write to a table while the migration goes through all of it; the changelog tells. */
const announced: ReadonlySet<string> = new Set([
  "click.016_deletion_heads",
  "click.017_erasure_heads",
  "sign.007_sent_files",
  "sign.010_document_warnings",
  "sign.014_file_keys",
  "sign.016_retention",
  "sign.018_purge",
  "sign.019_template_periods",
  "webhooks.003_audit_format",
]);

const lastRelease = keptReleases().findLast((release) => release.includes(".")) ?? "";

test("what migrations do with tables of the last release lets others go on, or is announced", async () => {
  const found: string[] = [];
  for (const { schema, list } of allMigrations) {
    const released = migrationsOf(lastRelease, schema);
    const old = new Set<string>();
    for (const { name, class: MigrationOf } of list) {
      const isReleased = released.includes(name);
      const statements = await statementsOf(MigrationOf);
      if (isReleased) for (const table of tablesMadeBy(statements)) old.add(table);
      else if (statements.some((statement) => !isOnline(statement, old))) found.push(`${schema}.${name}`);
    }
    expect([schema, old.size > 0]).toEqual([schema, released.length > 0]);
  }
  expect(found).toEqual([...announced]);
});

test.each([
  ["alter table sign.agreement add column note text", true],
  ["alter table sign.agreement add column note text not null default ''", true],
  ["alter table sign.agreement add column note text check (note <> '')", false],
  ["alter table sign.agreement add column noted_at timestamptz default clock_timestamp()", false],
  ["alter table sign.agreement add constraint noted check (note <> '') not valid", true],
  ["alter table sign.agreement add constraint noted check (note <> '')", false],
  ["alter table sign.agreement alter column note type bytea", false],
  ["alter table sign.fresh add constraint noted check (note <> '')", true],
  ["create index agreement_note on sign.agreement (note)", false],
  ["create unique index concurrently agreement_note on sign.agreement (note)", true],
  ['create index fresh_note on "sign".fresh (note)', true],
  ["update sign.agreement set note = ''", false],
])("%s: %s", (statement, online) => {
  expect(isOnline(statement, new Set(["sign.agreement"]))).toBe(online);
});

async function statementsOf(MigrationOf: ServiceMigrations["list"][number]["class"]): Promise<string[]> {
  const migration = new MigrationOf(...([] as unknown as ConstructorParameters<typeof Migration>));
  await migration.up();
  return migration.getQueries().flatMap((query) => splitSql(String(query)));
}

/** Comments go, and what is between dollars is left whole. */
const splitSql = (sql: string): string[] =>
  (sql.replaceAll(/--.*$/gm, "").match(/(?:\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|[^;])+/g) ?? [])
    .map((statement) => statement.replaceAll(/\s+/g, " ").replaceAll('"', "").trim().toLowerCase())
    .filter((statement) => statement !== "");

const tablesMadeBy = (statements: readonly string[]): string[] =>
  statements.flatMap((statement) => /^create table (?:if not exists )?(\S+)/.exec(statement)?.[1] ?? []);

/** Takes no lock for longer than a moment, or none that those who read and write wait for. */
function isOnline(written: string, old: ReadonlySet<string>): boolean {
  const statement = written.replaceAll('"', "");
  if (
    /^(create (table|policy|role|trigger|(or replace )?function)|comment|grant|revoke|do|drop (policy|index))\b/.test(
      statement,
    )
  ) {
    return true;
  }
  const table =
    /^(?:alter table (?:only )?|create (?:unique )?index .*? on |insert into |update |delete from )([\w.]+)/.exec(
      statement,
    );
  if (table === null) return false;
  if (!old.has(table[1] ?? "")) return true;
  if (/^create (unique )?index/.test(statement)) return statement.includes(" index concurrently ");
  return statement.startsWith("alter table") && actionsOf(statement).every(isQuickAction);
}

/** At commas that are in no parentheses. */
function actionsOf(statement: string): string[] {
  const actions = statement.replace(/^alter table (only )?\S+ /, "");
  const parts: string[] = [];
  let depth = 0;
  let begins = 0;
  for (let at = 0; at <= actions.length; at += 1) {
    if (actions[at] === "(") depth += 1;
    if (actions[at] === ")") depth -= 1;
    if (at < actions.length && (actions[at] !== "," || depth > 0)) continue;
    parts.push(actions.slice(begins, at).trim());
    begins = at + 1;
  }
  return parts;
}

const isQuickAction = (action: string): boolean =>
  /^(enable|force|no force|disable) row level security$/.test(action) ||
  /^(set|reset) \(/.test(action) ||
  /^(drop constraint|drop column|validate constraint|alter column \S+ (set storage|set default|drop default|drop not null))\b/.test(
    action,
  ) ||
  (/^add (constraint \S+ )?check /.test(action) && action.endsWith(" not valid")) ||
  (/^add column /.test(action) &&
    !/ (check|references|unique|primary key|generated)\b/.test(action) &&
    !/ default (?!'[^']*'|true|false|null|-?\d)/.test(action));
