import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { type Mail, type MailAttachment, MailNotTakenError, MailRefusedError } from "#platform/mail/mail.ts";
import type { MailSetup } from "#platform/mail/mail-settings.ts";
import { atHost, reportUrlOf } from "#platform/service-settings.ts";
import type { Agreement, Check, Recipient } from "../agreement/agreement.ts";
import { loadAgreement } from "../agreement/agreement-store.ts";
import { changeTo } from "../agreement/change.ts";
import { auditNames } from "../agreement/recipients.ts";
import { seesAll } from "../agreement/visibility.ts";
import type { Branded } from "../brands/brand.ts";
import { readBranded } from "../brands/brand-store.ts";
import { newRecipient } from "../create/new-recipients.ts";
import type { SignDeps } from "../deps.ts";
import { addressOf as checkAddressOf, isShownLater } from "../identity/checks.ts";
import { hasLink, mailTo } from "../mail/mail-to.ts";
import { noteUndelivered } from "../mail/undelivered.ts";
import { readUsedHost } from "../page-hosts/store.ts";
import { isWorthSending, type MailWish, mailWishOf } from "../send/mails.ts";
import { addressOf } from "../sender-domains/sender-domain.ts";
import { openPrivateKey, readSender, type VerifiedSender } from "../sender-domains/store.ts";
import { viewTokenHash } from "../signing/view.ts";
import { deleteView } from "../signing/view-store.ts";
import { createLink } from "../signing/views.ts";
import { changeInJob, type Hold, type Job, type JobHandler, type JobOutcome } from "./job.ts";

const done: JobOutcome = { kind: "done" };

/** About three days with the job loop's pauses, which soon become an hour. */
const maxAttempts = 84;

/**
 * Composes and sends mails. A mail is only sent twice, with the same Message-ID, if the process dies after the
 * server accepted it and before that is recorded. A mail that cannot be sent is recorded in the trail and
 * blocks nothing.
 */
export const sendMails = (deps: SignDeps): JobHandler => ({
  concurrency: 4,
  // It ends by itself: an abandoned job would block later mails of its kind to the same person.
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job, hold) => {
    const letter = await findLetter(deps, job);
    if (letter === undefined) return done;
    const sent = await trySend(deps, job, letter);
    await note(deps, job, hold, letter, sent);
    return done;
  },
});

interface Letter extends Pick<MailWish, "changes"> {
  readonly kind: MailWish["mail"];
  readonly agreement: Agreement;
  readonly recipient: Recipient;
  readonly branded: Branded | undefined;
  /** Absent for that of the installation. */
  readonly sender: VerifiedSender | undefined;
  /** Of a mail that brings a code. */
  readonly code?: { readonly digits: string; readonly address: string };
  /** Where its link leads; absent for the installation's own. */
  readonly host: string | undefined;
}

/** Undefined when the mail no longer applies. */
async function findLetter({ pool, codes, clock }: SignDeps, { orgId, payload }: Job): Promise<Letter | undefined> {
  const wish = mailWishOf(payload);
  if (wish === undefined) return undefined;
  return withOrg(pool, orgId, async (tenant) => {
    const agreement = await loadAgreement(tenant, wish.agreementId);
    const recipient = wish.former
      ? newRecipient({ ...wish.former, recipientId: "1", tabs: [] }, "former", { newId: () => wish.recipientId })
      : agreement?.recipients.find(({ id }) => id === wish.recipientId);
    if (agreement === undefined || recipient === undefined) return undefined;
    if (!isWorthSending(wish.mail, agreement, recipient)) return undefined;
    const check = wish.mail === "code" ? sentCheck(recipient, wish.challenge, clock.now()) : undefined;
    // A newer one was asked for, it is too old, or it was answered already.
    if (wish.mail === "code" && check === undefined) return undefined;
    const code = check && {
      digits: codes.emailCode(orgId, wish.challenge ?? ""),
      address: checkAddressOf(check, recipient),
    };
    // As it is when the mail is sent.
    const branded = await readBranded(tenant, agreement.brandId ?? null);
    const { mail: kind, changes = [] } = wish;
    const [sender, host] = [await readSender(tenant), await readUsedHost(tenant)];
    const letter = { kind, changes, agreement, recipient, branded, sender, host };
    return { ...letter, ...(code === undefined ? {} : { code }) };
  });
}

const sentCheck = ({ verification }: Recipient, challenge: string | undefined, now: Date): Check | undefined =>
  verification?.find(({ sent }) => sent?.challenge === challenge && sent !== null && now < new Date(sent.expiresAt));

type Sent = { readonly messageId: string } | { readonly reason: string };

/** Rejects while a retry makes sense. */
async function trySend(deps: SignDeps, job: Job, letter: Letter): Promise<Sent> {
  if (deps.mail === undefined) return { reason: "no mail server is configured" };
  try {
    return { messageId: await send(deps, deps.mail, job, letter) };
  } catch (error) {
    if (error instanceof MailRefusedError) return { reason: `the mail server refuses the mail${inBrackets(error)}` };
    if (job.attempts < maxAttempts) throw error;
    deps.logger.error({ err: error, agreementId: job.agreementId, requestId: job.requestId }, "a mail was given up");
    return { reason: "the mail could not be sent for three days" };
  }
}

