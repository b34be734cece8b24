import type { Client } from "@connectrpc/connect";
import { type TokenService, Plan as WirePlan } from "#gen/assent/auth/v1/auth_pb.ts";
import type { Logger } from "#platform/logger.ts";
import { type Remembered, remembered } from "#platform/remembered.ts";
import type { Plan } from "../domain/usage.ts";

export type PlanReader = Pick<Remembered<Plan>, "of">;

export interface PlanReaderDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "describeOrganization">;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly logger: Logger;
}

/**
 * The plan of an organization, at most a second old. While the auth service is unavailable, the last known plan
 * applies: counting documents by an old plan is better than producing none.
 */
export const createPlanReader = (deps: PlanReaderDeps): PlanReader =>
  remembered({
    ask: (orgId) => describe(deps, orgId),
    maxAgeMs: 1_000,
    monotonic: deps.monotonic,
    onAway: (orgId, err) =>
      deps.logger.warn({ err, orgId }, "the plan of an organization could not be read; the last one applies"),
  });

const timeoutMs = 2_000;

async function describe({ tokens }: PlanReaderDeps, organizationId: string): Promise<Plan> {
  const { organization } = await tokens.describeOrganization({ organizationId }, { timeoutMs });
  const plan = plans[organization?.plan ?? WirePlan.UNSPECIFIED];
  if (plan === undefined) throw new Error("the auth service answered a plan that is not known here");
  return plan;
}

const plans: Readonly<Record<WirePlan, Plan | undefined>> = {
  [WirePlan.UNSPECIFIED]: undefined,
  [WirePlan.GEN_STARTER]: "gen_starter",
  [WirePlan.GEN_PRO]: "gen_pro",
  [WirePlan.GEN_HOA]: "gen_hoa",
  [WirePlan.BUSINESS]: "business",
  [WirePlan.GEN_PAYG]: "gen_payg",
};
