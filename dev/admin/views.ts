import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { defaultLimits } from "#api/organizations.ts";
import type {
  ApiKey,
  BusyOrganization,
  Limits,
  OAuthClient,
  OAuthClientKey,
  Organization,
  OrganizationSummary,
  OrganizationUse,
} from "#gen/assent/auth/v1/auth_pb.ts";
import type { DatabaseSetback, LogEpoch, LogWitness, SigningKey } from "#gen/assent/click/v1/click_pb.ts";
import type { DeadEvent } from "#gen/assent/operations/v1/dead_events_pb.ts";
import { limitsInForce } from "../../gateway/auth/organization-limits.ts";
import { defaultMaxCredentials } from "../../services/auth/domain/organization.ts";
import { planName } from "./values.ts";

/** What the commands print of a message: the names that the rest of the product uses, and no secrets. */
export function organizationView(organization: Organization | undefined) {
  if (organization === undefined) throw new Error("the answer contains no organization");
  return {
    organizationId: organization.id,
    name: organization.name,
    plan: planName(organization.plan),
    sandbox: organization.sandbox,
    // null: the platform's default.
    limits: limitsView(organization.limits),
    sharedLimits: limitsView(organization.sharedLimits),
    maxCredentials: organization.maxCredentials ?? null,
    suspendedAt: isoTime(organization.suspendedAt),
    suspensionReason: organization.suspensionReason || null,
    createdAt: isoTime(organization.createdAt),
  };
}

function limitsView(limits: Limits | undefined) {
  const { accept = null, render = null, other = null, sign = null } = limits ?? {};
  return { accept, render, other, sign };
}

/** For people, with the numbers that apply where the organization has none of its own. */
export function organizationForPeople(result: object): object {
  const view = result as ReturnType<typeof organizationView>;
  const { limits, shared } = limitsInForce(defaultLimits, view.limits, view.sharedLimits);
  return { ...view, limits, sharedLimits: shared, maxCredentials: view.maxCredentials ?? defaultMaxCredentials };
}

/** A line of the list of all organizations. */
export function summaryView({ organization, ...use }: OrganizationSummary) {
  if (organization === undefined) throw new Error("the answer contains no organization");
  const { id: organizationId, name, plan, suspendedAt } = organization;
  return {
    ...{ organizationId, name, plan: planName(plan), state: stateOf(suspendedAt !== undefined, use.closed) },
    ...{ keys: use.keys, clients: use.clients, users: use.users },
    lastUsedAt: isoTime(use.lastUsedAt),
    lastLoginAt: isoTime(use.lastLoginAt),
    createdAt: isoTime(organization.createdAt),
    usedToday: useView(use.usedToday),
    usedIn30Days: useView(use.usedIn30Days),
  };
}

/** For people, in lines that are not too long for a terminal. */
export const summaryForPeople = (summary: ReturnType<typeof summaryView>): object => ({
  ...summary,
  ...{ usedToday: useForPeople(summary.usedToday), usedIn30Days: useForPeople(summary.usedIn30Days) },
});

/** Without counts of zero. */
function useForPeople(use: Use): string {
  const counts = Object.entries(use).flatMap(([name, count]) => (count === 0 ? [] : [`${name}=${count}`]));
  // The webhooks service counts the others, and did not answer.
  const unknown = "acceptances" in use ? [] : ["others=unknown"];
  return [...counts, ...unknown].join(" ") || "-";
}

type Use = Readonly<Record<string, number>>;

/** Without what is not known now. */
function useView(use: OrganizationUse | undefined): Use {
  const { requests, refused, acceptances, agreements, documents, deliveries } = use ?? {};
  const counts = { requests, refused, acceptances, agreements, documents, deliveries };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return Object.fromEntries(known.map(([name, count]) => [name, Number(count)]));
}

export const busyView = ({ organizationId, name, busyAtLeast, busyAtMost }: BusyOrganization): object => ({
  ...{ organizationId, name, atLeast: Number(busyAtLeast.toFixed(3)), atMost: Number(busyAtMost.toFixed(3)) },
});

const stateOf = (isSuspended: boolean, isClosed: boolean): string => {
  if (isClosed) return "closing";
  return isSuspended ? "suspended" : "active";
};

export function keyView(key: ApiKey | undefined): object {
  if (key === undefined) throw new Error("the answer contains no key");
  const { id: keyId, name } = key;
  return { keyId, name, ...times(key) };
}

export function clientView(client: OAuthClient | undefined): object {
  if (client === undefined) throw new Error("the answer contains no client");
  const { id: clientId, name, scopes } = client;
  return { clientId, name, scopes, ...times(client) };
}

export function clientKeyView(key: OAuthClientKey | undefined): object {
  if (key === undefined) throw new Error("the answer contains no key");
  const { id: keyId, algorithm } = key;
  return { keyId, algorithm, createdAt: isoTime(key.createdAt), revokedAt: isoTime(key.revokedAt) };
}

const times = ({ createdAt, lastUsedAt, revokedAt }: ApiKey | OAuthClient): object => ({
  createdAt: isoTime(createdAt),
  // To about a minute.
  lastUsedAt: isoTime(lastUsedAt),
  revokedAt: isoTime(revokedAt),
});

export function signingKeyView(key: SigningKey | undefined): object {
  if (key === undefined) throw new Error("the answer contains no key");
  const { kid, purpose, generation } = key;
  const times = [key.signsFrom, key.signsUntil, key.revokedAt].map(isoTime);
  return { kid, purpose, generation, signsFrom: times[0], signsUntil: times[1], revokedAt: times[2] };
}

/** An epoch of a log: what was signed before and is missing, and whether somebody has taken note of it. */
export function logEpochView(epoch: LogEpoch) {
  const { logId: log, origin, firstIndex, treeSize, missingFrom, missingTo } = epoch;
  const [openedAt, confirmedAt] = [epoch.openedAt, epoch.confirmedAt].map(isoTime);
  const missing = { from: Number(missingFrom), to: Number(missingTo) };
  return {
    log,
    epoch: epoch.epoch,
    origin,
    firstIndex: Number(firstIndex),
    treeSize: Number(treeSize),
    missing,
    openedAt,
    confirmedAt,
    confirmedBy: epoch.confirmedBy || null,
  };
}

/** That the database of a service, or NATS, went back in time. */
export const setbackView = ({ service, epoch, foundAt, confirmedAt, confirmedBy }: DatabaseSetback) => ({
  ...{ service, epoch, foundAt: isoTime(foundAt), confirmedAt: isoTime(confirmedAt) },
  confirmedBy: confirmedBy || null,
});

/** Which witness the database knows, and what is wrong with the one that is there; null without one. */
export const logWitnessView = (witness: LogWitness | undefined) =>
  witness === undefined
    ? null
    : {
        problem: witness.problem || null,
        since: isoTime(witness.since),
        confirmedBy: witness.confirmedBy || null,
      };

export function deadEventView(event: DeadEvent) {
  const { consumer, eventId, subject, error, deliveries, data } = event;
  return { consumer, eventId, subject, error, deliveries, diedAt: isoTime(event.diedAt), data };
}

/** Without what the event says and where in the program it failed. */
export function deadEventLine({ data: _data, error, ...rest }: ReturnType<typeof deadEventView>): object {
  return { ...rest, error: error.split("\n", 1)[0] };
}

export const isoTime = (time: Timestamp | undefined): string | null =>
  time === undefined ? null : timestampDate(time).toISOString();
