import type { Pool } from "pg";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { shareHolds } from "#platform/db/hold-marks.ts";
import { withOrg } from "#platform/db/pool.ts";
import { destruction, type OldRecords, retentionOf } from "#platform/destroy-tables.ts";
import { exportOfTables } from "#platform/export-tables.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { exportPerson } from "../export/export-person.ts";
import {
  countOldDeliveries,
  deleteOldDeliveries,
  findPresentDeliveries,
  placeOfDelivery,
  windowOfOldDeliveries,
} from "../store/person-store.ts";
import { connectSecrets, connects } from "./connects.ts";
import { getDelivery, listDeliveries } from "./deliveries.ts";
import type { WebhooksDeps } from "./deps.ts";
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  rotateEndpointSecret,
  updateEndpoint,
} from "./endpoints.ts";
import { personalData } from "./personal-data.ts";
import { resendDelivery, retryConnect } from "./resend.ts";
import { countUse, getActivity, listEventTypes, recoverEndpoint, testEndpoint } from "./test-endpoint.ts";

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
      ...countUse(deps),
      ...getDelivery(deps),
    });
  };

/** Deliveries whose time is over, which the period of their organization may end before the service removes them. */
const oldDeliveries = ({ pool }: WebhooksDeps): OldRecords => ({
  count: countOldDeliveries,
  window: windowOfOldDeliveries,
  placeOf: placeOfDelivery,
  present: findPresentDeliveries,
  remove: ({ orgId }, ids, before, holdMark) =>
    withOrg(pool, orgId, async (tenant) => {
      await shareHolds(tenant, "webhooks", holdMark);
      await deleteOldDeliveries(tenant, ids, before);
    }),
});

/** What the auth service asks every service, and what the sign service asks those that keep records. */
export const personalDataRoutes =
  (deps: WebhooksDeps & { readonly destroyerPool: Pool }): RpcRoutes =>
  (router) => {
    router.service(PersonalDataService, {
      ...personalData(deps),
      ...exportPerson(deps),
      ...exportOfTables(deps.pool, "webhooks"),
      ...destruction({ pool: deps.destroyerPool, schema: "webhooks" }),
    });
    router.service(RetentionService, retentionOf(deps.pool, "webhooks", oldDeliveries(deps)));
  };
