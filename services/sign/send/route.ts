import type { Agreement, Recipient } from "../agreement/agreement.ts";
import {
  type AuditEntry,
  type Change,
  changeTo,
  type DecisionContext,
  noChange,
  type SignEvent,
  thenChange,
} from "../agreement/change.ts";
import { auditNames, hasToAct, isActing } from "../agreement/recipients.ts";
import { withRecipientStatus, withStatus } from "../agreement/transitions.ts";
import { holdBefore, isScheduled } from "../workflow/hold.ts";
import { followUpJobs } from "./follow-up-jobs.ts";
import { invitations } from "./mails.ts";

/**
 * Advances the routing. Does nothing while somebody still has to act; otherwise starts the next routing order,
 * or completion after the last one, unless it waits for a time or for somebody to resume it. An order with carbon copies
 * only is over at once. Whoever a correction has put into an order that has begun is asked at once.
 */
export function routeOn(agreement: Agreement, context: DecisionContext): Change {
  const { currentRoutingOrder: current } = agreement;
  const order = nextOrder(agreement);
  const isLate = order !== undefined && order <= current;
  if (!isLate && agreement.recipients.some(isActing)) return noChange(agreement);
  if (isScheduled(agreement)) return noChange(agreement);
  if (order === undefined) return complete(agreement, context);
  const held = isLate ? undefined : holdBefore(agreement, order, context);
  if (held !== undefined) return held;
  return thenChange(beginOrder(agreement, Math.max(order, current), context), (begun) => routeOn(begun, context));
}

function nextOrder({ recipients }: Agreement): number | undefined {
  const orders = recipients.filter(({ status }) => status === "created").map(({ routingOrder }) => routingOrder);
  return orders.length === 0 ? undefined : orders.reduce((lowest, order) => Math.min(lowest, order));
}

function beginOrder(agreement: Agreement, order: number, context: DecisionContext): Change {
  const isNext = (one: Recipient): boolean => one.routingOrder <= order && one.status === "created";
  const begun = agreement.recipients.filter(isNext);
  const recipients = agreement.recipients.map((one) => (isNext(one) ? begin(one, context.now) : one));
  const next = { ...agreement, recipients, currentRoutingOrder: order, modifiedAt: context.now };
  return changeTo(next, {
    audit: begun.map((one) => beginEntry(one, context)),
    events: begun.flatMap(beginEvents),
    jobs: invitations(next, begun),
  });
}

/** Carbon copies need not act. */
function begin(recipient: Recipient, now: Date): Recipient {
  const sent = withRecipientStatus(recipient, "sent", now);
  return hasToAct(recipient) ? sent : withRecipientStatus(sent, "completed", now);
}

const beginEntry = (recipient: Recipient, { actor }: DecisionContext): AuditEntry => ({
  action: hasToAct(recipient) ? "recipient.sent" : "recipient.copied",
  actor,
  details: auditNames(recipient),
});

function beginEvents(recipient: Recipient): readonly SignEvent[] {
  const sent: SignEvent = { kind: "recipient.sent", recipientId: recipient.id };
  return hasToAct(recipient) ? [sent] : [sent, { kind: "recipient.completed", recipientId: recipient.id }];
}

function complete(agreement: Agreement, { now, actor }: DecisionContext): Change {
  const completing = withStatus(agreement, "completing", now);
  return changeTo(completing, {
    audit: [{ action: "agreement.completing", actor }],
    jobs: followUpJobs.completion(completing, now),
  });
}
