import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import type { Caller } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { NudgeBus } from "#platform/events/nudges.ts";
import type { Logger } from "#platform/logger.ts";
import { type MailAttachment, type Mailer, MailRefusedError } from "#platform/mail/mail.ts";
import { fillText, formMail, plainLook } from "#platform/mail/mail-layout.ts";
import { createQueueWorker, type QueueWorker } from "#platform/periodic.ts";
import { type Accepted, collectAccepted } from "../evidence/collect-evidence.ts";
import { agreementPdf, renderedText } from "../evidence/evidence.ts";
import { contentFiles } from "../evidence/make-archive.ts";
import type { EvidencePrinter } from "../evidence/pdf/evidence-printer.ts";
import type { EvidenceDeps } from "../evidence/write-bundle.ts";
import {
  type ClaimedCopy,
  type CopyEnd,
  claimCopy,
  endCopy,
  findClaimedSession,
  holdCopy,
  putOffCopy,
} from "./copy-store.ts";
import { copyWords } from "./copy-words.ts";

export interface CopyWorkerDeps extends EvidenceDeps {
  /** Connects as the sweeper. */
  readonly sweeperPool: pg.Pool;
  readonly evidencePrinter: EvidencePrinter;
  /** Without a mail server this process only gives up copies that were not sent for three days; others send the rest. */
  readonly mailer: Mailer | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly bus?: NudgeBus | undefined;
}

/** Longer than printing and sending may take together; after that another process takes the copy over. */
const leaseMs = 3 * 60_000;
const maxPauseMs = 60 * 60_000;
/** About three days with these pauses, which soon become an hour. */
const maxAttempts = 84;
const unsentMs = 3 * 24 * 60 * 60_000;
/** As many as there are connections: none waits for one while its person is erased. */
const atOnce = 2;

/**
 * Mails copies to those who accepted. Any number of processes may do it at the same time. A mail is only sent twice, with
 * the same Message-ID, if the process dies, or its answer is lost, after the server accepted it and before that is recorded.
 */
export const createCopyWorker = (deps: CopyWorkerDeps): QueueWorker =>
  createQueueWorker({
    ...{ name: "click-copies", pollMs: 5_000, logger: deps.logger, bus: deps.bus },
    work: async (mayGoOn) => {
      const sendAll = async (): Promise<void> => {
        while (mayGoOn() && (await sendNext(deps, mayGoOn)));
      };
      await Promise.all(Array.from({ length: atOnce }, sendAll));
    },
  });

/** False when nothing is due. */
async function sendNext(deps: CopyWorkerDeps, mayGoOn: () => boolean): Promise<boolean> {
  const now = deps.clock.now();
  const dueSince = deps.mailer === undefined ? new Date(now.getTime() - unsentMs) : now;
  const lease = { claim: randomUUID(), now, until: leaseFrom(now), dueSince, maxAttempts };
  const claimed = await claimCopy(deps.sweeperPool, lease);
  if (claimed === undefined) return false;
  const { orgId, receiptId, attempts } = claimed;
  let end: CopyEnd | undefined;
  try {
    end = await send(deps, claimed);
  } catch (error) {
    deps.logger.warn({ err: error, organizationId: orgId, receiptId, attempts }, "a copy was not sent");
    const at = deps.clock.now();
    const pauseMs = Math.min(maxPauseMs, 1_000 * 2 ** Math.min(attempts - 1, 20));
    await withOrg(deps.pool, orgId, (tenant) =>
      attempts >= maxAttempts
        ? endCopy(tenant, claimed, { status: "FAILED", at })
        : putOffCopy(tenant, claimed, new Date(at.getTime() + pauseMs)),
    );
  }
  if (end !== undefined) await note(deps, claimed, end, mayGoOn);
  return true;
}

const leaseFrom = (now: Date): Date => new Date(now.getTime() + leaseMs);

/** Tried until it is noted, for whoever gives up here has the mail sent again; at the end of the process a few times. */
async function note(
  { pool, logger }: CopyWorkerDeps,
  claimed: ClaimedCopy,
  end: CopyEnd,
  mayGoOn: () => boolean,
): Promise<void> {
  const { orgId, receiptId } = claimed;
  for (let tries = 1; ; tries += 1) {
    try {
      return await withOrg(pool, orgId, (tenant) => endCopy(tenant, claimed, end));
    } catch (error) {
      if (tries >= 5 && !mayGoOn()) throw error;
      logger.warn({ err: error, organizationId: orgId, receiptId, tries }, "what became of a copy was not noted");
      await setTimeout(Math.min(10_000, 250 * 2 ** tries));
    }
  }
}

