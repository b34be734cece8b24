import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { noChange } from "../agreement/change.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { systemContext } from "../jobs/job.ts";
import { type ReportedMail, recipientName } from "./report-tokens.ts";
import { noteUndelivered } from "./undelivered.ts";

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
