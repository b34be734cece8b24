// Measures the search in files over many agreements: node services/sign/search/test/search-drill.ts --agreements 100000
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type pg from "pg";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId, parseOrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createSeedVault } from "#platform/vault/seed-vault.ts";
import { migrateAll } from "../../../../dev/migrations.ts";
import { openOwnedDatabase } from "../../../../dev/own-postgres.ts";
import { startPostgres } from "../../../../dev/postgres.ts";
import { type ListQuery, listAgreements } from "../../list/list-store.ts";
import { hashedWord, searchFiles } from "../file-search.ts";
import { noteWords } from "../search-store.ts";

const { values } = parseArgs({ options: { agreements: { type: "string", default: "100000" } } });
const total = Number(values.agreements);
/** Different words of a contract of ten pages, and of all contracts of an organization. */
const [wordsOfFile, vocabulary] = [600, 40_000];

/** Words that every file has come first: a few frequent ones, and many that are rare. */
const queries = [
  ["a word of every second file", "w20"],
  ["a word of one file in ten", "w800"],
  ["a rare word", "w39999"],
  ["a rare word and a frequent one", "w39998 w3"],
  ["three frequent words", "w60 w90 w120"],
  ["a word that no file has", "nowhere"],
] as const;

const query = (withWords: string[]): ListQuery => ({
  ...{ templates: false, statuses: [], ids: undefined, transactionIds: [], email: "", recipientName: "", text: "" },
  ...{ withText: [], withWords, customField: undefined, bulkBatchId: "" },
  ...{ dateField: undefined, from: undefined, to: undefined },
  ...{ order: "created", ascending: false, after: undefined, offset: 0, limit: 50 },
});

const newOrg = (): OrgId => parseOrgId(randomUUID()) as OrgId;

const fillSql = `with r as (select * from json_to_recordset($2) as r(id uuid, file uuid, sha256 bytea, words json)),
  a as (insert into sign.agreement (organization_id, id, status, email_subject, email_blurb, name, description, shared,
      notification, transaction_id, sender, created_at, modified_at, status_changed_at)
    select $1, id, 'created', 'An agreement', '', '', '', false, '{}', '', '{}', now(), now(), now() from r),
  d as (insert into sign.document (organization_id, agreement_id, id, document_id, position, name, bytes, sha256, pages, is_signed)
    select $1, id, file, '1', 1, 'a.pdf', 100000, sha256, '[]', false from r),
  b as (insert into sign.blob (organization_id, sha256, bytes, is_sealed) select $1, sha256, '', true from r),
  o as (insert into sign.blob_reference (organization_id, owner_id, sha256) select $1, file, sha256 from r)
  insert into sign.file_words (organization_id, agreement_id, document_id, words, is_whole)
  select $1, id, file, array_to_tsvector(array(select json_array_elements_text(words))), true from r`;

const folder = mkdtempSync(join(tmpdir(), "assent-search-"));
const postgres = await startPostgres({ dataDir: folder, durable: true });
const key = randomBytes(32);
const vault = createSeedVault("sign", [key], () => key);
try {
  const url = await openOwnedDatabase(postgres.url, "drill", "assent_owner");
  await migrateAll(url, createLogger("sign", "silent"));
  const superuser = createPool({
    ...{ url: postgres.url.replace(/\/postgres(\?|$)/, "/drill$1"), name: "drill", max: 1, statementTimeoutMs: 0 },
  });
  const pool = createPool({ url, role: "assent_sign", name: "sign", max: 2 });
  const searcherPool = createPool({ url, role: "assent_sign_searcher", name: "sign-searcher", max: 2 });
  const [orgId, other] = [newOrg(), newOrg()];
  await superuser.query("drop index sign.file_words_found");
  const hashes = await fill(superuser, orgId, total);
  await fill(superuser, other, Math.ceil(total / 10));
  const beganIndex = performance.now();
  await superuser.query("create index file_words_found on sign.file_words using gin (words)");
  const indexSeconds = (performance.now() - beganIndex) / 1_000;
  await superuser.query("vacuum analyze sign.file_words, sign.agreement, sign.document");
  const sizes = await superuser.query<{ table: string; index: string }>(
    `select pg_size_pretty(pg_table_size('sign.file_words')) as table,
       pg_size_pretty(pg_relation_size('sign.file_words_found')) as index`,
  );
  console.log(
    `${total} agreements: words ${sizes.rows[0]?.table}, index ${sizes.rows[0]?.index}, made in ${indexSeconds.toFixed(0)} s`,
  );
  for (const [name, text] of queries) {
    const times: number[] = [];
    let found = 0;
    for (let n = 0; n < 40; n += 1) {
      const began = performance.now();
      const ids = (await searchFiles({ pool, searcherPool, vault }, orgId, text)) ?? [];
      const page = await withOrg(pool, orgId, (tenant) => listAgreements(tenant, query(ids)));
      times.push(performance.now() - began);
      found = ids.length;
      if (page.length === 0 && ids.length > 0) throw new Error("found and not listed");
    }
    times.sort((a, b) => a - b);
    console.log(`${name}: ${found} found, p50 ${times[20]?.toFixed(1)} ms, p95 ${times[37]?.toFixed(1)} ms`);
  }
  await superuser.query("delete from sign.file_words where ctid in (select ctid from sign.file_words limit 500)");
  const { rows } = await superuser.query<{ agreementId: string; documentId: string }>(
    `select d.agreement_id as "agreementId", d.id as "documentId" from sign.document d where not exists
       (select from sign.file_words w where w.document_id = d.id) and d.organization_id = $1`,
    [orgId],
  );
  const beganWrites = performance.now();
  for (const file of rows) {
    const words = wordNumbers().map((number) => hashes[number] ?? "");
    await withOrg(pool, orgId, (tenant) => noteWords(tenant, file, { words, isWhole: true }));
  }
  console.log(`${rows.length} files noted, ${((performance.now() - beganWrites) / rows.length).toFixed(2)} ms each`);
  await Promise.all([superuser.end(), pool.end(), searcherPool.end()]);
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** As contracts are: of a vocabulary, few words are in most of them. */
function wordNumbers(): number[] {
  const numbers = new Set<number>();
  while (numbers.size < wordsOfFile) numbers.add(Math.floor(vocabulary * Math.random() ** 3));
  return [...numbers];
}

/** Agreements with one file each; the hashes of all words of the organization. */
async function fill(superuser: pg.Pool, orgId: OrgId, agreements: number): Promise<string[]> {
  const hashes = Array.from({ length: vocabulary }, (_, n) => hashedWord(vault, orgId, "english", `w${n}`));
  await superuser.query("insert into sign.file_search (organization_id, is_on, changed_at) values ($1, true, now())", [
    orgId,
  ]);
  const atOnce = 200;
  for (let done = 0; done < agreements; done += atOnce) {
    const rows = Array.from({ length: Math.min(atOnce, agreements - done) }, () => ({
      ...{ id: newId(), file: randomUUID(), sha256: `\\x${randomBytes(32).toString("hex")}` },
      words: wordNumbers().map((number) => hashes[number]),
    }));
    await superuser.query(fillSql, [orgId, JSON.stringify(rows)]);
  }
  return hashes;
}
