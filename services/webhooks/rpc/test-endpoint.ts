import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { RecoverEndpointRequest } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg, withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { momentOf } from "#platform/problems.ts";
import { eventTypes } from "../domain/event-types.ts";
import { testEventType } from "../domain/event-types-others.ts";
import { problem, refuse } from "../domain/problems.ts";
import { testEventText } from "../events.ts";
import { findDelivery } from "../store/delivery-store.ts";
import { insertFanOut } from "../store/fan-out-store.ts";
import { readActivity } from "../store/health-store.ts";
import { lockQueue, refreshQueue } from "../store/queue-store.ts";
import { type RecoverPosition, requeueOfEndpoint } from "../store/requeue-store.ts";
import { sumUses, type UseCounts } from "../store/use-store.ts";
import { deliveryMessage } from "./deliveries.ts";
import type { WebhooksDeps, WebhooksRpcs } from "./deps.ts";
import { requireEndpoint } from "./endpoint-input.ts";

export const testEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "clock" | "newId" | "wakeDeliveries">,
): WebhooksRpcs<"testEndpoint"> => ({
  async testEndpoint(request, context) {
    const { orgId } = requireCaller(context);
    const now = deps.clock.now();
    const [eventId, id] = [deps.newId(), deps.newId()];
    const delivery = await withOrg(deps.pool, orgId, async (tenant) => {
      const endpoint = await requireEndpoint(tenant, request.id, { lock: true });
      if (!endpoint.isEnabled) throw new DomainError("WEBHOOK_ENDPOINT_DISABLED");
      const data = testEventText({ orgId, eventId, endpointId: endpoint.id, now });
      const event = { id: eventId, type: testEventType, data, occurredAt: now };
      const receiver = { receiverId: endpoint.id, endpointId: endpoint.id };
      const others = { connectId: undefined, agreementId: undefined, receiverIndex: undefined };
      const added = { id, eventId, eventType: testEventType, occurredAt: now, ...receiver, ...others };
      await insertFanOut(tenant.client, [{ orgId, events: [event], deliveries: [added] }], now);
      return findDelivery(tenant, id);
    });
    deps.wakeDeliveries();
    return delivery === undefined ? {} : { delivery: deliveryMessage(delivery, []) };
  },
});

/** So many in a transaction: whoever sends waits for it. */
const batch = 1_000;
const maxQueued = 100_000;

export const recoverEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "clock" | "wakeDeliveries">,
): WebhooksRpcs<"recoverEndpoint"> => ({
  async recoverEndpoint(request, context) {
    const { orgId } = requireCaller(context);
    const now = deps.clock.now();
    const range = rangeOf(request, now);
    let queued = 0;
    let after: RecoverPosition | undefined;
    do {
      // All become due at the same time, so that they are sent in their order.
      const found = await withOrg(deps.pool, orgId, async (tenant) => {
        const { id, isEnabled } = await requireEndpoint(tenant, request.id, { lock: true });
        if (!isEnabled) throw new DomainError("WEBHOOK_ENDPOINT_DISABLED");
        await lockQueue(tenant, { receiverId: id, isOrdered: false });
        const limit = Math.min(batch, maxQueued - queued);
        const some = await requeueOfEndpoint(tenant, { ...range, endpointId: id, after, limit, now });
        await refreshQueue(tenant, id, now);
        return some;
      });
      queued += found.count;
      after = found.last;
      deps.wakeDeliveries();
    } while (after !== undefined && queued < maxQueued && !context.signal.aborted);
    return { queued };
  },
});

function rangeOf({ since, until }: RecoverEndpointRequest, now: Date): { since: Date; until: Date } {
  const [from, to] = [dateOf(since) ?? new Date(Number.NaN), until === undefined ? now : dateOf(until)];
  if (to !== undefined && from < to) return { since: from, until: to };
  refuse([problem("since", "NOT_ALLOWED", "must be a time before until")]);
  return { since: from, until: from };
}

const dateOf = (timestamp: RecoverEndpointRequest["since"]): Date | undefined =>
  timestamp === undefined ? undefined : timestampDate(timestamp);

export const getActivity = (deps: Pick<WebhooksDeps, "pool">): WebhooksRpcs<"getActivity"> => ({
  async getActivity({ since }, context) {
    const { orgId } = requireCaller(context);
    const from = momentOf("since", since);
    const { undelivered, ...endpoints } = await withOrgSnapshot(deps.pool, orgId, (tenant) =>
      readActivity(tenant, from),
    );
    return { ...endpoints, undelivered: BigInt(undelivered) };
  },
});

/** For the operator's list of organizations: whoever runs the installation may know of all. */
export const countUse = ({
  fanOutPool,
  clock,
}: Pick<WebhooksDeps, "fanOutPool" | "clock">): WebhooksRpcs<"countUse"> => ({
  async countUse({ organizationIds }) {
    const today = clock.now().toISOString().slice(0, 10);
    const found = await sumUses(fanOutPool, organizationIds, today);
    return {
      organizations: found.map(({ orgId, ...use }) => ({
        ...{ organizationId: orgId, today: countsMessage(use.today), last30Days: countsMessage(use.last30Days) },
      })),
    };
  },
});

const countsMessage = ({ acceptances, agreements, documents, deliveries }: UseCounts) => ({
  ...{ acceptances: BigInt(acceptances), agreements: BigInt(agreements) },
  ...{ documents: BigInt(documents), deliveries: BigInt(deliveries) },
});

/** The same for everybody. */
export const listEventTypes = (): WebhooksRpcs<"listEventTypes"> => ({
  listEventTypes: () => ({
    eventTypes: eventTypes.map(({ type, description, example }) => ({
      ...{ type, description },
      exampleJson: JSON.stringify(example),
    })),
  }),
});
