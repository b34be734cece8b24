import { useQuery } from "@tanstack/react-query";
import type { Overview } from "#api/overview.ts";
import { useApi } from "../../api/client.ts";
import { useLanguage } from "../../texts/texts.tsx";

/** Often enough to be watched, and no burden. */
const refreshMs = 30_000;

/** What happens on the day that it is for the person. */
export function useOverview() {
  const { timeZone } = useLanguage();
  const api = useApi();
  return useQuery({
    queryKey: ["overview", timeZone],
    queryFn: () => api.get<Overview>("/v1/dashboard/overview", { timeZone }),
    refetchInterval: refreshMs,
  });
}
