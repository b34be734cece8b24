import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Campaign, CampaignPerson } from "#api/campaigns.ts";
import { useApi } from "../../api/client.ts";

export const campaignsPath = "/v1/click/campaigns";
const all = ["campaigns"] as const;

export function useCampaigns(limit: number) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...all, "list", limit],
    queryFn: ({ pageParam }) => api.list<Campaign>(campaignsPath, { limit, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
}

/** Read again and again while it runs: people accept meanwhile. */
export function useCampaign(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...all, "one", id],
    queryFn: () => api.get<Campaign>(`${campaignsPath}/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) =>
      state.data?.status === "RUNNING" ? (state.data.counts.unchecked > 0 ? 1_000 : 10_000) : false,
  });
}

export function useCampaignPeople(id: string, filter: { readonly state?: string; readonly userRef?: string }) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...all, "people", id, filter],
    queryFn: ({ pageParam }) =>
      api.list<CampaignPerson>(`${campaignsPath}/${encodeURIComponent(id)}/people`, {
        ...{ ...filter, limit: 50, cursor: pageParam || undefined },
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
}

/** What was read is read again. */
export function useRefreshCampaigns() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: all });
}
