import type { TestGateway } from "./test-gateway.ts";

/** One of everything that paths of webhooks name. */
export const createWebhookResources = ({ webhooks }: TestGateway, orgId: string): Record<string, string> => {
  const { id } = webhooks.addEndpoint(orgId);
  return { webhookEndpoint: id, webhookDelivery: webhooks.addDelivery(orgId, { endpointId: "" }).id };
};

/** The ids in queries of webhooks; tests of isolation look at each of them. */
export const idsOfWebhooks: Readonly<Record<string, readonly string[]>> = {
  listWebhookDeliveries: ["?endpointId", "?eventId"],
};
