import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { overlapMs } from "../domain/limits.ts";
import { newSecret, sealSecret, secretText } from "../domain/seal-secret.ts";
import { replaceSecret } from "../store/endpoint-store.ts";
import type { WebhooksDeps } from "./deps.ts";
import { endpointMessage } from "./messages.ts";
import { parseId } from "./require-endpoint.ts";

export const rotateEndpointSecret = ({
  pool,
  secretKeys,
  clock,
}: Pick<WebhooksDeps, "pool" | "secretKeys" | "clock">): Pick<
  ServiceImpl<typeof WebhooksService>,
  "rotateEndpointSecret"
> => ({
  async rotateEndpointSecret(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseId(request.id, "WEBHOOK_ENDPOINT_NOT_FOUND");
    const now = clock.now();
    const secret = newSecret();
    const sealed = sealSecret(secretKeys, orgId, id, secret);
    const previousUntil = new Date(now.getTime() + overlapMs);
    const endpoint = await inTransaction(orgId, pool, (client) =>
      replaceSecret(client, orgId, id, { sealed, previousUntil, now }),
    );
    if (endpoint === undefined) throw new DomainError("WEBHOOK_ENDPOINT_NOT_FOUND");
    return { endpoint: endpointMessage(endpoint, now), secret: secretText(secret) };
  },
});
