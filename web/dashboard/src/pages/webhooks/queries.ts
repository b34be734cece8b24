import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Delivery, Endpoint, EventType } from "#api/webhooks.ts";
import { useApi } from "../../api/client.ts";

const all = ["webhooks"] as const;
const endpointsKey = [...all, "endpoints"] as const;
const deliveriesKey = [...all, "deliveries"] as const;

export function useEndpoints() {
  const api = useApi();
  return useQuery({ queryKey: endpointsKey, queryFn: () => api.get<Endpoint[]>("/v1/webhooks/endpoints") });
}

export function useEndpoint(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...endpointsKey, id],
    queryFn: () => api.get<Endpoint>(`/v1/webhooks/endpoints/${encodeURIComponent(id)}`),
  });
}

export function useEventTypes() {
  const api = useApi();
  return useQuery({
    queryKey: [...all, "event-types"],
    queryFn: () => api.get<EventType[]>("/v1/webhooks/event-types"),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export interface DeliveryFilter {
  readonly endpointId?: string | undefined;
  readonly status?: string | undefined;
  readonly eventType?: string | undefined;
}

/** Page by page, the newest first. */
export function useDeliveries(filter: DeliveryFilter, limit: number) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...deliveriesKey, filter, limit],
    queryFn: ({ pageParam }) =>
      api.list<Delivery>("/v1/webhooks/deliveries", { ...filter, limit, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
}

/** Asked for again while somebody may be sending it. */
export function useDelivery(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: deliveryKey(id),
    queryFn: () => api.get<Delivery>(`/v1/webhooks/deliveries/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => pauseUntil(state.data?.nextAttemptAt),
  });
}

/** Milliseconds until the next attempt may be over; false when there is none. */
function pauseUntil(next: string | null | undefined): number | false {
  if (!next) return false;
  return Math.min(Math.max(Date.parse(next) - Date.now(), 1_500), 30_000);
}

const deliveryKey = (id: string) => [...all, "delivery", id] as const;

/** What the pages know anew after something was changed. */
export function useWebhookChanges() {
  const queries = useQueryClient();
  return {
    endpointsChanged: () => queries.invalidateQueries({ queryKey: endpointsKey }),
    deliveriesChanged: () => queries.invalidateQueries({ queryKey: deliveriesKey }),
    deliveryIs: (delivery: Delivery) => queries.setQueryData(deliveryKey(delivery.id), delivery),
    /** Not asked for again: it is gone. */
    endpointGone: async (id: string) => {
      queries.removeQueries({ queryKey: [...endpointsKey, id] });
      await queries.invalidateQueries({ queryKey: endpointsKey, exact: true });
    },
  };
}
