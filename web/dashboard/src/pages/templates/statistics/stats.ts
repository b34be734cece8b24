import { useQuery } from "@tanstack/react-query";
import { useApi } from "../../../api/client.ts";
import type { DayCount } from "./day-series.ts";

/** What statistics may be narrowed to; days are those of UTC. */
export interface StatsFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly locale?: string | undefined;
  readonly versionId?: string | undefined;
}

export interface VersionCount {
  readonly versionId: string;
  readonly locale: string;
  readonly revision: number;
  readonly label: string;
  readonly acceptances: number;
}

/** As the API answers them. */
export interface Stats {
  readonly sessions: Readonly<
    Record<"created" | "presented" | "accepted" | "completed" | "declined" | "expired" | "cancelled", number>
  >;
  readonly acceptances: Readonly<
    Record<"total" | "uniqueUsers" | "direct" | "withSession" | "last24h" | "last7d" | "last30d", number>
  >;
  readonly declines: number;
  readonly withdrawals: number;
  readonly renders: number;
  readonly rates: Readonly<Record<"acceptance" | "decline" | "abandonment", number | null>>;
  readonly timeToAcceptMs: Readonly<Record<"p50" | "p90", number | null>>;
  readonly byVersion: readonly VersionCount[];
  readonly byLocale: readonly { readonly locale: string; readonly acceptances: number }[];
  readonly byDay: readonly DayCount[];
  readonly byPurpose: readonly {
    readonly purpose: string;
    readonly granted: number;
    readonly denied: number;
    readonly withdrawn: number;
  }[];
  readonly usersOnLatest: number;
  readonly usersNeedingReacceptance: number;
  readonly firstAcceptedAt: string | null;
  readonly lastAcceptedAt: string | null;
}

export function useStats(templateId: string, filter: StatsFilter) {
  const api = useApi();
  return useQuery({
    queryKey: ["templates", templateId, "stats", filter],
    queryFn: () => api.get<Stats>(`/v1/click/templates/${encodeURIComponent(templateId)}/stats`, { ...filter }),
    // What is on the page stays until other numbers have come.
    placeholderData: (earlier) => earlier,
  });
}
