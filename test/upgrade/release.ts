import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";
import type { TestDatabase } from "#platform/testing/database.ts";

/** What an earlier release said through its API of the rows that it left behind. Later ones say more. */
export interface Facts {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authMasterKey: string;
  readonly clickMasterKey: string;
  readonly webhooksMasterKey?: string;
  readonly signMasterKey?: string;
  readonly acceptLimit: number;
  readonly templateSlug: string;
  /** Of the request for the receipt. */
  readonly idempotencyKey: string;
  readonly receipt: { readonly receiptId: string };
  readonly inclusionProof: {
    readonly leafIndex: number;
    readonly treeSize: number;
    readonly leafHash: string;
    readonly auditPath: readonly string[];
    readonly checkpoint: string;
  };
  readonly consentState: { readonly revision: number; readonly consents: readonly object[] };
  /** Of somebody who was erased. */
  readonly erasedReceiptId?: string;
  readonly completedId: string;
  readonly auditEvents: readonly object[];
  /** An agreement that waits for Ann. */
  readonly waitingId: string;
  readonly voidedId?: string;
  readonly generatedDocument: { readonly id: string; readonly sha256: string; readonly contentUrl: string };
  readonly letterId: string;
  readonly owner?: { readonly email: string; readonly password: string };
  /** Somebody whom the owner has invited. */
  readonly memberEmail?: string;
  /** An endpoint, and something that was delivered to it. */
  readonly webhook?: { readonly endpointId: string; readonly secret: string; readonly deliveryId: string };
}

/** What a release has asked its database, and as which role. */
export interface Statement {
  readonly role: string;
  readonly text: string;
}

/** All that is kept of one release. */
export interface Kept {
  readonly statements: readonly Statement[];
  readonly schema: string;
  readonly rows: string;
  readonly facts: Facts;
}

const factsFile = /^facts-(.+)\.json$/;

/** Every release that something was kept of, by its version. */
export const keptReleases = (): string[] =>
  readdirSync(import.meta.dirname)
    .flatMap((name) => factsFile.exec(name)?.[1] ?? [])
    .sort();

const fileOf = (name: string): string => join(import.meta.dirname, name);
const readSql = (name: string): string => gunzipSync(readFileSync(fileOf(`${name}.sql.gz`))).toString();
const writeSql = (name: string, sql: string): void =>
  writeFileSync(fileOf(`${name}.sql.gz`), gzipSync(sql, { level: 9 }));

export const factsOf = (release: string): Facts =>
  JSON.parse(readFileSync(fileOf(`facts-${release}.json`), "utf8")) as Facts;

const statementsFile = (release: string): string => fileOf(`statements-${release}.json.gz`);

/** None of releases that nobody has listened to. */
export const statementsOf = (release: string): readonly Statement[] =>
  existsSync(statementsFile(release)) ? JSON.parse(gunzipSync(readFileSync(statementsFile(release))).toString()) : [];

/** The names of the migrations of a schema that a release had. */
export const migrationsOf = (release: string, schema: string): string[] =>
  Array.from(
    readSql(`rows-${release}`).matchAll(
      new RegExp(`^insert into ${schema}\\.migration .* values \\('\\d+', '([^']+)'`, "gm"),
    ),
    ([, name]) => name ?? "",
  );

/** Four files; those of the same release are replaced. */
export function keepRelease(release: string, { schema, rows, facts, statements }: Kept): void {
  writeSql(`schema-${release}`, schema);
  writeSql(`rows-${release}`, rows);
  writeFileSync(statementsFile(release), gzipSync(JSON.stringify(statements), { level: 9 }));
  writeFileSync(fileOf(`facts-${release}.json`), `${JSON.stringify(facts, null, 2)}\n`);
}

/** Makes an empty database what that release left: its owner runs the statements, and the rows come back as they were. */
export async function restoreRelease(release: string, { url, superuserUrl }: TestDatabase): Promise<void> {
  await run(url, readSql(`schema-${release}`));
  // As a restored backup: what refers to a row may come before it, and no trigger has a say.
  await run(superuserUrl, `set session_replication_role = replica;\n${emptyTables}\n${readSql(`rows-${release}`)}`);
}

/** What migrations wrote is among the rows. */
const emptyTables = `
  do $empty$
  begin
    execute (select 'truncate ' || string_agg(format('%I.%I', schemaname, tablename), ', ') from pg_catalog.pg_tables
      where schemaname not in ('pg_catalog', 'information_schema'));
  end
  $empty$;`;

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
