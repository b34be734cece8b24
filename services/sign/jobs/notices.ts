import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { type Mail, MailRefusedError } from "#platform/mail/mail.ts";
import type { MailSetup } from "#platform/mail/mail-settings.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { loadAgreement } from "../agreement/agreement-store.ts";
import type { JobRequest } from "../agreement/change.ts";
import type { SignDeps } from "../deps.ts";
import { type Notice, nextDigest, noticeOf } from "../notices/notices.ts";
import type { NoticeReader, NoticeReaders } from "../notices/readers.ts";
import { type News, writeDigest, writeNotice } from "../notices/write-notice.ts";
import type { Job, JobHandler, JobOutcome } from "./job.ts";
import { insertJobs } from "./job-store.ts";

export interface NoticeDeps extends SignDeps {
  /** Whom the auth service names to be told of an agreement. */
  readonly noticeReaders: NoticeReaders;
}

const done: JobOutcome = { kind: "done" };

/** About three days with the job loop's pauses, which soon become an hour. */
const maxAttempts = 84;

/** One summary has so many at most; what is beyond comes with the next. */
const maxInDigest = 200;

/** Decides who is told of news and how. All mails and the end of the job are one transaction, so that each is made once. */
export const tellSenders = (deps: NoticeDeps): JobHandler => ({
  concurrency: 2,
  maxAttempts,
  run: async (job, hold) => {
    const notice = noticeOf(job.payload);
    const agreement = notice && (await load(deps, job, notice.agreementId));
    if (notice === undefined || agreement === undefined) return done;
    const readers = await deps.noticeReaders.ofSender(job.orgId, agreement.sender.id);
    const told = readers.filter((reader) => reader.wants(notice.notice));
    if (told.length === 0) return done;
    await withOrg(deps.pool, job.orgId, async (tenant) => {
      await hold.endIn(tenant);
      for (const reader of told) await plan(deps, tenant, job, { notice, reader });
    });
    deps.wakeJobs();
    return done;
  },
});

async function plan(
  deps: NoticeDeps,
  tenant: Tenant,
  job: Job,
  { notice, reader }: { readonly notice: Notice; readonly reader: NoticeReader },
): Promise<void> {
  const now = deps.clock.now();
  if (!reader.isDaily) {
    const payload = { ...notice, readerId: reader.userId };
    const key = `${reader.userId}:${job.id}`;
    await insertJobs(tenant, originOf(deps, job, notice.agreementId), [
      { kind: "notice-mail", key, runAt: now, payload },
    ]);
    return;
  }
  await insertWaiting(tenant, reader.userId, { id: job.id, ...notice });
  await planDigest(deps, tenant, job, reader);
}

/**
 * One summary waits for each reader. Its row is locked when it is there, so that a summary that is just being sent either
 * has these news or plans another one.
 */
async function planDigest(deps: NoticeDeps, tenant: Tenant, job: Job, reader: NoticeReader): Promise<void> {
  const digest = digestJob(reader, deps.clock.now());
  await insertJobs(tenant, originOf(deps, job, null), [digest]);
  const lock = "select 1 from sign.job where organization_id = $1 and kind = $2 and key = $3 for no key update";
  const { rowCount } = await tenant.client.query(lock, [tenant.orgId, digest.kind, digest.key]);
  if (rowCount === 0) await insertJobs(tenant, originOf(deps, job, null), [digest]);
}

const digestJob = ({ userId, timeZone }: NoticeReader, now: Date): JobRequest => ({
  ...{ kind: "notice-mail", key: userId, runAt: nextDigest(timeZone, now), payload: { readerId: userId } },
});

const originOf = (
  { newId, clock }: NoticeDeps,
  { orgId, requestId, traceparent }: Job,
  agreementId: string | null,
) => ({
  ...{ caller: { orgId, requestId, traceparent }, agreementId, newId, now: clock.now() },
});

/**
 * Sends one notice, or the summary of what waits. As with other mails, it is only sent twice, with the same Message-ID, if
 * the process dies after the server accepted it and before that is recorded.
 */
export const sendNotices = (deps: NoticeDeps): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job, hold) => {
    const readerId = String(job.payload.readerId);
    const notice = noticeOf(job.payload);
    // As the person and the settings are now: whoever was erased, or wants no more, is not told.
    const reader = await deps.noticeReaders.ofUser(job.orgId, readerId);
    const waiting =
      notice === undefined ? await inOrg(deps, job, (tenant) => listWaiting(tenant, readerId, maxInDigest)) : [];
    const about = notice === undefined ? waiting : [notice];
    const news = reader === undefined ? [] : await wanted(deps, job, readerId, await newsOf(deps, job, about));
    if (reader !== undefined && news.length > 0)
      await trySend(deps, job, { reader, news, isDigest: notice === undefined });
    await inOrg(deps, job, async (tenant) => {
      await hold.endIn(tenant);
      if (notice === undefined) await finishDigest(deps, tenant, job, { readerId, reader, waiting });
    });
    return done;
  },
});

