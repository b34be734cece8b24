import { readFileSync } from "node:fs";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { defaultLimits } from "#api/organizations.ts";
import {
  type ApiKey,
  type BusyOrganization,
  type Limits,
  type OAuthClient,
  type OAuthClientKey,
  type Organization,
  type OrganizationSummary,
  type OrganizationUse,
  Plan,
} from "#gen/assent/auth/v1/auth_pb.ts";
import type { DatabaseSetback, LogEpoch, LogWitness, SigningKey } from "#gen/assent/click/v1/click_pb.ts";
import type { DeadEvent } from "#gen/assent/operations/v1/dead_events_pb.ts";
import { limitsInForce } from "../../gateway/auth/organization-limits.ts";
import { defaultMaxCredentials } from "../../services/auth/domain/organization.ts";

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

/** A command that one service answers. */
export interface CommandOf<AdminClientOfService> {
  readonly name: string;
  /** The options as the usage text shows them. */
  readonly synopsis: string;
  readonly options: Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
  /** Checks the options, then returns what makes the call and resolves with the answer to print. */
  prepare(values: Values): (admin: AdminClientOfService) => Promise<object>;
  /** The answer as it is printed without --json, where that is too much to read. */
  forPeople?(result: object): object;
}

/** The command was not called as the usage text says. */
export class UsageError extends Error {}

/** Options as they stand on the command line. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

export function requiredText(values: Values, option: string): string {
  const value = values[option];
  if (typeof value !== "string" || value.trim() === "") throw new UsageError(`--${option} is missing`);
  return value;
}

/** A positive whole number, or undefined when the option is not given. */
export function optionalCount(values: Values, option: string): number | undefined {
  const value = values[option];
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new UsageError(`--${option} must be a whole number from 1 to 999999999`);
}

/** The content of a file with a public key. A private key is refused before it leaves the machine. */
function requiredPublicKey(values: Values, option: string): string {
  const file = requiredText(values, option);
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--${option} cannot be read: ${(error as Error).message}`);
  }
  if (content.includes("PRIVATE KEY")) {
    throw new UsageError(`--${option} holds a private key, which stays where it is; name the file of its public key`);
  }
  return content;
}

const plans = new Map([
  ["gen_starter", Plan.GEN_STARTER],
  ["gen_pro", Plan.GEN_PRO],
  ["gen_hoa", Plan.GEN_HOA],
  ["business", Plan.BUSINESS],
  ["gen_payg", Plan.GEN_PAYG],
]);

export function requiredPlan(values: Values): Plan {
  const plan = plans.get(requiredText(values, "plan"));
  if (plan === undefined) throw new UsageError(`--plan must be one of ${[...plans.keys()].join(", ")}`);
  return plan;
}

/** The plan as the command line writes it. */
const planName = (plan: Plan): string => [...plans].find(([, value]) => value === plan)?.[0] ?? "unknown";

/** Scopes separated by blanks or commas. */
function requiredScopes(values: Values): string[] {
  return requiredText(values, "scopes")
    .split(/[\s,]+/)
    .filter((scope) => scope !== "");
}

/** Options that are not one text. */
const readers = {
  plan: requiredPlan,
  scopes: requiredScopes,
  "public-key-file": (values: Values) => requiredPublicKey(values, "public-key-file"),
} as const satisfies Readonly<Record<string, (values: Values) => unknown>>;
type ReadBy<Option> = Option extends keyof typeof readers ? ReturnType<(typeof readers)[Option]> : string;

/** What stands for a value in the usage text, where that is not the first letter of its option. */
const placeholders: Readonly<Record<string, string>> = { by: "WHO", scopes: '"S S …"', "public-key-file": "F" };

/** A command whose options are all required: `needs` has the option of each member of its request. */
export function requiring<Admin, const Needs extends Readonly<Record<string, string>>>(
  name: string,
  needs: Needs,
  call: (admin: Admin, request: { -readonly [Name in keyof Needs]: ReadBy<Needs[Name]> }) => Promise<object>,
  forPeople?: (result: object) => object,
): CommandOf<Admin> {
  const members = Object.entries(needs);
  const read = (values: Values, option: string): unknown =>
    option in readers ? readers[option as keyof typeof readers](values) : requiredText(values, option);
  return {
    name,
    synopsis: members
      .map(([, option]) => `--${option} ${placeholders[option] ?? option.charAt(0).toUpperCase()}`)
      .join(" "),
    options: Object.fromEntries(members.map(([, option]) => [option, { type: "string" }])),
    prepare(values) {
      const request = Object.fromEntries(members.map(([member, option]) => [member, read(values, option)]));
      return (admin) => call(admin, request as Parameters<typeof call>[1]);
    },
    ...(forPeople && { forPeople }),
  };
}
