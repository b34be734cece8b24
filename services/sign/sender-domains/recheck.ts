import { MailRefusedError } from "#platform/mail/mail.ts";
import { formMail, inLanguages, plainLook, type WrittenMail } from "#platform/mail/mail-layout.ts";
import type { JobRequest } from "../agreement/change.ts";
import type { Job, JobHandler } from "../jobs/job.ts";
import { insertJobs } from "../jobs/job-store.ts";
import type { NoticeDeps } from "../jobs/notices.ts";
import type { NoticeReader } from "../notices/readers.ts";
import { checkDomain, nextCheck } from "./check.ts";

/** What the auth service calls all owners of an organization. */
const owners = "role:owner";

/** About three days with the job loop's pauses, which soon become an hour. */
const maxAttempts = 84;

/**
 * Looks at the records of a domain each hour, from when it is verified. Once they are gone, mails come from the
 * installation's sender again and each owner gets a mail, planned in the transaction that notes it; once they are back,
 * mails come from the domain again.
 */
export const recheckDomains = (deps: NoticeDeps): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ orgId, payload, requestId, traceparent }) => {
    const id = String(payload.senderDomainId);
    const caller = { orgId, clientId: "", requestId, traceparent };
    // Asked for beforehand: no transaction waits for another service.
    const readers = await deps.noticeReaders.ofSender(orgId, owners);
    const checked = await checkDomain(deps, caller, id, async (tenant, { before, after }) => {
      if (before.status !== "verified" || after.status !== "lost") return;
      const now = deps.clock.now();
      const mails = readers.map(({ userId }): JobRequest => {
        const told = { domain: after.domain, readerId: userId };
        return { kind: "sender-domain-mail", key: `${id}:${userId}:${now.getTime()}`, runAt: now, payload: told };
      });
      await insertJobs(tenant, { caller, agreementId: null, newId: deps.newId, now }, mails);
    });
    return checked === undefined ? { kind: "done" } : { kind: "again", runAt: nextCheck(deps.clock.now()) };
  },
});

/** Tells an owner that mails no longer come from a domain. As other mails, it may be sent twice with one Message-ID. */
export const tellOwners = (deps: NoticeDeps): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job) => {
    // As the person is now: whoever was removed is not told.
    const reader = await deps.noticeReaders.ofUser(job.orgId, String(job.payload.readerId));
    if (reader !== undefined && deps.mail !== undefined) await trySend(deps, deps.mail, job, reader);
    return { kind: "done" };
  },
});

/** Rejects while a retry makes sense. */
async function trySend(
  { logger }: NoticeDeps,
  { mailer, publicUrl }: NonNullable<NoticeDeps["mail"]>,
  job: Job,
  reader: NoticeReader,
): Promise<void> {
  const baseUrl = publicUrl();
  try {
    await mailer.send({
      to: { name: reader.name, address: reader.email },
      messageId: `<${job.id}@${new URL(baseUrl).hostname}>`,
      ...lossMail(reader, String(job.payload.domain), baseUrl),
    });
  } catch (error) {
    if (!(error instanceof MailRefusedError) && job.attempts < maxAttempts) throw error;
    logger.warn({ err: error, requestId: job.requestId }, "a mail about a sender domain was given up");
  }
}

type LossTexts = Readonly<Record<"greeting" | "subject" | "text" | "action", string>>;

const en: LossTexts = {
  greeting: "Hello {name},",
  subject: "Check the DNS records of {domain}",
  text: "The DNS records that let us send email from {domain} are missing or have changed. Until they are back, emails about your agreements come from the address of this installation. Nothing else changes, and no email is lost.",
  action: "Show the records",
};
const de: LossTexts = {
  greeting: "Guten Tag {name},",
  subject: "Prüfen Sie die DNS-Einträge von {domain}",
  text: "Die DNS-Einträge, mit denen wir E-Mails von {domain} senden dürfen, fehlen oder wurden geändert. Bis sie wieder da sind, kommen E-Mails zu Ihren Vereinbarungen von der Adresse dieser Installation. Sonst ändert sich nichts, und keine E-Mail geht verloren.",
  action: "Einträge anzeigen",
};
const lossLanguage = inLanguages<LossTexts>({ en, de });

function lossMail(reader: Pick<NoticeReader, "name" | "locale">, domain: string, baseUrl: string): WrittenMail {
  const { tag, texts } = lossLanguage(reader.locale);
  return formMail({
    ...{ tag, look: plainLook(), values: { name: reader.name, domain }, subject: texts.subject },
    ...{ paragraphs: [texts.greeting, texts.text], action: texts.action, link: `${baseUrl}/dashboard/brands` },
  });
}
