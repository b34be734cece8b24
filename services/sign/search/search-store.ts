import type pg from "pg";
import type { Caller } from "#platform/caller.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { isUuid, type NewId, type OrgId } from "#platform/ids.ts";
import type { Parameter, Write } from "../agreement/agreement-columns.ts";
import type { FileWords } from "../intake/messages.ts";

/** Whether an organization finds agreements by the words of their files, and how far these have been read. */
export interface FileSearchSetting {
  readonly isOn: boolean;
  /** Null when it was never turned on. */
  readonly changedAt: Date | null;
  /** Since when the files of before are planned to be read, all of them. */
  readonly filledAt: Date | null;
}

const never: FileSearchSetting = { isOn: false, changedAt: null, filledAt: null };

/** With the lock, whoever turns it on or off waits until the transaction has ended, and the other way round. */
export async function readSetting({ orgId, client }: Tenant, { lock = false } = {}): Promise<FileSearchSetting> {
  const { rows } = await client.query<FileSearchSetting>(
    `select is_on as "isOn", changed_at as "changedAt", filled_at as "filledAt" from sign.file_search
     where organization_id = $1 ${lock ? "for update" : ""}`,
    [orgId],
  );
  return rows[0] ?? never;
}

/** False when it was so before. */
export async function turn({ orgId, client }: Tenant, isOn: boolean, now: Date): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into sign.file_search as s (organization_id, is_on, changed_at) values ($1, $2, $3)
     on conflict (organization_id) do update set is_on = $2, changed_at = $3, filled_through = null, filled_at = null
       where s.is_on <> $2`,
    [orgId, isOn, now],
  );
  return rowCount === 1;
}

/** How many files there are, and how many have been read. */
export async function countFiles({
  orgId,
  client,
}: Tenant): Promise<{ readonly files: number; readonly read: number }> {
  const { rows } = await client.query<{ files: number; read: number }>(
    `select (select count(*)::float8 from sign.document where organization_id = $1) as files,
       (select count(*)::float8 from sign.file_words where organization_id = $1) as read`,
    [orgId],
  );
  return rows[0] ?? { files: 0, read: 0 };
}

/** How many files wait to be read, counted up to a limit. */
export async function countWaiting({ orgId, client }: Tenant, limit: number): Promise<number> {
  const { rows } = await client.query<{ waiting: number }>(
    `select count(*)::integer as waiting from (select from sign.job
       where organization_id = $1 and kind = 'file-words' and failed_at is null limit $2) j`,
    [orgId, limit],
  );
  return rows[0]?.waiting ?? 0;
}

/** The next files that nobody has read, by their agreements, and notes how far that was; undefined at the end. */
export async function nextUnread({ orgId, client }: Tenant, agreements: number): Promise<IndexedFile[] | undefined> {
  const { rows } = await client.query<{ last: string; files: IndexedFile[] }>(
    `with page as (
       select a.id from sign.agreement a join sign.file_search s on s.organization_id = a.organization_id
       where a.organization_id = $1 and (s.filled_through is null or a.id > s.filled_through) order by a.id limit $2
     ),
     unread as (
       select d.agreement_id, d.id from page join sign.document d on d.organization_id = $1 and d.agreement_id = page.id
       where not exists (select from sign.file_words w where w.organization_id = $1
         and w.agreement_id = d.agreement_id and w.document_id = d.id)
     ),
     noted as (
       update sign.file_search set filled_through = (select id from page order by id desc limit 1)
       where organization_id = $1 and exists (select from page)
     )
     select (select id from page order by id desc limit 1) as last,
       coalesce((select json_agg(json_build_object('agreementId', agreement_id, 'documentId', id)) from unread), '[]') as files`,
    [orgId, agreements],
  );
  return rows[0]?.last == null ? undefined : rows[0].files;
}

/** All files are planned to be read; or, with null, it begins anew. */
export async function noteFilled({ orgId, client }: Tenant, at: Date | null): Promise<void> {
  await client.query("update sign.file_search set filled_at = $2, filled_through = null where organization_id = $1", [
    orgId,
    at,
  ]);
}

/** Some of what was read, all by and by; false when nothing is left. */
export async function forgetSome({ orgId, client }: Tenant, limit: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `delete from sign.file_words where organization_id = $1 and (agreement_id, document_id) in
       (select agreement_id, document_id from sign.file_words where organization_id = $1 limit $2)`,
    [orgId, limit],
  );
  return (rowCount ?? 0) > 0;
}

interface Planned {
  readonly caller: Pick<Caller, "orgId" | "requestId" | "traceparent">;
  readonly newId: NewId;
  readonly now: Date;
}

/** Plans to read files once they are stored, where the organization searches. */
export function readingOf({ caller, newId, now }: Planned, files: readonly IndexedFile[]): Write[] {
  if (files.length === 0) return [];
  const rows = JSON.stringify(files.map((file) => ({ id: newId(), ...file })));
  const text = (parameter: Parameter) => {
    const orgId = parameter(caller.orgId);
    return `insert into sign.job
        (organization_id, id, kind, key, agreement_id, payload, request_id, traceparent, created_at, run_at)
      select ${orgId}::uuid, r.id, 'file-words', r."documentId", r."agreementId",
        json_build_object('agreementId', r."agreementId", 'documentId', r."documentId"),
        ${parameter(caller.requestId)}::text, ${parameter(caller.traceparent)}::text, t.now, t.now
      from json_to_recordset(${parameter(rows)}::json) as r(id uuid, "agreementId" uuid, "documentId" uuid),
        (select ${parameter(now)}::timestamptz as now) t
      where exists (select from sign.file_search s where s.organization_id = ${orgId}::uuid and s.is_on)
      on conflict (organization_id, kind, key) do nothing`;
  };
  return [{ name: "words", text }];
}

/** A file of an agreement or a template. */
export interface IndexedFile {
  readonly agreementId: string;
  /** UUID. */
  readonly documentId: string;
}

/** The file's bytes, while they are there and nobody has read their words. */
export async function findUnread({ orgId, client }: Tenant, file: IndexedFile): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ sha256: Buffer }>(
    `select d.sha256 from ${present} where ${isFile}
       and not exists (select from sign.file_words w where w.organization_id = d.organization_id
         and w.agreement_id = d.agreement_id and w.document_id = d.id)`,
    [orgId, file.agreementId, file.documentId],
  );
  return rows[0]?.sha256;
}

/** Of a file that is there, in an organization that searches. */
const present = `sign.document d
  join sign.blob_reference r on r.organization_id = d.organization_id and r.owner_id = d.id
  join sign.file_search s on s.organization_id = d.organization_id and s.is_on`;
const isFile = "d.organization_id = $1 and d.agreement_id = $2 and d.id = $3";

/** Waits for who erases or deletes the agreement, or turns the search off; they wait until this transaction has ended. */
export async function holdOff({ orgId, client }: Tenant, { agreementId }: IndexedFile): Promise<void> {
  await client.query("select from sign.agreement where organization_id = $1 and id = $2 for share", [
    ...[orgId, agreementId],
  ]);
  await client.query("select from sign.file_search where organization_id = $1 for share", [orgId]);
}

/** Notes the words of a file once; not those of one that has gone meanwhile. */
export async function noteWords(tenant: Tenant, file: IndexedFile, { words, isWhole }: FileWords): Promise<void> {
  await holdOff(tenant, file);
  await tenant.client.query(
    `insert into sign.file_words (organization_id, agreement_id, document_id, words, is_whole)
     select d.organization_id, d.agreement_id, d.id, array_to_tsvector($4::text[]), $5 from ${present} where ${isFile}
     on conflict do nothing`,
    [tenant.orgId, file.agreementId, file.documentId, words, isWhole],
  );
}

/** Notes what is known of the same file in another agreement of the organization; false when nothing is. */
export async function copyWords(tenant: Tenant, file: IndexedFile): Promise<boolean> {
  await holdOff(tenant, file);
  const { rowCount } = await tenant.client.query(
    `insert into sign.file_words (organization_id, agreement_id, document_id, words, is_whole)
     select d.organization_id, d.agreement_id, d.id, k.words, k.is_whole from ${present}
     cross join lateral (
       select w.words, w.is_whole from sign.document o join sign.file_words w
         on w.organization_id = o.organization_id and w.agreement_id = o.agreement_id and w.document_id = o.id
       where o.organization_id = $1 and o.sha256 = d.sha256 limit 1
     ) k
     where ${isFile} on conflict do nothing`,
    [tenant.orgId, file.agreementId, file.documentId],
  );
  return rowCount === 1;
}

/** As many agreements as one search finds at most: the newest. */
const maxFound = 10_000;

/** The agreements with files that answer a query, newest first. The pool must be the searcher's. */
export async function findWithWords(searcher: pg.Pool, orgId: OrgId, query: string): Promise<string[]> {
  const { rows } = await searcher.query<{ id: string }>({
    name: "sign-find-words",
    text: `select distinct agreement_id as id from sign.file_words
      where organization_id = $1 and words @@ $2::tsquery order by 1 desc limit ${maxFound}`,
    values: [orgId, query],
  });
  return rows.map(({ id }) => id).filter(isUuid);
}

/** Postgres has dictionaries for these: they know the words that say nothing, and the stem of the others. */
const languages = [
  ...["danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian"],
  ...["norwegian", "portuguese", "russian", "spanish", "swedish", "turkish"],
];

/** How many different words that say nothing show the language of a text. */
const enoughStopWords = 3;

/** The stems of words in the language of most of them; as they are where it cannot be told. */
export async function stemsOf(
  { client }: Tenant,
  words: readonly string[],
): Promise<{ readonly language: string; readonly stems: string[] }> {
  const { rows } = await client.query<{ language: string; stems: string[] }>(
    `with word as (select w from unnest($1::text[]) w),
     spoken as (
       select l from (select w from word limit 1000) w, unnest($2::text[]) l
       where ts_lexize((l || '_stem')::regdictionary, w) = '{}'
       group by l having count(*) >= ${enoughStopWords} order by count(*) desc, l limit 1
     ),
     dictionary as (select coalesce((select l from spoken), 'simple') as l)
     select l as language, array(
       select distinct unnest(ts_lexize((case l when 'simple' then l else l || '_stem' end)::regdictionary, w)) from word
     ) as stems from dictionary`,
    [words, languages],
  );
  return rows[0] ?? { language: "simple", stems: [] };
}

/** The stems of a few words in every language: nobody says in which one they look for something. */
export async function stemsInAll(
  { client }: Tenant,
  words: readonly string[],
): Promise<{ readonly language: string; readonly stems: string[] }[]> {
  const { rows } = await client.query<{ language: string; stems: string[] }>(
    `select l as language, array(
       select distinct unnest(ts_lexize((case l when 'simple' then l else l || '_stem' end)::regdictionary, w))
       from unnest($1::text[]) w
     ) as stems from unnest($2::text[]) l`,
    [words, ["simple", ...languages]],
  );
  return rows;
}
