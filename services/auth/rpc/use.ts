import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { OrganizationUseSchema } from "#gen/assent/auth/v1/auth_pb.ts";
import type { UseCounts } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { isOutage } from "#platform/outage.ts";
import type { OrganizationUse } from "../store/organization-store.ts";
import { addReport, findNames, type Load, listLoads } from "../store/request-store.ts";
import type { AdminRpcs, AuthDeps, TokenRpcs } from "./deps.ts";

type ReportDeps = Pick<AuthDeps, "janitor" | "clock">;

/** What gateways have counted. */
export const reportUse = ({ janitor, clock }: ReportDeps): TokenRpcs<"reportUse"> => ({
  async reportUse({ gatewayId, sequence, requests, load }) {
    const { spanMs = 1, othersMs = 0, organizations = [] } = load ?? {};
    const report = {
      ...{ gatewayId, sequence: Number(sequence) },
      requests: requests.map((one) => ({ id: one.organizationId, requests: one.requests, refused: one.refused })),
      load: {
        ...{ spanMs, othersMs },
        organizations: organizations.map(({ organizationId: id, busyMs, errorMs }) => ({ id, busyMs, errorMs })),
      },
    };
    await addReport(janitor, report, clock.now());
    return {};
  },
});

const minuteMs = 60_000;
/** A report may be on its way for a moment. */
const lateMs = 5_000;
const defaultLimit = 20;

type BusyDeps = Pick<AuthDeps, "lookup" | "clock">;

export const listBusyOrganizations = (deps: BusyDeps): AdminRpcs<"listBusyOrganizations"> => ({
  async listBusyOrganizations({ limit }) {
    const reports = await listLoads(deps.lookup, new Date(deps.clock.now().getTime() - minuteMs - lateMs));
    const loads = [...Map.groupBy(reports, ({ gatewayId }) => gatewayId).values()];
    const busiest = mergeLoads(loads.map((ofOne) => ofOne.map(({ load }) => load))).slice(0, limit || defaultLimit);
    const names = await findNames(
      deps.lookup,
      busiest.map(({ id }) => id),
    );
    return {
      gateways: loads.length,
      organizations: busiest.map(({ id, atLeast, atMost }) => ({
        ...{ organizationId: id, name: names.get(id) ?? "", busyAtLeast: atLeast, busyAtMost: atMost },
      })),
    };
  },
});

/** Requests under way on average in a minute. */
interface Busy {
  readonly id: string;
  readonly atLeast: number;
  readonly atMost: number;
}

/** From the reports of each gateway, the busiest first. Whoever has no counter in one of them may have had its smallest. */
function mergeLoads(gateways: readonly (readonly Load[])[]): readonly Busy[] {
  const known = new Map<string, { atLeast: number; atMost: number }>();
  for (const { organizations } of gateways.flat()) {
    for (const { id } of organizations) known.set(id, { atLeast: 0, atMost: 0 });
  }
  for (const loads of gateways) {
    // What a gateway has not reported of, it has not served.
    const spanMs = Math.max(
      minuteMs,
      loads.reduce((sum, load) => sum + load.spanMs, 0),
    );
    for (const { othersMs, organizations } of loads) {
      const counters = new Map(organizations.map((one) => [one.id, one]));
      for (const [id, sum] of known) {
        const { busyMs, errorMs } = counters.get(id) ?? { busyMs: othersMs, errorMs: othersMs };
        sum.atLeast += Math.max(0, busyMs - errorMs) / spanMs;
        sum.atMost += busyMs / spanMs;
      }
    }
  }
  return [...known]
    .map(([id, sum]) => ({ id, ...sum }))
    .sort((a, b) => b.atLeast - a.atLeast || b.atMost - a.atMost || (a.id < b.id ? -1 : 1));
}

type Use = MessageInitShape<typeof OrganizationUseSchema>;

/** What goes into the list of organizations; of events nothing while the service that counts them does not answer. */
export async function usesOf(
  { holders }: Pick<AuthDeps, "holders">,
  organizations: readonly OrganizationUse[],
): Promise<(use: OrganizationUse) => { readonly usedToday: Use; readonly usedIn30Days: Use }> {
  const organizationIds = organizations.map(({ organizationId }) => organizationId);
  const counted = await holders.use.countUse({ organizationIds }, { timeoutMs: countMs }).catch((error: unknown) => {
    // That of the release before counts nothing yet.
    if (isOutage(error) || ConnectError.from(error).code === Code.Unimplemented) return undefined;
    throw error;
  });
  const byId = new Map(counted?.organizations.map((one) => [one.organizationId, one]));
  const eventsOf = (counts: UseCounts | undefined): Use => {
    if (counted === undefined) return {};
    const { acceptances = 0n, agreements = 0n, documents = 0n, deliveries = 0n } = counts ?? {};
    return { acceptances, agreements, documents, deliveries };
  };
  return ({ organizationId, requestsToday, refusedToday, requests, refused }) => {
    const events = byId.get(organizationId);
    return {
      usedToday: { requests: BigInt(requestsToday), refused: BigInt(refusedToday), ...eventsOf(events?.today) },
      usedIn30Days: { requests: BigInt(requests), refused: BigInt(refused), ...eventsOf(events?.last30Days) },
    };
  };
}

const countMs = 5_000;