/** The outcome of the copy; undefined when another process has taken it over. Rejects while trying again makes sense. */
async function send(deps: CopyWorkerDeps, claimed: ClaimedCopy): Promise<CopyEnd | undefined> {
  const { mailer, clock } = deps;
  const { orgId, receiptId, attempts } = claimed;
  if (mailer === undefined || attempts > maxAttempts) return { status: "FAILED", at: clock.now() };
  const sessionId = await withOrg(deps.pool, orgId, (tenant) => findClaimedSession(tenant, claimed));
  if (sessionId === undefined) return undefined;
  const accepted = await collectAccepted(deps, orgId, { sessionId, receiptId, generatedAt: clock.now() });
  const address = accepted?.acceptance.evidence?.copyTo;
  if (accepted === undefined || address == null) return { status: "CANCELLED", at: clock.now() };
  const caller: Caller = { orgId, clientId: "copies", requestId: "", traceparent: "" };
  const letter = letterOf(accepted);
  // A text that is a file is its own copy.
  const pdf = agreementPdf(accepted)?.content ?? (await deps.evidencePrinter.printCopy(caller, accepted, letter.job));
  const messageId = `<${receiptId}.copy@${new URL(deps.issuer).hostname}>`;
  const attachments = [...textAttachments(accepted, pdf), receiptAttachment(accepted)];
  // Printing takes time: the person may have been erased meanwhile.
  const isOurs = await withOrg(deps.pool, orgId, (tenant) => holdCopy(tenant, claimed, leaseFrom(clock.now())));
  if (!isOurs) return undefined;
  try {
    await mailer.send({ to: { name: "", address }, messageId, attachments, ...letter.mail });
  } catch (error) {
    if (error instanceof MailRefusedError) return { status: "REFUSED", at: clock.now() };
    throw error;
  }
  const documentHash = pdf && sha256Label(Buffer.from(pdf));
  return { status: "SENT", at: clock.now(), messageId, documentHash };
}

function letterOf({ text, terms, showing, locale, acceptance: { receipt } }: Accepted) {
  const { tag, texts: words } = copyWords(locale);
  const title = text.title ?? terms.name;
  const date = new Intl.DateTimeFormat(tag, { dateStyle: "long", timeStyle: "long", timeZone: "UTC" });
  const acceptedAt = date.format(new Date(receipt.acceptedAt));
  const values = { title, date: acceptedAt, receipt: receipt.receiptId };
  const mail = formMail({
    ...{ tag, values, subject: words.subject, look: plainLook(terms.counterparty?.legalName), action: "", link: "" },
    paragraphs: [words.greeting, words.about, words.attached],
    notes: [words.whyYou],
  });
  const job = {
    ...{ kind: "copy" as const, words, title: fillText(words.title, values), acceptedAt },
    text: {
      rendered: renderedText(showing).rendered,
      content: text.content.toString("utf8"),
      format: text.format,
    },
    party: terms.counterparty?.legalName ?? null,
    version: receipt.versionLabel,
    person: receipt.userRef,
    purposes: receipt.purposes.filter(({ granted }) => granted).map(({ purpose }) => purpose),
    receiptId: receipt.receiptId,
    contentHash: receipt.contentHash,
  };
  return { mail, job };
}

/** A text that cannot be printed comes as it is. */
const textAttachments = (accepted: Accepted, pdf: Uint8Array | undefined): MailAttachment[] =>
  pdf !== undefined
    ? [{ fileName: "copy.pdf", mediaType: "application/pdf", content: pdf }]
    : contentFiles(accepted).map(({ name, bytes }) => ({
        ...{ fileName: name, mediaType: "application/octet-stream", content: bytes },
      }));

const receiptAttachment = ({ acceptance: { receipt } }: Accepted): MailAttachment => ({
  ...{ fileName: "receipt.json", mediaType: "application/json" },
  content: Buffer.from(`${JSON.stringify(receipt, null, 2)}\n`),
});