const inBrackets = ({ codes }: MailRefusedError): string => (codes === "" ? "" : ` (${codes})`);

async function send(deps: SignDeps, { mailer, publicUrl }: MailSetup, job: Job, letter: Letter): Promise<string> {
  const { kind, changes, agreement, recipient, branded, host } = letter;
  const baseUrl = publicUrl();
  const messageId = `<${job.id}@${new URL(baseUrl).hostname}>`;
  // Stored before sending, so that nobody gets a link that does not work.
  const token = hasLink(kind) ? await makeLink(deps, job, letter) : undefined;
  const link = token === undefined ? "" : `${atHost(baseUrl, host)}/signing/${token}`;
  try {
    const whose = { orgId: job.orgId, agreementId: agreement.id, recipientId: recipient.id };
    const reportToken = deps.reportTokens.make({ ...whose, mail: kind, sentAt: deps.clock.now() });
    // Whoever has to prove something before seeing the files gets them behind the link only.
    // The same holds for whoever does not see all documents, of which the certificate tells.
    const isForAll = !isShownLater(recipient) && seesAll(agreement, recipient);
    const isWanted = kind === "completed" && branded?.brand.attachFiles === true && isForAll;
    const files = isWanted ? await sealedFiles(deps, job, agreement) : undefined;
    const reportUrl = reportUrlOf(deps.abuseContact, agreement.id);
    const { code } = letter;
    const occasion = { kind, link, messageId, branded, files, reportUrl, changes, code };
    const mail = mailTo(recipient, agreement, occasion);
    await mailer.send({ ...mail, reportToken, ...from(deps, job, letter) });
  } catch (error) {
    if (token !== undefined && isUnsent(error)) await forgetLink(deps, job, token);
    throw error;
  }
  return messageId;
}

/** Many servers take no mail above 20 MB, of which Base64 needs a third. */
const maxAttachedBytes = 10 * 1024 * 1024;

/** None where they are too large together; undefined when they are no longer there. */
async function sealedFiles(
  { pool, files }: SignDeps,
  { orgId }: Job,
  agreement: Agreement,
): Promise<MailAttachment[] | undefined> {
  const { id, certificate } = agreement;
  const sealed = agreement.documents.flatMap(({ name, sealedId, sealedSha256 }) =>
    sealedId === null || sealedSha256 === null ? [] : [{ name, id: sealedId, sha256: sealedSha256 }],
  );
  const named = [...sealed, ...(certificate === null ? [] : [{ name: "certificate.pdf", ...certificate }])];
  const attached: MailAttachment[] = [];
  let bytes = 0;
  for (const { name, ...file } of named) {
    const content = await withOrg(pool, orgId, (tenant) => files.read(tenant, id, file)).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === "DOCUMENT_ERASED") return undefined;
      throw error;
    });
    if (content === undefined) return undefined;
    bytes += content.length;
    if (bytes > maxAttachedBytes) return [];
    attached.push({ fileName: fileNameOf(name), mediaType: "application/pdf", content });
  }
  return attached;
}

/** What a header may hold and every system takes as a name. */
function fileNameOf(name: string): string {
  const kept = name
    .replaceAll(/[\p{C}"*/:<>?\\|]+/gu, " ")
    .trim()
    .slice(0, 100);
  return /\.pdf$/i.test(kept) ? kept : `${kept || "document"}.pdf`;
}

/** The name of the organization stands beside an address of its own, unless its brand says another one. */
const from = ({ senderKeys }: SignDeps, { orgId }: Job, { agreement, branded, sender }: Letter): Partial<Mail> =>
  sender === undefined
    ? {}
    : {
        fromName: branded?.brand.senderName || agreement.sender.name,
        sender: {
          ...{ address: addressOf(sender), domain: sender.domain, selector: sender.selector },
          privateKey: openPrivateKey(senderKeys, orgId, sender),
        },
      };

/** If the mail may have arrived, its link must keep working. */
const isUnsent = (error: unknown): boolean => error instanceof MailRefusedError || error instanceof MailNotTakenError;

/** Nobody received the link; the next attempt creates another. */
const forgetLink = ({ pool }: SignDeps, { orgId }: Job, token: string): Promise<void> =>
  withOrg(pool, orgId, (tenant) => deleteView(tenant, viewTokenHash(token)));

async function makeLink(deps: SignDeps, { orgId }: Job, { agreement, recipient }: Letter): Promise<string> {
  const view = { kind: "recipient", isReusable: true, returnUrl: "", frameAncestors: [] } as const;
  const whose = { agreementId: agreement.id, recipientId: recipient.id };
  return (await createLink(deps, { orgId, clientId: "mail" }, { ...view, ...whose })).token;
}

const note = (deps: SignDeps, job: Job, hold: Hold, { kind, agreement, recipient }: Letter, sent: Sent) =>
  changeInJob(deps, job, hold, {
    agreementId: agreement.id,
    decide: (current, context) => {
      if ("reason" in sent) {
        const unsent = { recipientId: recipient.id, mail: kind, reason: sent.reason };
        return noteUndelivered(current, unsent, context, { again: true });
      }
      const details = { ...auditNames(recipient), mail: kind, ...sent };
      return changeTo(current, { audit: [{ action: "recipient.mailed", actor: context.actor, details }] });
    },
  });
