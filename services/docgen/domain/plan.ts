/** Documents that a plan allows in an hour and in a minute. */
export interface PlanLimits {
  readonly hour: number;
  readonly minute: number;
}

export type Plan = "gen_starter" | "gen_pro" | "gen_hoa" | "business" | "gen_payg";

export const planLimits: Readonly<Record<Plan, PlanLimits>> = {
  gen_starter: { hour: 60, minute: 1 },
  gen_pro: { hour: 600, minute: 10 },
  gen_hoa: { hour: 600, minute: 10 },
  business: { hour: 1_200, minute: 20 },
  gen_payg: { hour: 6_000, minute: 100 },
};
