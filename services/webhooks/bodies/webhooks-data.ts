import type { DataMakers } from "./event-parts.ts";

export const webhooksData: DataMakers<"endpointDisabled"> = {
  endpointDisabled: ({ endpointId, reason }) => ({
    endpoint: { id: endpointId, enabled: false, disabledReason: reason },
  }),
};
