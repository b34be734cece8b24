import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import { auditNames, withRecipient } from "../agreement/recipients.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { systemContext } from "../jobs/job.ts";
import type { MailKind } from "../send/mails.ts";
import { type ReportedMail, recipientName } from "./report-tokens.ts";

/** Why a mail has not reached its recipient; the reason is ours, because what servers say often has the address. */
interface Undelivered {
  readonly recipientId: string;
  readonly mail: MailKind;
  readonly reason: string;
}

/**
 * Marks the recipient and tells of it, once. Each mail that no server has taken is in the trail; a report on one that
 * came back may be sent again and again.
 */
export function noteUndelivered(
  agreement: Agreement,
  { recipientId, mail, reason }: Undelivered,
  { now, actor }: DecisionContext,
  { again }: { readonly again: boolean },
): Change {
  const recipient = agreement.recipients.find(({ id }) => id === recipientId);
  // Nobody to tell of: the person was erased.
  if (recipient === undefined || recipient.email + recipient.hostEmail === "") return noChange(agreement);
  const isKnown = recipient.deliveryFailedAt !== null;
  if (isKnown && !again) return noChange(agreement);
  const audit = [
    { action: "recipient.mail-failed" as const, actor, details: { ...auditNames(recipient), mail, reason } },
  ];
  if (isKnown) return changeTo(agreement, { audit });
  const marked = { ...recipient, deliveryFailedAt: now, deliveryFailedReason: reason };
  return changeTo(withRecipient(agreement, marked, now), {
    audit,
    events: [{ kind: "recipient.undelivered", recipientId }],
  });
}

/** The answer never tells whether the token is one, or what became of the report. */
export const reportUndelivered = (deps: SignDeps): SignRpcs<"reportUndelivered"> => ({
  async reportUndelivered({ token, status }, { requestHeader, signal }) {
    const reported = deps.reportTokens.read(token);
    if (reported === undefined) return {};
    const { orgId, agreementId } = reported;
    const caller = {
      ...{ orgId, signal, requestId: requestHeader.get("x-request-id") ?? "" },
      traceparent: requestHeader.get("traceparent") ?? "",
    };
    const context = systemContext(deps);
    try {
      await changeAgreement(deps, caller, { id: agreementId, isTemplate: false }, async (agreement, tenant) => {
        const recipient = agreement.recipients.find(({ id }) => recipientName(id) === reported.recipient);
        if (recipient === undefined || (await hasAnswered(tenant, reported, recipient.id))) return noChange(agreement);
        const reason = `the mail came back${status === "" ? "" : ` (${status})`}`;
        const unsent = { recipientId: recipient.id, mail: reported.mail, reason };
        return noteUndelivered(agreement, unsent, context, { again: false });
      });
    } catch (error) {
      // It was deleted since.
      if (!(error instanceof DomainError && error.code === "ENVELOPE_NOT_FOUND")) throw error;
    }
    return {};
  },
});

/** Whoever has opened the agreement since the mail was sent has the mail, or does not need it. */
async function hasAnswered({ orgId, client }: Tenant, { agreementId, sentAt }: ReportedMail, recipientId: string) {
  const sql = `select 1 from sign.audit_event where organization_id = $1 and agreement_id = $2
    and source = 'signer' and actor_id = $3 and occurred_at >= $4 limit 1`;
  return (await client.query(sql, [orgId, agreementId, recipientId, sentAt])).rowCount === 1;
}
