import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { eventTypes } from "../domain/event-types.ts";

/** The same for everybody. */
export const listEventTypes = (): Pick<ServiceImpl<typeof WebhooksService>, "listEventTypes"> => ({
  listEventTypes: () => ({
    eventTypes: eventTypes.map(({ type, description, example }) => ({
      ...{ type, description },
      exampleJson: JSON.stringify(example),
    })),
  }),
});
