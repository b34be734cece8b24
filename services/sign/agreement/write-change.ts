import type pg from "pg";
import type { Caller } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import { type OutboxRecord, outboxInsertSql } from "#platform/outbox/outbox.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { signRecord } from "../events.ts";
import type { AgreementFiles } from "../files/agreement-files.ts";
import { withImagesApart } from "../files/signature-images.ts";
import { type IdentityCodes, withCodesKept } from "../identity/codes.ts";
import { jobInsertion } from "../jobs/job-store.ts";
import { noticesOf } from "../notices/notices.ts";
import { readingOf } from "../search/search-store.ts";
import { progressRemoval, removeProgress } from "../signing/progress.ts";
import type { Agreement } from "./agreement.ts";
import { type Parameter, type Write, writeTogether } from "./agreement-columns.ts";
import {
  customFieldTable,
  documentTable,
  encodeAgreement,
  type PartTable,
  recipientTable,
  writtenColumns,
} from "./agreement-records.ts";
import { chain } from "./audit-chain.ts";
import { commit } from "./audit-commitment.ts";
import { auditInsertion } from "./audit-store.ts";
import type { Change, JobRequest, SignEvent } from "./change.ts";
import { eraseFiles, filesOf, moveBytes, type NewBytes } from "./file-store.ts";
import { listSubjectKeys, subjectKeyInsertion, subjectsOf } from "./subject-keys.ts";

/** The caller as recorded in events. */
export interface CallerContext extends Pick<Caller, "orgId" | "requestId" | "traceparent"> {
  /**
   * Aborted when the caller has stopped waiting: nothing is written then, because the caller was told to try
   * again.
   */
  readonly signal?: AbortSignal;
  /** Of the lock that the caller holds, or empty. Absent for what happens whether somebody has locked it or not. */
  readonly lockToken?: string;
}

export interface WriteDeps {
  readonly files: AgreementFiles;
  readonly clock: Clock;
  readonly newId: NewId;
  /** What the personal part of the trail is sealed with. */
  readonly vault: SeedVault;
  /** What access codes are hashed with. */
  readonly codes: Pick<IdentityCodes, "keep" | "keptHash">;
  /** Undefined without a mail server: no mail jobs are created, because nothing would ever send them. */
  readonly mail?: object | undefined;
}

export const schema = "sign";

/**
 * Writes a change of a locked agreement, or creates the agreement when there is none before; returns it as
 * stored. Rows are locked in the order agreement, blobs, jobs; nobody else can lock a new agreement.
 */
export async function writeChange(
  deps: WriteDeps,
  tenant: Tenant,
  caller: CallerContext,
  {
    before,
    change,
    bytes,
  }: { readonly before: Agreement | undefined; readonly change: Change; readonly bytes: NewBytes },
): Promise<Agreement> {
  if (before !== undefined && isNothing(before, change)) return before;
  const { orgId } = caller;
  const now = deps.clock.now();
  const head = (before ?? change.agreement).audit;
  const { id: agreementId, status: agreementStatus } = change.agreement;
  const subjects = subjectsOf({
    ...{ vault: deps.vault, newId: deps.newId, orgId, agreement: change.agreement },
    recipients: [...change.agreement.recipients, ...(before?.recipients ?? [])],
    known: before === undefined || change.audit.length === 0 ? [] : await listSubjectKeys(tenant, agreementId),
  });
  // The agreement is locked: nobody else adds keys to it.
  const entries = change.audit.map((one) => ({ ...one, committed: one.committed ?? commit(one, subjects.find) }));
  const trail = chain(entries, { agreementId, head, occurredAt: now, agreementStatus });
  const { agreement: apart, images } = withImagesApart(await withoutCodes(deps, orgId, change.agreement));
  const after = { ...apart, version: (before?.version ?? 0) + 1, audit: trail.head };

  const isDeleted = change.events.some(isDeletion);
  const kept = isDeleted ? emptied(after) : after;
  if (before !== undefined) await removeParts(tenant, before, kept);
  const fileWrites = await moveBytes(tenant, deps.files, {
    ...{ agreementId, isNew: before === undefined, bytes: images.size === 0 ? bytes : new Map([...bytes, ...images]) },
    before: before === undefined || isDeleted ? [] : filesOf(before),
    after: filesOf(kept),
  });
  if (before !== undefined && isDeleted) await eraseFiles(tenant, deps.files, before);
  const isMail = ({ kind }: JobRequest): boolean => kind === "mail" || kind === "notice";
  const notices = noticesOf(after, change.events, now);
  const jobs = deps.mail === undefined ? change.jobs.filter((job) => !isMail(job)) : [...change.jobs, ...notices];
  const records = change.events.map((event) => signRecord({ caller, eventId: deps.newId(), now }, after, event));
  const written = await writeTogether(tenant.client, [
    ...(before === undefined ? insertionOf(orgId, kept) : updateOf(orgId, before, kept, isDeleted ? now : null)),
    ...fileWrites,
    ...(before === undefined ? [] : progressRemoval(orgId, before, kept)),
    ...auditInsertion(orgId, agreementId, trail.events, subjects.keyOf),
    ...subjectKeyInsertion(orgId, agreementId, subjects.added),
    ...jobInsertion({ caller, agreementId, newId: deps.newId, now }, jobs),
    ...readingOf({ caller, newId: deps.newId, now }, newFiles(before, kept)),
    ...outboxInsertion(records),
  ]);
  if (written !== 1) throw new Error(`agreement ${agreementId} was changed by someone who had not locked it`);
  return after;
}

