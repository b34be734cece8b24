import type { Client } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";

export interface OrganizationFacts {
  readonly name: string;
  /** For trying things out: return URLs may lead to the developer's own machine. */
  readonly sandbox: boolean;
}

export interface OrganizationReader {
  /** At most some seconds old while the auth service answers; throws SERVICE_UNAVAILABLE while nobody knows it. */
  of(orgId: OrgId): Promise<OrganizationFacts>;
  /** What is known without asking, however old; the handlers of changes have asked before. */
  known(orgId: OrgId): OrganizationFacts | undefined;
}

export interface OrganizationReaderDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "describeOrganization">;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  readonly logger: Logger;
}

interface Known {
  readonly facts: OrganizationFacts;
  readonly askAgainAt: number;
}

const maxAgeMs = 5_000;
const maxKnown = 10_000;
const timeoutMs = 2_000;

/** Asks the auth service. While that is away, what was known last still holds. */
export function createOrganizationReader(deps: OrganizationReaderDeps): OrganizationReader {
  const known = new Map<OrgId, Known>();
  const asking = new Map<OrgId, Promise<OrganizationFacts>>();

  const ask = async (orgId: OrgId): Promise<OrganizationFacts> => {
    const facts = await describe(deps, orgId).catch((error: unknown) => {
      const last = known.get(orgId);
      if (last === undefined) throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
      deps.logger.warn({ err: error, orgId }, "an organization could not be read; what was known last holds");
      return last.facts;
    });
    // The one that was asked for longest ago goes first.
    known.delete(orgId);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= maxKnown) known.delete(oldest);
    known.set(orgId, { facts, askAgainAt: deps.monotonic() + maxAgeMs });
    return facts;
  };

  return {
    of: async (orgId) => {
      const last = known.get(orgId);
      if (last !== undefined && deps.monotonic() < last.askAgainAt) return last.facts;
      const answer = asking.get(orgId) ?? ask(orgId).finally(() => asking.delete(orgId));
      asking.set(orgId, answer);
      return answer;
    },
    known: (orgId) => known.get(orgId)?.facts,
  };
}

async function describe({ tokens }: OrganizationReaderDeps, organizationId: OrgId): Promise<OrganizationFacts> {
  const { organization } = await tokens.describeOrganization({ organizationId }, { timeoutMs });
  if (organization === undefined) throw new Error("the auth service answered no organization");
  return { name: organization.name, sandbox: organization.sandbox };
}
