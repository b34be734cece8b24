import { DomainError } from "#platform/errors.ts";
import type { Agreement, AgreementStatus, Recipient, RecipientStatus } from "./agreement.ts";

/** The statuses an agreement may move to, by its current status. */
export const agreementTransitions: { readonly [From in AgreementStatus]: readonly AgreementStatus[] } = {
  created: ["sent"],
  sent: ["delivered", "completing", "declined", "voided", "expired"],
  delivered: ["completing", "declined", "voided", "expired"],
  completing: ["completed"],
  completed: [],
  declined: [],
  voided: [],
  expired: [],
  template: [],
};

/** The statuses a recipient may move to. Carbon copies are completed by sending; a correction may take a turn back. */
export const recipientTransitions: { readonly [From in RecipientStatus]: readonly RecipientStatus[] } = {
  created: ["sent"],
  sent: ["created", "delivered", "completed", "declined"],
  delivered: ["created", "completed", "declined"],
  completed: [],
  declined: [],
};

/** Sent, and at least one recipient still has to act. */
export const isOpen = ({ status }: Pick<Agreement, "status">): boolean => status === "sent" || status === "delivered";

/**
 * Moves the agreement to another status and sets its time. Throws INVALID_ENVELOPE_STATUS when the table does
 * not allow the transition.
 */
export function withStatus(agreement: Agreement, to: AgreementStatus, now: Date): Agreement {
  if (!agreementTransitions[agreement.status].includes(to)) throw invalidStatus(agreement);
  const { since, isOver } = effects[to];
  return {
    ...agreement,
    status: to,
    statusChangedAt: now,
    modifiedAt: now,
    ...(since === undefined ? {} : { [since]: now }),
    ...(isOver ? { currentRoutingOrder: 0, remindAt: null } : {}),
    // What was locked to be sent, or has ended, is locked no more.
    ...(agreement.editLock != null && (isOver || to === "sent") ? { editLock: null } : {}),
  };
}

/** The error for an operation that the agreement's status does not allow. */
export const invalidStatus = (agreement: Pick<Agreement, "status">, operation?: string): DomainError =>
  new DomainError("INVALID_ENVELOPE_STATUS", {
    metadata: { status: agreement.status, ...(operation === undefined ? {} : { operation }) },
  });

/**
 * Moves the recipient to another status and sets its time. Throws a plain Error when the table does not allow
 * it, since only a bug can cause that.
 */
export function withRecipientStatus(recipient: Recipient, to: RecipientStatus, now: Date): Recipient {
  if (!recipientTransitions[recipient.status].includes(to)) {
    throw new Error(`a recipient cannot go from ${recipient.status} to ${to}`);
  }
  const since = recipientTimes[to];
  // Whoever opens the agreement has received its mail after all.
  const reached = to === "delivered" ? { deliveryFailedAt: null, deliveryFailedReason: "" } : {};
  return { ...recipient, status: to, ...(since === undefined ? {} : { [since]: now }), ...reached };
}

interface Effect {
  /** The member that records when the status was reached. */
  readonly since?: "sentAt" | "deliveredAt" | "completedAt" | "declinedAt" | "voidedAt";
  /** Whether the recipients' turns are over. */
  readonly isOver: boolean;
}

const effects: { readonly [To in AgreementStatus]: Effect } = {
  created: { isOver: false },
  sent: { since: "sentAt", isOver: false },
  delivered: { since: "deliveredAt", isOver: false },
  completing: { isOver: true },
  completed: { since: "completedAt", isOver: true },
  declined: { since: "declinedAt", isOver: true },
  voided: { since: "voidedAt", isOver: true },
  expired: { since: "voidedAt", isOver: true },
  template: { isOver: false },
};

const recipientTimes: { readonly [To in RecipientStatus]?: "sentAt" | "deliveredAt" | "completedAt" | "declinedAt" } = {
  sent: "sentAt",
  delivered: "deliveredAt",
  completed: "completedAt",
  declined: "declinedAt",
};

const dayMs = 86_400_000;

/** The time this many days earlier. */
export const daysBefore = (time: Date, days: number): Date => new Date(time.getTime() - days * dayMs);

/** The time this many days later; at least one day. */
export const daysAfter = (time: Date, days: number): Date => new Date(time.getTime() + Math.max(1, days) * dayMs);
