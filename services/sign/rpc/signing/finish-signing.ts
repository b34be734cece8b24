import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService, TabValue, AdoptedSignature as WireSignature } from "#gen/assent/sign/v1/signing_pb.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import type { AdoptedSignature, Recipient } from "../../domain/agreement.ts";
import { requireAttached } from "../../domain/attachment.ts";
import { finishAgreement } from "../../domain/finish.ts";
import { invalid, problem } from "../../domain/problems.ts";
import { withEvent } from "../../domain/return-url.ts";
import type { TabValues } from "../../domain/tab-values.ts";
import { listAttachments } from "../../store/attachment-store.ts";
import { changeAgreement } from "../../store/change-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { wireAgreementStatuses } from "../messages.ts";
import { requireRecipientSession } from "./shown-session.ts";
import { callerOfVisit, closeSession, type RecipientSession } from "./signing-session.ts";
import { signerContext } from "./visitor-context.ts";

export const finishSigning = (deps: SignDeps): Pick<ServiceImpl<typeof SigningService>, "finishSigning"> => ({
  async finishSigning({ sessionToken, values, signature, initials, visitor }) {
    const session = await requireRecipientSession(deps, sessionToken);
    const { agreement, recipient, view } = session;
    const decision = signerContext(deps, recipient, visitor);
    const command = { values: tabValues(values), signature: adopted(signature), initials: adopted(initials) };
    await requireKnownFiles(deps, session, command.values);
    const target = { id: agreement.id, isTemplate: false };
    const finished = await changeAgreement(deps, callerOfVisit(session, visitor), target, (current) =>
      finishAgreement(current, recipient.id, command, decision),
    );
    await closeSession(deps, session);
    return {
      returnUrl: withEvent(view.returnUrl, finishEvent(recipient)),
      agreementStatus: wireAgreementStatuses[finished.status],
    };
  },
});

/** Files are attached before, each by a call of its own. */
async function requireKnownFiles(
  { pool }: Pick<SignDeps, "pool">,
  { orgId, agreement, recipient }: RecipientSession,
  values: TabValues,
): Promise<void> {
  if (!recipient.tabs.some(({ type }) => type === "attachment")) return;
  const attachments = await inTransaction(orgId, pool, (client) => listAttachments(orgId, client, agreement.id));
  const own = attachments.filter(({ recipientId }) => recipientId === recipient.id);
  requireAttached(recipient, values, new Set(own.map(({ id }) => id)));
}

/** What a person put in, by tabId. Throws VALIDATION_FAILED for a tab that is named twice. */
export function tabValues(values: readonly TabValue[]): ReadonlyMap<string, string> {
  const byId = new Map<string, string>();
  for (const { tabId, value } of values) {
    const id = tabId.toLowerCase();
    if (byId.has(id)) throw invalid(problem(tabId, "DUPLICATE", "must be given once"));
    byId.set(id, value);
  }
  return byId;
}

/** Null when there is none: the one adopted before counts. */
function adopted(signature: WireSignature | undefined): AdoptedSignature | null {
  if (signature === undefined) return null;
  const { typed, font, drawnPng } = signature;
  return { typed, font, drawnPng: Buffer.from(drawnPng).toString("base64") };
}

const finishEvent = ({ role }: Recipient) => (role === "certified-delivery" ? "viewing_complete" : "signing_complete");
