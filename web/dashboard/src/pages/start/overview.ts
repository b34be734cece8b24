import { useQuery } from "@tanstack/react-query";
import { useApi } from "../../api/client.ts";
import { useLanguage } from "../../texts/texts.tsx";

export interface Decisions {
  readonly acceptances: number;
  readonly declines: number;
}

interface PlanWindow {
  readonly limit: number;
  readonly used: number;
  readonly resetAt: string;
}

export type AgreementStatus =
  | "created"
  | "sent"
  | "delivered"
  | "completing"
  | "completed"
  | "declined"
  | "voided"
  | "expired";

/** What happens today; a part whose service is away is null. */
export interface Overview {
  readonly date: string;
  readonly from: string;
  readonly acceptances: (Decisions & { readonly hours: readonly (Decisions & { readonly hour: string })[] }) | null;
  readonly agreements: {
    readonly byStatus: Readonly<Record<AgreementStatus, number>>;
    readonly sentToday: number;
    readonly completedToday: number;
    readonly declinedToday: number;
  } | null;
  readonly generation: { readonly plan: string; readonly hour: PlanWindow; readonly minute: PlanWindow } | null;
  readonly webhooks: {
    readonly endpoints: number;
    readonly failing: number;
    readonly disabled: number;
    readonly undeliveredToday: number;
  } | null;
}

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
