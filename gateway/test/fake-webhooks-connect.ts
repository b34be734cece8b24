import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type Connect,
  ConnectSchema,
  type ConnectSecret,
  ConnectSecretSchema,
  DeliveryStatus,
  type WebhooksService,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { newId } from "#platform/ids.ts";
import type { FakeWebhooksCore } from "./fake-webhooks.ts";
import { createOwned } from "./owned.ts";
import { at } from "./sample-agreement.ts";

/** Configurations and keys of the compatible interface. */
export function createFakeConnect({
  enter,
  deliveries,
}: FakeWebhooksCore): Partial<ServiceImpl<typeof WebhooksService>> {
  const connects = createOwned<Connect>("SUBSCRIPTION_NOT_FOUND");
  const secrets = createOwned<ConnectSecret>("CONNECT_SECRET_NOT_FOUND");
  let ids = 0n;
  return {
    createConnect: (request, context) => {
      const { orgId } = enter(context, "createConnect", request);
      ids += 1n;
      const { settingsJson } = request;
      const connect = create(ConnectSchema, { id: ids, settingsJson, createdAt: at(0) });
      return { connect: connects.add(orgId, String(connect.id), connect) };
    },
    getConnect: (request, context) => ({
      connect: connects.find(enter(context, "getConnect", request).orgId, String(request.id)),
    }),
    listConnects: (request, context) => ({ connects: connects.all(enter(context, "listConnects", request).orgId) }),
    updateConnect: (request, context) => {
      const connect = connects.find(enter(context, "updateConnect", request).orgId, String(request.id));
      return { connect: Object.assign(connect, { settingsJson: request.settingsJson }) };
    },
    deleteConnect: (request, context) => {
      connects.remove(enter(context, "deleteConnect", request).orgId, String(request.id));
      return {};
    },
    createConnectSecret: (request, context) => {
      const { orgId } = enter(context, "createConnectSecret", request);
      const secret = create(ConnectSecretSchema, { id: newId(), createdAt: at(0) });
      return { secret: secrets.add(orgId, secret.id, secret), value: Buffer.alloc(32, 3).toString("base64") };
    },
    listConnectSecrets: (request, context) => ({
      secrets: secrets.all(enter(context, "listConnectSecrets", request).orgId),
    }),
    deleteConnectSecret: (request, context) => {
      secrets.remove(enter(context, "deleteConnectSecret", request).orgId, request.id);
      return {};
    },
    retryConnect: (request, context) => {
      const { orgId } = enter(context, "retryConnect", request);
      const { agreementIds } = request;
      const dead = deliveries
        .all(orgId)
        .filter(
          ({ status, agreementId }) =>
            (status === DeliveryStatus.DEAD || status === DeliveryStatus.FAILED) &&
            (agreementIds.length === 0 || agreementIds.includes(agreementId)),
        );
      return { deliveries: dead };
    },
  };
}
