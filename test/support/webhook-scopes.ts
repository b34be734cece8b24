/** The scopes of the operations on webhooks, as the interface has them. */
export const documentedWebhookScopes: Readonly<Record<string, string>> = {
  createWebhookEndpoint: "webhooks:write",
  listWebhookEndpoints: "webhooks:read",
  getWebhookEndpoint: "webhooks:read",
  updateWebhookEndpoint: "webhooks:write",
  deleteWebhookEndpoint: "webhooks:write",
  rotateWebhookSecret: "webhooks:write",
  testWebhookEndpoint: "webhooks:write",
  recoverWebhookEndpoint: "webhooks:write",
  listWebhookDeliveries: "webhooks:read",
  getWebhookDelivery: "webhooks:read",
  resendWebhookDelivery: "webhooks:write",
  listWebhookEventTypes: "webhooks:read",
};
