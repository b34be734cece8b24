import { MailRefusedError } from "#platform/mail/mail.ts";
import { formMail, inLanguages, plainLook, type WrittenMail } from "#platform/mail/mail-layout.ts";
import type { JobRequest } from "../agreement/change.ts";
import type { Job, JobHandler } from "../jobs/job.ts";
import { insertJobs } from "../jobs/job-store.ts";
import type { NoticeDeps } from "../jobs/notices.ts";
import type { NoticeReader } from "../notices/readers.ts";
import { type CheckDeps, checkProof, nextCheck, type ProvenKind } from "./check.ts";
import { type Proven, recordsOf, type SenderDomain } from "./sender-domain.ts";
import * as store from "./store.ts";

/** What the auth service calls all owners of an organization. */
const owners = "role:owner";

/** About three days with the job loop's pauses, which soon become an hour. */
const maxAttempts = 84;

/** Domains that mails come from. */
export const senderKind = ({ mailDomain }: Pick<CheckDeps, "mailDomain">): ProvenKind<SenderDomain> => ({
  ...{ name: "sender-domain", idName: "senderDomainId", nameOf: ({ domain }) => domain },
  recordsOf: (one) => recordsOf(one, mailDomain),
  ...{ find: store.findSenderDomain, save: store.saveCheck, isTaken: store.isTaken },
});

/**
 * Looks at the records each hour, from when they are verified. Once they are gone, the installation's own is used again
 * and each owner gets a mail, planned in the transaction that notes it; once they are back, it is used again.
 */
export const recheckProofs = <One extends Proven>(deps: NoticeDeps, kind: ProvenKind<One>): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ orgId, payload, requestId, traceparent }) => {
    const id = String(payload[kind.idName]);
    const caller = { orgId, clientId: "", requestId, traceparent };
    // Asked for beforehand: no transaction waits for another service.
    const readers = await deps.noticeReaders.ofSender(orgId, owners);
    const checked = await checkProof(deps, caller, kind, id, async (tenant, { before, after }) => {
      if (before.status !== "verified" || after.status !== "lost") return;
      const now = deps.clock.now();
      const mails = readers.map(({ userId }): JobRequest => {
        const told = { domain: kind.nameOf(after), readerId: userId };
        return { kind: `${kind.name}-mail`, key: `${id}:${userId}:${now.getTime()}`, runAt: now, payload: told };
      });
      await insertJobs(tenant, { caller, agreementId: null, newId: deps.newId, now }, mails);
    });
    return checked === undefined ? { kind: "done" } : { kind: "again", runAt: nextCheck(deps.clock.now()) };
  },
});

/** Tells an owner what was lost. As other mails, it may be sent twice with one Message-ID. */
export const tellOwners = (deps: NoticeDeps, { name }: Pick<ProvenKind<Proven>, "name">): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job) => {
    // As the person is now: whoever was removed is not told.
    const reader = await deps.noticeReaders.ofUser(job.orgId, String(job.payload.readerId));
    if (reader !== undefined && deps.mail !== undefined) await trySend(deps, deps.mail, job, { reader, name });
    return { kind: "done" };
  },
});

/** Rejects while a retry makes sense. */
async function trySend(
  { logger }: NoticeDeps,
  { mailer, publicUrl }: NonNullable<NoticeDeps["mail"]>,
  job: Job,
  { reader, name }: { readonly reader: NoticeReader } & Pick<ProvenKind<Proven>, "name">,
): Promise<void> {
  const baseUrl = publicUrl();
  try {
    await mailer.send({
      to: { name: reader.name, address: reader.email },
      messageId: `<${job.id}@${new URL(baseUrl).hostname}>`,
      ...lossMail(name, reader, String(job.payload.domain), baseUrl),
    });
  } catch (error) {
    if (!(error instanceof MailRefusedError) && job.attempts < maxAttempts) throw error;
    logger.warn({ err: error, requestId: job.requestId }, "a mail about lost DNS records was given up");
  }
}

type LossTexts = Readonly<Record<"greeting" | "subject" | ProvenKind<Proven>["name"] | "action", string>>;

const en: LossTexts = {
  greeting: "Hello {name},",
  subject: "Check the DNS records of {domain}",
  "sender-domain":
    "The DNS records that let us send email from {domain} are missing or have changed. Until they are back, emails about your agreements come from the address of this installation. Nothing else changes, and no email is lost.",
  "page-host":
    "The DNS record that proves that {domain} is yours is missing or has changed. Until it is back, emails link to the address of this installation instead. Links that were sent before keep working for as long as {domain} leads here.",
  action: "Show the records",
};
const de: LossTexts = {
  greeting: "Guten Tag {name},",
  subject: "Prüfen Sie die DNS-Einträge von {domain}",
  "sender-domain":
    "Die DNS-Einträge, mit denen wir E-Mails von {domain} senden dürfen, fehlen oder wurden geändert. Bis sie wieder da sind, kommen E-Mails zu Ihren Vereinbarungen von der Adresse dieser Installation. Sonst ändert sich nichts, und keine E-Mail geht verloren.",
  "page-host":
    "Der DNS-Eintrag, der belegt, dass {domain} Ihnen gehört, fehlt oder wurde geändert. Bis er wieder da ist, führen Links in E-Mails auf die Adresse dieser Installation. Früher gesendete Links funktionieren weiter, solange {domain} hierher führt.",
  action: "Einträge anzeigen",
};
const lossLanguage = inLanguages<LossTexts>({ en, de });

function lossMail(
  kind: ProvenKind<Proven>["name"],
  { name, locale }: Pick<NoticeReader, "name" | "locale">,
  domain: string,
  baseUrl: string,
): WrittenMail {
  const { tag, texts } = lossLanguage(locale);
  return formMail({
    ...{ tag, look: plainLook(), values: { name, domain }, subject: texts.subject },
    ...{ paragraphs: [texts.greeting, texts[kind]], action: texts.action, link: `${baseUrl}/dashboard/brands` },
  });
}
