import type { Client } from "@connectrpc/connect";
import { type TokenService, Plan as WirePlan } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Plan } from "../domain/usage.ts";

export interface PlanReader {
  /** The plan of an organization, at most a second old; throws SERVICE_UNAVAILABLE while nobody knows it. */
  of(orgId: OrgId): Promise<Plan>;
}

export interface PlanReaderDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "describeOrganization">;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  readonly logger: Logger;
}

interface Known {
  readonly plan: Plan;
  readonly askAgainAt: number;
}

const maxAgeMs = 1_000;
const maxKnown = 10_000;
const timeoutMs = 2_000;

/**
 * Asks the auth service. While that is away, the plan that was known last still holds: that documents are counted by an
 * old plan is better than that none are made. An organization whose plan was never known gets none.
 */
export function createPlanReader(deps: PlanReaderDeps): PlanReader {
  const known = new Map<OrgId, Known>();
  const asking = new Map<OrgId, Promise<Plan>>();

  const ask = async (orgId: OrgId): Promise<Plan> => {
    const plan = await describe(deps, orgId).catch((error: unknown) => {
      const last = known.get(orgId);
      if (last === undefined) throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
      deps.logger.warn({ err: error, orgId }, "the plan of an organization could not be read; the last one applies");
      return last.plan;
    });
    // The one that was asked for longest ago goes first.
    known.delete(orgId);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= maxKnown) known.delete(oldest);
    known.set(orgId, { plan, askAgainAt: deps.monotonic() + maxAgeMs });
    return plan;
  };

  return {
    of: async (orgId) => {
      const last = known.get(orgId);
      if (last !== undefined && deps.monotonic() < last.askAgainAt) return last.plan;
      const answer = asking.get(orgId) ?? ask(orgId).finally(() => asking.delete(orgId));
      asking.set(orgId, answer);
      return answer;
    },
  };
}

async function describe({ tokens }: PlanReaderDeps, organizationId: OrgId): Promise<Plan> {
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
