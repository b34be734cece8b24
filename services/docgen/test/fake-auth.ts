import type { Transport } from "@connectrpc/connect";
import { Plan, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";

export interface FakeAuth {
  readonly transport: Transport;
  /** How often it was asked for an organization. */
  readonly calls: { organizations: number };
  /** Without this, an organization has GEN_PRO. */
  setPlan(orgId: string, plan: Plan): void;
  /** While it is away, every call fails. */
  setAway(isAway: boolean): void;
}

/** An auth service that knows plans and nothing else. */
export function createFakeAuth(): FakeAuth {
  const plans = new Map<string, Plan>();
  const calls = { organizations: 0 };
  let away = false;
  const transport = createMemoryTransport(
    (router) => {
      router.service(TokenService, {
        describeOrganization: ({ organizationId }) => {
          if (away) throw new DomainError("SERVICE_UNAVAILABLE");
          calls.organizations += 1;
          return { organization: { id: organizationId, plan: plans.get(organizationId) ?? Plan.GEN_PRO } };
        },
      });
    },
    { interceptors: [] },
  );
  return {
    transport,
    calls,
    setPlan: (orgId, plan) => {
      plans.set(orgId, plan);
    },
    setAway: (isAway) => {
      away = isAway;
    },
  };
}
