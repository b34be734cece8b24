import type { Client } from "@connectrpc/connect";
import { Plan, type TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { enumName } from "../../views/scalars.ts";

/** Each group has its own budget per client. */
export type LimitGroup = "accept" | "render" | "other" | "sign";

/** Requests per window and client. */
export type GroupLimits = Readonly<Record<LimitGroup, number>>;

/** The organization settings that requests are counted by. */
export interface LimitsOfOrganization extends GroupLimits {
  /** The document generation plan; undefined until the auth service has reported it. */
  readonly plan?: string | undefined;
  /** Of all clients of the organization together. */
  readonly shared: GroupLimits;
  /** Whether it may only read. */
  readonly suspended?: boolean;
}

export interface OrganizationLimits {
  /** The limits in force. While the auth service is unreachable, the last known ones, or else the defaults. */
  of(orgId: OrgId): LimitsOfOrganization | Promise<LimitsOfOrganization>;
  /** Makes the next call ask the auth service again. */
  forget(orgId: string): void;
}

export interface OrganizationLimitsDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "describeOrganization">;
  readonly defaults: GroupLimits;
  readonly monotonic: () => number;
  readonly logger: Logger;
}

interface Known {
  readonly limits: Promise<LimitsOfOrganization> | LimitsOfOrganization;
  /** Milliseconds of the monotonic clock. */
  readonly askAgainAt: number;
  /** Used when the auth service does not answer. */
  readonly otherwise: LimitsOfOrganization;
}

const maxKnown = 10_000;
const askAgainAfterFailureMs = 5_000;

export function createOrganizationLimits(deps: OrganizationLimitsDeps): OrganizationLimits {
  const known = new Map<string, Known>();
  const unknown: LimitsOfOrganization = { ...deps.defaults, shared: sharedOf(deps.defaults, deps.defaults) };

  const remember = (orgId: OrgId, entry: Known): void => {
    // The organization that was asked about longest ago.
    const [oldest = orgId] = known.keys();
    if (known.size >= maxKnown) known.delete(oldest);
    known.set(orgId, entry);
  };

  const ask = (orgId: OrgId): Promise<LimitsOfOrganization> => {
    const otherwise = known.get(orgId)?.otherwise ?? unknown;
    const limits = describe(orgId, deps).then(
      (answer) => {
        // An answer requested before a change must not be cached after it.
        if (known.get(orgId) === asking) {
          remember(orgId, { limits: answer, askAgainAt: Number.POSITIVE_INFINITY, otherwise: answer });
        }
        return answer;
      },
      (error: unknown) => {
        deps.logger.warn({ err: error, orgId }, "the limits of an organization could not be read; the last ones apply");
        const askAgainAt = deps.monotonic() + askAgainAfterFailureMs;
        if (known.get(orgId) === asking) remember(orgId, { limits: otherwise, askAgainAt, otherwise });
        return otherwise;
      },
    );
    const asking: Known = { limits, askAgainAt: Number.POSITIVE_INFINITY, otherwise };
    remember(orgId, asking);
    return limits;
  };

  return {
    of: (orgId) => {
      const entry = known.get(orgId);
      return entry !== undefined && deps.monotonic() < entry.askAgainAt ? entry.limits : ask(orgId);
    },
    forget: (orgId) => {
      const entry = known.get(orgId);
      if (entry === undefined) return;
      known.set(orgId, { limits: entry.otherwise, askAgainAt: Number.NEGATIVE_INFINITY, otherwise: entry.otherwise });
    },
  };
}

async function describe(
  organizationId: OrgId,
  { tokens, defaults }: OrganizationLimitsDeps,
): Promise<LimitsOfOrganization> {
  const { organization } = await tokens.describeOrganization({ organizationId }, { timeoutMs: 2_000 });
  const plan = enumName(Plan, organization?.plan ?? Plan.UNSPECIFIED)?.toLowerCase();
  const { limits, shared } = limitsInForce(defaults, organization?.limits, organization?.sharedLimits);
  return {
    ...limits,
    plan,
    shared,
    suspended: organization?.suspendedAt !== undefined,
  };
}

/** What a window can count to: more would fail the takes of everybody in the same statement. */
const largestLimit = 2_147_483_647;

/**
 * What all clients of an organization may do together when nothing else is said: as much as ten of them. Less for each
 * of them is not less for all.
 */
function sharedOf(limits: GroupLimits, defaults: GroupLimits): GroupLimits {
  const ten = (group: LimitGroup): number => Math.min(10 * Math.max(limits[group], defaults[group]), largestLimit);
  return { accept: ten("accept"), render: ten("render"), other: ten("other"), sign: ten("sign") };
}

/** What an organization has instead of the defaults. */
type Overrides = { readonly [Group in LimitGroup]?: number | null | undefined } | undefined;

/** Of each client, and of all clients together. */
export function limitsInForce(defaults: GroupLimits, own: Overrides, ofAll: Overrides) {
  const limits = withOverrides(defaults, own);
  return { limits, shared: withOverrides(sharedOf(limits, defaults), ofAll) };
}

const withOverrides = (defaults: GroupLimits, overrides: Overrides): GroupLimits => ({
  accept: overrides?.accept ?? defaults.accept,
  render: overrides?.render ?? defaults.render,
  other: overrides?.other ?? defaults.other,
  sign: overrides?.sign ?? defaults.sign,
});