/** Without what people are to prove, there is nothing to hash. */
const withoutCodes = ({ codes }: Pick<WriteDeps, "codes">, orgId: OrgId, agreement: Agreement) =>
  agreement.recipients.some(({ verification }) => verification) ? withCodesKept(codes, orgId, agreement) : agreement;

const newFiles = (before: Agreement | undefined, { id: agreementId, documents }: Agreement) => {
  const known = new Set(before?.documents.map(({ id }) => id));
  return documents.filter(({ id }) => !known.has(id)).map(({ id }) => ({ agreementId, documentId: id }));
};

const isNothing = (before: Agreement, { agreement, audit, events, jobs }: Change): boolean =>
  agreement === before && audit.length + events.length + jobs.length === 0;

const isDeletion = ({ kind }: SignEvent): boolean => kind === "agreement.deleted" || kind === "template.deleted";

/** What remains of a deleted agreement: its row and trail, without anything people entered. */
const emptied = (agreement: Agreement): Agreement => ({
  ...agreement,
  documents: [],
  certificate: null,
  recipients: [],
  customFields: [],
  emailSubject: "",
  emailBlurb: "",
  name: "",
  description: "",
  metadata: null,
  subscription: null,
});

const outboxInsertion = (records: readonly OutboxRecord[]): Write[] =>
  records.length === 0 ? [] : [{ name: "outbox", text: (parameter) => outboxInsertSql(schema, records, parameter) }];

/** The write of a new agreement with all its parts; the agreement's own row comes first. */
export const insertionOf = (orgId: OrgId, agreement: Agreement): Write[] => [
  {
    name: "insert",
    text: (parameter) => `insert into sign.agreement (organization_id, ${writtenColumns.names})
      select ${parameter(orgId)}::uuid, ${writtenColumns.names}
      from json_to_record(${parameter(JSON.stringify(encodeAgreement(agreement)))}::json) as r(${writtenColumns.definitions})`,
  },
  ...upsertsOf(orgId, { ...agreement, documents: [], recipients: [], customFields: [] }, agreement),
];

/**
 * The write of everything that differs between the agreement as read and as it is to be. The agreement's own
 * row comes first and is not written if it has changed or been deleted meanwhile. Setting deletedAt marks it
 * deleted.
 */
const updateOf = (orgId: OrgId, before: Agreement, after: Agreement, deletedAt: Date | null = null): Write[] => [
  {
    name: "update",
    text: (parameter) => `update sign.agreement a
      set ${writtenColumns.assignments("r")}, deleted_at = ${parameter(deletedAt)}::timestamptz
      from json_to_record(${parameter(JSON.stringify(encodeAgreement(after)))}::json) as r(${writtenColumns.definitions})
      where a.organization_id = ${parameter(orgId)}::uuid and a.id = ${parameter(before.id)}::uuid and r.id = a.id
        and a.version = ${parameter(before.version)}::integer and a.deleted_at is null`,
  },
  ...upsertsOf(orgId, before, after),
];

/** Deletes removed parts before others are written, because a new part may take the position of a removed one. */
async function removeParts({ orgId, client }: Tenant, before: Agreement, after: Agreement): Promise<void> {
  const remover: Remover = { client, orgId, agreementId: after.id };
  await removeRows(remover, documentTable, before.documents, after.documents);
  await removeProgress(client, orgId, before, after);
  await removeRows(remover, recipientTable, before.recipients, after.recipients);
  await removeRows(remover, customFieldTable, before.customFields, after.customFields);
}

interface Remover {
  readonly client: pg.PoolClient;
  readonly orgId: OrgId;
  readonly agreementId: string;
}

async function removeRows<T>(
  { client, orgId, agreementId }: Remover,
  { table, key, keyType, keyOf }: PartTable<T>,
  before: readonly T[],
  after: readonly T[],
): Promise<void> {
  if (before === after) return;
  const kept = new Set(after.map(keyOf));
  const removed = before.map(keyOf).filter((one) => !kept.has(one));
  if (removed.length === 0) return;
  await client.query(
    `delete from ${table} where organization_id = $1 and agreement_id = $2 and ${key} = any($3::${keyType}[])`,
    [orgId, agreementId, removed],
  );
}

const upsertsOf = (orgId: OrgId, before: Agreement, after: Agreement): Write[] => [
  ...upsertOf(orgId, after.id, documentTable, before.documents, after.documents),
  ...upsertOf(orgId, after.id, recipientTable, before.recipients, after.recipients),
  ...upsertOf(orgId, after.id, customFieldTable, before.customFields, after.customFields),
];

/** Parts are immutable: the same object in the same position has not changed and needs no write. */
function upsertOf<T>(
  orgId: OrgId,
  agreementId: string,
  part: PartTable<T>,
  before: readonly T[],
  after: readonly T[],
): Write[] {
  const { table, key, names, definitions } = part;
  const rows = after.flatMap((one, index) => (before[index] === one ? [] : [part.encode(one, index + 1)]));
  if (rows.length === 0) return [];
  const text = (parameter: Parameter) => `insert into ${table} (organization_id, agreement_id, ${names})
    select ${parameter(orgId)}::uuid, ${parameter(agreementId)}::uuid, ${names}
    from json_to_recordset(${parameter(JSON.stringify(rows))}::json) as r(${definitions})
    on conflict (organization_id, agreement_id, ${key}) do update set ${part.assignments("excluded")}`;
  return [{ name: table.replace(/^sign\.(custom_)?/, ""), text }];
}
