import type { Client } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { Logger } from "#platform/logger.ts";
import { type Remembered, remembered } from "#platform/remembered.ts";

export interface OrganizationFacts {
  readonly name: string;
  /** Sandbox organizations may use return URLs on the developer's own machine. */
  readonly sandbox: boolean;
}

/** `known` is for the handlers of changes, which have asked before. */
export type OrganizationReader = Remembered<OrganizationFacts>;

export interface OrganizationReaderDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "describeOrganization">;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly logger: Logger;
}

/** At most some seconds old while the auth service is available. */
export const createOrganizationReader = (deps: OrganizationReaderDeps): OrganizationReader =>
  remembered({
    ask: (orgId) => describe(deps, orgId),
    maxAgeMs: 5_000,
    monotonic: deps.monotonic,
    onAway: (orgId, err) =>
      deps.logger.warn({ err, orgId }, "an organization could not be read; what was known last holds"),
  });

const timeoutMs = 2_000;

async function describe({ tokens }: OrganizationReaderDeps, organizationId: string): Promise<OrganizationFacts> {
  const { organization } = await tokens.describeOrganization({ organizationId }, { timeoutMs });
  if (organization === undefined) throw new Error("the auth service answered no organization");
  return { name: organization.name, sandbox: organization.sandbox };
}
