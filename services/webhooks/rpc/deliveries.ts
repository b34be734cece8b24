import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import { AttemptSchema, DeliverySchema, DeliveryStatus as StatusCode } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Attempt, Delivery, DeliveryStatus } from "../domain/delivery.ts";
import { latestAttempts } from "../store/attempt-store.ts";
import { findDelivery } from "../store/delivery-store.ts";
import type { WebhooksDeps, WebhooksRpcs } from "./deps.ts";
import { parseId } from "./endpoint-input.ts";

/** More than the schedule ever makes; only who resends again and again has more, and a message has an end. */
const shownAttempts = 1_000;

export const getDelivery = (deps: Pick<WebhooksDeps, "pool">): WebhooksRpcs<"getDelivery"> => ({
  async getDelivery(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseId(request.id, "WEBHOOK_DELIVERY_NOT_FOUND");
    return withOrgSnapshot(deps.pool, orgId, async (tenant) => {
      const delivery = await findDelivery(tenant, id);
      if (delivery === undefined) throw new DomainError("WEBHOOK_DELIVERY_NOT_FOUND");
      const attempts = await latestAttempts(tenant, { deliveryIds: [id], limit: shownAttempts });
      return { delivery: deliveryMessage(delivery, attempts.get(id) ?? []) };
    });
  },
});

const statuses = {
  pending: StatusCode.PENDING,
  delivered: StatusCode.DELIVERED,
  failed: StatusCode.FAILED,
  dead: StatusCode.DEAD,
} as const satisfies Record<DeliveryStatus, StatusCode>;

/** Undefined for unspecified. */
export const statusFromWire = nameReader(statuses);
const deliveries = recordsOf(DeliverySchema, { status: statuses });
const attemptRecords = recordsOf(AttemptSchema);

export const deliveryMessage = (
  delivery: Delivery,
  attempts: readonly Attempt[],
): MessageInitShape<typeof DeliverySchema> =>
  deliveries.write({
    ...{ ...delivery, attemptCount: delivery.attempts, nextAttemptAt: delivery.dueAt },
    attempts: attempts.map(attemptRecords.write),
  });
