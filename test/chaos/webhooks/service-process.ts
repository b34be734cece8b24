// The webhooks service as a process that may be killed. Its clock may be ahead; receivers have less time than usual.
import { createRouterTransport } from "@connectrpc/connect";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { newId } from "#platform/ids.ts";
import { createOutboundPoster } from "#platform/net/outbound-post.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createWebhooksService } from "../../../services/webhooks/service.ts";
import { createRandom } from "../accept-history/random.ts";
import { openChild } from "../events/child.ts";
import { requestTimeoutMs } from "./limits.ts";

const { databaseUrl, bus, logger, metrics, ready } = openChild("webhooks");
const { MASTER_KEY: masterKey = "", AHEAD_MS: aheadMs, SEED: seed } = process.env;
const random = createRandom(Number(seed));
const clock = { now: () => new Date(Date.now() + Number(aheadMs)) };

/** What a process had when it was killed comes again sooner than the bus would have it. */
const quickBus: EventBus = {
  ...bus,
  subscribe: (options) => bus.subscribe({ ...options, ackWaitMs: 2_000, backoffMs: [100] }),
};
const poster = createOutboundPoster({ rules: { allowPrivate: true, ports: [] } });
const interceptors = serverInterceptors({ service: "click", logger, metrics });
const putOffs = 0.1;

/** Knows every receipt, but does not always answer. */
const click = createMemoryTransport(
  (router) => {
    router.service(ClickService, {
      getReceipt: ({ receiptId }) => {
        if (random.chance(putOffs)) throw new DomainError("SERVICE_UNAVAILABLE");
        return { receiptJson: JSON.stringify({ receiptId }) };
      },
    });
  },
  { interceptors },
);
const service = createWebhooksService(
  { databaseUrl, masterKey, allowPrivate: true },
  {
    runtime: { logger, metrics, clock, newId, bus: quickBus },
    click,
    sign: createRouterTransport(() => undefined),
    random: () => random.next(),
    poster: { ...poster, post: (request) => poster.post({ ...request, timeoutMs: requestTimeoutMs }) },
  },
);
for (const worker of service.workers) await worker.start();
ready();
