import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { pageOfEndpoints } from "../store/endpoint-store.ts";
import type { WebhooksDeps } from "./deps.ts";
import { cursorText, parseCursor } from "./list-cursor.ts";
import { endpointMessage } from "./messages.ts";

const defaultLimit = 100;

export const listEndpoints = (
  deps: Pick<WebhooksDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof WebhooksService>, "listEndpoints"> => ({
  async listEndpoints(request, context) {
    const { orgId } = requireCaller(context);
    const limit = request.limit || defaultLimit;
    const after = parseCursor(request.cursor);
    // One more than wanted tells whether there is another page.
    const found = await inTransaction(orgId, deps.pool, (client) =>
      pageOfEndpoints(client, orgId, { after, limit: limit + 1 }),
    );
    const page = found.slice(0, limit);
    const last = found.length > page.length ? page.at(-1) : undefined;
    return {
      endpoints: page.map((endpoint) => endpointMessage(endpoint, deps.clock.now())),
      nextCursor: last === undefined ? "" : cursorText({ at: last.createdAt, id: last.id }),
    };
  },
});
