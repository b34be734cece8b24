import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { connectSecrets, connects } from "./connects.ts";
import { getDelivery } from "./deliveries.ts";
import type { WebhooksDeps } from "./deps.ts";
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  rotateEndpointSecret,
  updateEndpoint,
} from "./endpoints.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { resendDelivery } from "./resend-delivery.ts";
import { retryConnect } from "./retry-connect.ts";
import { getActivity, listEventTypes, recoverEndpoint, testEndpoint } from "./test-endpoint.ts";

/** Everything that the service answers. */
export const webhooksRoutes =
  (deps: WebhooksDeps): RpcRoutes =>
  (router) => {
    router.service(WebhooksService, {
      ...createEndpoint(deps),
      ...getEndpoint(deps),
      ...listEndpoints(deps),
      ...updateEndpoint(deps),
      ...deleteEndpoint(deps),
      ...rotateEndpointSecret(deps),
      ...listEventTypes(),
      ...connects(deps),
      ...connectSecrets(deps),
      ...testEndpoint(deps),
      ...retryConnect(deps),
      ...resendDelivery(deps),
      ...recoverEndpoint(deps),
      ...listDeliveries(deps),
      ...getActivity(deps),
      ...getDelivery(deps),
    });
  };
