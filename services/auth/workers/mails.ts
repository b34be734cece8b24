import { randomUUID } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Pool } from "pg";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { Clock } from "#platform/clock.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { NudgeBus } from "#platform/events/nudges.ts";
import { type NewId, parseOrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { MailRefusedError } from "#platform/mail/mail.ts";
import type { MailSetup } from "#platform/mail/mail-settings.ts";
import { createQueueWorker, type QueueWorker } from "#platform/periodic.ts";
import { decrypt } from "#platform/secrets.ts";
import { noOrigin } from "../domain/audit.ts";
import { accountUrl, endpointUrl, expiryOf, linkUrl, plainLifetimeMs } from "../domain/mail.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { writeAccountMail } from "../mail/write-account-mail.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { addAudit } from "../store/audit-store.ts";
import {
  type ClaimedMail,
  claimMails,
  insertMailJob,
  type MailJob,
  putOffMailJob,
  readMailJob,
  removeMailJob,
} from "../store/mail-store.ts";
import { findOrganizationName, findUser, listActiveOwnerIds } from "../store/user-store.ts";

export interface MailWorkerDeps extends Pick<AuthDeps, "people" | "keys" | "clock" | "newId"> {
  readonly janitor: Pool;
  readonly mail: MailSetup;
  readonly logger: Logger;
  readonly bus?: NudgeBus | undefined;
}

/** Longer than a mail server may take; then another process sends it. */
const leaseMs = 2 * 60_000;
const maxPauseMs = 60 * 60_000;

/** Sends mails about accounts, one after the other. Any number of processes may do it at the same time. */
export const createMailWorker = (deps: MailWorkerDeps): QueueWorker =>
  createQueueWorker({
    ...{ name: "auth-mails", pollMs: 1_000, logger: deps.logger, bus: deps.bus },
    work: async (mayGoOn) => {
      while (mayGoOn() && (await sendNext(deps)));
    },
  });

/** False when nothing is due. */
async function sendNext(deps: MailWorkerDeps): Promise<boolean> {
  const now = deps.clock.now();
  const lease = { claim: randomUUID(), now, until: new Date(now.getTime() + leaseMs), limit: 1 };
  const [claimed] = await claimMails(deps.janitor, lease);
  if (claimed === undefined) return false;
  const job = await withOrg(deps.people, claimed.orgId, (tenant) => readMailJob(tenant, claimed));
  if (job === undefined) return true;
  try {
    await send(deps, claimed, job);
    await withOrg(deps.people, claimed.orgId, (tenant) => removeMailJob(tenant, claimed));
  } catch (error) {
    await handleFailure(deps, claimed, job, error);
  }
  return true;
}

async function send(deps: MailWorkerDeps, { orgId, id }: ClaimedMail, job: MailJob): Promise<void> {
  const { user, organizationName } = await withOrg(deps.people, orgId, async (tenant) => ({
    user: await findUser(tenant, job.userId),
    organizationName: await findOrganizationName(tenant),
  }));
  if (user === undefined) return;
  const { mailer, publicUrl } = deps.mail;
  const baseUrl = publicUrl();
  const written = writeAccountMail({
    ...{ user, organizationName, ...job, expiresAt: expiryOf(job), link: linkOf(deps, id, job, baseUrl) },
  });
  const messageId = `<${id}@${new URL(baseUrl).hostname}>`;
  await mailer.send({ to: { name: user.name, address: user.email }, messageId, ...written });
}

function linkOf({ keys }: MailWorkerDeps, id: string, job: MailJob, baseUrl: string): string {
  const { kind, sealedToken, details } = job;
  if (kind === "endpoint-disabled") return endpointUrl(baseUrl, details.endpointId ?? "");
  if (kind === "passkey-added" || kind === "passkey-removed") return accountUrl(baseUrl);
  if (kind === "lockout" || sealedToken === null) return "";
  return linkUrl(baseUrl, kind, decrypt(keys.mailTokenKek, sealedToken, id));
}

/** Tried again, with longer and longer pauses, for as long as the mail would be of use. */
async function handleFailure(deps: MailWorkerDeps, claimed: ClaimedMail, job: MailJob, error: unknown): Promise<void> {
  const pauseMs = Math.min(maxPauseMs, 1_000 * 2 ** Math.min(claimed.attempts - 1, 20));
  const runAt = new Date(deps.clock.now().getTime() + pauseMs);
  const isHopeless = error instanceof MailRefusedError || runAt >= expiryOf(job);
  deps.logger.warn({ err: error, kind: job.kind, attempts: claimed.attempts, isHopeless }, "a mail was not sent");
  await withOrg(deps.people, claimed.orgId, async (tenant) => {
    if (isHopeless) await giveUp(deps, tenant, claimed, job);
    else await putOffMailJob(tenant, claimed, runAt);
  });
}

async function giveUp(deps: MailWorkerDeps, tenant: Tenant, claimed: ClaimedMail, job: MailJob): Promise<void> {
  const user = await findUser(tenant, job.userId);
  if (!(await removeMailJob(tenant, claimed)) || user === undefined) return;
  const actor = { id: "", name: "" };
  const what = { action: "mail.failed", actor, subject: user, origin: noOrigin, details: { mail: job.kind } } as const;
  await addAudit(tenant, auditEntry(deps, what));
}

export const endpointDisabledSubject = "assent.webhooks.endpoint.disabled";

/** Asks for a mail to each owner of the organization whose webhook endpoint is turned off. */
export const applyEndpointDisabled =
  ({ clock, newId }: { readonly clock: Clock; readonly newId: NewId }) =>
  async (tenant: Tenant, { organizationId, payload, occurredAt }: Event): Promise<void> => {
    const orgId = parseOrgId(organizationId);
    if (orgId === undefined || payload.case !== "endpointDisabled" || occurredAt === undefined) {
      throw new Error("an event of a webhook endpoint does not tell which was turned off");
    }
    const kind = "endpoint-disabled";
    const createdAt = timestampDate(occurredAt);
    // A consumer that is new reads what the stream still holds, and old news would only alarm.
    if (createdAt.getTime() + plainLifetimeMs[kind] <= clock.now().getTime()) return;
    const { endpointId, host, reason } = payload.value;
    const details = { endpointId, host, reason };
    for (const userId of await listActiveOwnerIds(tenant)) {
      await insertMailJob(tenant, { id: newId(), userId, kind, sealedToken: null, details, createdAt });
    }
  };
