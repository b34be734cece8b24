import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { maxConnectSecrets } from "../domain/limits.ts";
import { connectSecretText, newSecret, sealSecret } from "../domain/seal-secret.ts";
import { deleteConnectSecret, insertConnectSecret, listSealedConnectSecrets } from "../store/connect-secret-store.ts";
import { lockOrganization } from "../store/endpoint-store.ts";
import type { WebhooksDeps } from "./deps.ts";
import { connectSecretMessage } from "./messages.ts";
import { parseId } from "./require-endpoint.ts";

type ConnectSecrets = Pick<
  ServiceImpl<typeof WebhooksService>,
  "createConnectSecret" | "listConnectSecrets" | "deleteConnectSecret"
>;

export const connectSecrets = ({
  pool,
  secretKeys,
  clock,
  newId,
}: Pick<WebhooksDeps, "pool" | "secretKeys" | "clock" | "newId">): ConnectSecrets => ({
  async createConnectSecret(_request, context) {
    const { orgId } = requireCaller(context);
    const [id, secret] = [newId(), newSecret()];
    const row = { id, sealed: sealSecret(secretKeys, orgId, id, secret), createdAt: clock.now() };
    await inTransaction(orgId, pool, async (client) => {
      await lockOrganization(client, orgId);
      const existing = await listSealedConnectSecrets(client, orgId);
      if (existing.length >= maxConnectSecrets) throw new DomainError("CONNECT_SECRET_LIMIT");
      await insertConnectSecret(client, orgId, row);
    });
    return { secret: connectSecretMessage(row), value: connectSecretText(secret) };
  },
  async listConnectSecrets(_request, context) {
    const { orgId } = requireCaller(context);
    const secrets = await inTransaction(orgId, pool, (client) => listSealedConnectSecrets(client, orgId));
    return { secrets: secrets.map(connectSecretMessage) };
  },
  async deleteConnectSecret(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseId(request.id, "CONNECT_SECRET_NOT_FOUND");
    const isDeleted = await inTransaction(orgId, pool, (client) => deleteConnectSecret(client, orgId, id));
    if (!isDeleted) throw new DomainError("CONNECT_SECRET_NOT_FOUND");
    return {};
  },
});
