import type { Agreement, Recipient } from "#api/agreements.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { isOpen } from "./types.ts";

const tones = {
  created: "info",
  sent: "warning",
  delivered: "warning",
  completing: "info",
  completed: "success",
  declined: "danger",
  voided: "danger",
  expired: "danger",
} as const;

export function AgreementState({ agreement: { status, paused } }: { readonly agreement: Agreement }) {
  const { statuses, pausedStates } = useTexts("agreements");
  if (paused !== null) return <Badge tone="info">{pausedStates[paused.reason]}</Badge>;
  return <Badge tone={tones[status]}>{statuses[status]}</Badge>;
}

const untilTheEnd = { created: "never", sent: "notOpened", delivered: "notDone" } as const;

interface RecipientStateProps {
  readonly agreement: Agreement;
  readonly recipient: Recipient;
}

export function RecipientState({ agreement, recipient: { status, deliveryFailedAt } }: RecipientStateProps) {
  const { recipientStates } = useTexts("agreements");
  if (status === "completed") return <Badge tone="success">{recipientStates.completed}</Badge>;
  if (status === "declined") return <Badge tone="danger">{recipientStates.declined}</Badge>;
  // Recipients who had not acted when it ended need not act any more.
  if (agreement.status !== "created" && !isOpen(agreement)) {
    if (deliveryFailedAt !== null) return <Badge>{recipientStates.unreached}</Badge>;
    return <Badge>{recipientStates[untilTheEnd[status]]}</Badge>;
  }
  if (status === "created") return <Badge>{recipientStates.waiting}</Badge>;
  if (deliveryFailedAt !== null) return <Badge tone="danger">{recipientStates.unreached}</Badge>;
  return <Badge tone="warning">{recipientStates[status]}</Badge>;
}