async function finishDigest(
  deps: NoticeDeps,
  tenant: Tenant,
  job: Job,
  sent: {
    readonly readerId: string;
    readonly reader: NoticeReader | undefined;
    readonly waiting: readonly { readonly id: string }[];
  },
): Promise<void> {
  const { readerId, reader, waiting } = sent;
  await removeWaiting(
    tenant,
    readerId,
    waiting.map(({ id }) => id),
  );
  if (!(await isAnyWaiting(tenant, readerId))) return;
  const runAt = reader === undefined ? deps.clock.now() : nextDigest(reader.timeZone, deps.clock.now());
  const again: JobRequest = { kind: "notice-mail", key: readerId, runAt, payload: { readerId } };
  await insertJobs(tenant, originOf(deps, job, null), [again]);
}

const inOrg = <T>({ pool }: NoticeDeps, { orgId }: Job, work: (tenant: Tenant) => Promise<T>): Promise<T> =>
  withOrg(pool, orgId, work);

const load = (deps: NoticeDeps, job: Job, agreementId: string): Promise<Agreement | undefined> =>
  inOrg(deps, job, (tenant) => loadAgreement(tenant, agreementId));

/** Without those of agreements that were deleted. */
async function newsOf(deps: NoticeDeps, job: Job, notices: readonly Notice[]): Promise<News[]> {
  const agreements = new Map<string, Agreement | undefined>();
  for (const { agreementId } of notices) {
    if (!agreements.has(agreementId)) agreements.set(agreementId, await load(deps, job, agreementId));
  }
  return notices.flatMap((notice) => {
    const agreement = agreements.get(notice.agreementId);
    return agreement === undefined ? [] : [{ notice, agreement }];
  });
}

/** What a person wants to know may differ by who has sent an agreement, so each sender is asked about. */
async function wanted(deps: NoticeDeps, job: Job, readerId: string, all: readonly News[]): Promise<News[]> {
  const readers = new Map<string, NoticeReader | undefined>();
  for (const senderId of new Set(all.map(({ agreement }) => agreement.sender.id))) {
    const told = await deps.noticeReaders.ofSender(job.orgId, senderId);
    readers.set(
      senderId,
      told.find(({ userId }) => userId === readerId),
    );
  }
  return all.filter(({ notice, agreement }) => readers.get(agreement.sender.id)?.wants(notice.notice) === true);
}

interface Letter {
  readonly reader: NoticeReader;
  readonly news: readonly News[];
  readonly isDigest: boolean;
}

/** Rejects while a retry makes sense. */
async function trySend(deps: NoticeDeps, job: Job, letter: Letter): Promise<void> {
  if (deps.mail === undefined) return;
  try {
    await deps.mail.mailer.send(mailOf(deps, deps.mail, job, letter));
  } catch (error) {
    if (!(error instanceof MailRefusedError) && job.attempts < maxAttempts) throw error;
    deps.logger.warn({ err: error, requestId: job.requestId }, "a notice to a sender was given up");
  }
}

function mailOf(deps: NoticeDeps, { publicUrl }: MailSetup, job: Job, { reader, news, isDigest }: Letter): Mail {
  const baseUrl = publicUrl();
  const context = {
    ...{ reader, baseUrl, organizationName: deps.organizations.known(job.orgId)?.name ?? "" },
    stopUrl: `${baseUrl}/notices/stop/${reader.stopToken}`,
  };
  const [first] = news;
  const written = isDigest || first === undefined ? writeDigest(news, context) : writeNotice(first, context);
  return {
    to: { name: reader.name, address: reader.email },
    messageId: `<${job.id}@${new URL(baseUrl).hostname}>`,
    unsubscribeUrl: context.stopUrl,
    ...written,
  };
}

/** News that wait for the next summary of a reader; ids only. */
interface WaitingNotice extends Notice {
  /** UUID. */
  readonly id: string;
}

/** Does nothing when it is there. */
async function insertWaiting({ orgId, client }: Tenant, readerId: string, waiting: WaitingNotice): Promise<void> {
  const { id, agreementId, recipientId, notice, at } = waiting;
  await client.query(
    `insert into sign.notice (organization_id, reader_id, id, agreement_id, recipient_id, kind, occurred_at)
     values ($1, $2, $3, $4, nullif($5, '')::uuid, $6, $7) on conflict do nothing`,
    [orgId, readerId, id, agreementId, recipientId, notice, at],
  );
}

/** The oldest first. */
async function listWaiting({ orgId, client }: Tenant, readerId: string, limit: number): Promise<WaitingNotice[]> {
  const { rows } = await client.query<Omit<WaitingNotice, "at"> & { readonly occurredAt: Date }>(
    `select id, agreement_id as "agreementId", coalesce(recipient_id::text, '') as "recipientId", kind as notice,
       occurred_at as "occurredAt"
     from sign.notice where organization_id = $1 and reader_id = $2 order by occurred_at, id limit $3`,
    [orgId, readerId, limit],
  );
  return rows.map(({ occurredAt, ...row }) => ({ ...row, at: occurredAt.toISOString() }));
}

async function removeWaiting({ orgId, client }: Tenant, readerId: string, ids: readonly string[]): Promise<void> {
  await client.query("delete from sign.notice where organization_id = $1 and reader_id = $2 and id = any($3::uuid[])", [
    orgId,
    readerId,
    ids,
  ]);
}

async function isAnyWaiting({ orgId, client }: Tenant, readerId: string): Promise<boolean> {
  const sql = "select 1 from sign.notice where organization_id = $1 and reader_id = $2 limit 1";
  return (await client.query(sql, [orgId, readerId])).rowCount === 1;
}
