import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { connectSecrets } from "./connect-secrets.ts";
import { connects } from "./connects.ts";
import { createEndpoint } from "./create-endpoint.ts";
import { deleteEndpoint } from "./delete-endpoint.ts";
import type { WebhooksDeps } from "./deps.ts";
import { getActivity } from "./get-activity.ts";
import { getDelivery } from "./get-delivery.ts";
import { getEndpoint } from "./get-endpoint.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listEndpoints } from "./list-endpoints.ts";
import { listEventTypes } from "./list-event-types.ts";
import { recoverEndpoint } from "./recover-endpoint.ts";
import { resendDelivery } from "./resend-delivery.ts";
import { retryConnect } from "./retry-connect.ts";
import { rotateEndpointSecret } from "./rotate-endpoint-secret.ts";
import { testEndpoint } from "./test-endpoint.ts";
import { updateEndpoint } from "./update-endpoint.ts";

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
