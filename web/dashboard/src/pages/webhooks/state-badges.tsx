import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import type { Delivery, Endpoint } from "./types.ts";

const endpointTones = { ACTIVE: "success", FAILING: "warning", DISABLED: "info" } as const;
const deliveryTones = { PENDING: "info", DELIVERED: "success", FAILED: "warning", DEAD: "danger" } as const;

export function EndpointState({ endpoint: { status } }: { readonly endpoint: Endpoint }) {
  const { states } = useTexts("webhooks");
  return <Badge tone={endpointTones[status]}>{states[status]}</Badge>;
}

export function DeliveryState({ delivery: { status } }: { readonly delivery: Delivery }) {
  const { deliveryStatus } = useTexts("webhooks");
  return <Badge tone={deliveryTones[status]}>{deliveryStatus[status]}</Badge>;
}
