import type { Stats } from "#api/stats.ts";
import { agreementAt, type TemplateOffer } from "../terms/agreement-state.ts";
import type { HourCounts } from "./user-days.ts";

/** Which part of the statistics is asked for. */
export interface StatQuery {
  readonly templateId: string;
  /** First and last day, in UTC. */
  readonly from: string | null;
  readonly to: string | null;
  readonly versionId: string | null;
  readonly locale: string | null;
}

/** The counts of one text. */
export interface TextTotals extends HourCounts {
  readonly versionId: string;
  readonly revision: number;
  /** Null for an unknown text. */
  readonly locale: string | null;
  readonly label: string | null;
  readonly last24h: number;
  readonly last7d: number;
  readonly last30d: number;
  readonly firstAcceptedAt: Date | null;
  readonly lastAcceptedAt: Date | null;
}

export type DayTotals = Stats["byDay"][number];
export type PurposeTotals = Stats["byPurpose"][number];

/** Users by the version that they accepted last. */
export interface HolderTotals {
  readonly versionId: string;
  readonly revision: number;
  readonly locale: string | null;
  readonly label: string | null;
  readonly day: string;
  readonly users: number;
}

export interface StatsInput {
  readonly query: StatQuery;
  readonly totals: readonly TextTotals[];
  readonly days: readonly DayTotals[];
  readonly purposes: readonly PurposeTotals[];
  readonly times: readonly TimeBucket[];
  readonly uniqueUsers: number;
  readonly holders: readonly HolderTotals[];
  readonly offer: TemplateOffer;
  readonly parts: {
    readonly totalVersions: number;
    readonly publishedVersions: number;
    readonly archivedVersions: number;
    readonly activeDeployments: number;
  };
  readonly now: Date;
}

/** The statistics of a template in the form of the API. */
export function buildStats(input: StatsInput): Stats {
  const { query, totals, parts } = input;
  const total = (pick: (text: TextTotals) => number): number => totals.reduce((sum, text) => sum + pick(text), 0);
  const { rates, ...sessions } = sessionStats(total);
  return {
    templateId: query.templateId,
    from: query.from,
    to: query.to,
    sessions,
    acceptances: {
      total: total(accepted),
      uniqueUsers: input.uniqueUsers,
      direct: total((text) => text.acceptedDirect),
      withSession: total((text) => text.acceptedWithSession),
      last24h: total((text) => text.last24h),
      last7d: total((text) => text.last7d),
      last30d: total((text) => text.last30d),
    },
    declines: total((text) => text.declines),
    withdrawals: total((text) => text.withdrawals),
    renders: total((text) => text.renders),
    rates,
    timeToAcceptMs: { p50: acceptTimeQuantile(input.times, 0.5), p90: acceptTimeQuantile(input.times, 0.9) },
    byVersion: byVersion(totals),
    byLocale: byLocale(totals),
    byDay: input.days,
    byPurpose: input.purposes,
    ...userStats(input),
    activeDeployments: parts.activeDeployments,
    versions: { total: parts.totalVersions, published: parts.publishedVersions, archived: parts.archivedVersions },
    firstAcceptedAt: extreme(totals, (text) => text.firstAcceptedAt, Math.min),
    lastAcceptedAt: extreme(totals, (text) => text.lastAcceptedAt, Math.max),
  };
}

const accepted = (text: Pick<TextTotals, "acceptedDirect" | "acceptedWithSession">): number =>
  text.acceptedDirect + text.acceptedWithSession;

function sessionStats(total: (pick: (text: TextTotals) => number) => number) {
  const sessions = {
    created: total((text) => text.sessionsCreated),
    presented: total((text) => text.sessionsPresented),
    accepted: total((text) => text.sessionsAccepted),
    completed: total((text) => text.sessionsCompleted),
    declined: total((text) => text.sessionsDeclined),
    expired: total((text) => text.sessionsExpired),
    cancelled: total((text) => text.sessionsCancelled),
  };
  const abandoned = sessions.expired + sessions.cancelled + total((text) => text.sessionsUnanswered);
  // Counts only sessions that have ended, each in exactly one way; the outcome of the others is still open.
  const ended = sessions.accepted + sessions.declined + abandoned;
  const rate = (part: number): number | null => (ended === 0 ? null : part / ended);
  const rates = { acceptance: rate(sessions.accepted), decline: rate(sessions.declined), abandonment: rate(abandoned) };
  return { ...sessions, rates };
}

const byVersion = (totals: readonly TextTotals[]): Stats["byVersion"] =>
  totals
    .flatMap(({ versionId, locale, revision, label, ...text }) => {
      const acceptances = accepted(text);
      return locale === null || label === null || acceptances === 0
        ? []
        : [{ versionId, locale, revision, label, acceptances }];
    })
    .sort((a, b) => compare(a.locale, b.locale) || compare(a.versionId, b.versionId) || b.revision - a.revision);

function byLocale(totals: readonly TextTotals[]): Stats["byLocale"] {
  const acceptances = new Map<string, number>();
  for (const text of totals) {
    if (text.locale === null || accepted(text) === 0) continue;
    acceptances.set(text.locale, (acceptances.get(text.locale) ?? 0) + accepted(text));
  }
  return [...acceptances]
    .map(([locale, count]) => ({ locale, acceptances: count }))
    .sort((a, b) => compare(a.locale, b.locale));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By the last acceptance of each user, with daily precision. */
function userStats({ holders, offer, query, now }: StatsInput) {
  let usersOnLatest = 0;
  let usersNeedingReacceptance = 0;
  for (const holder of holders) {
    const { versionId, revision, locale, label, day, users } = holder;
    const acceptance = {
      templateId: query.templateId,
      templateSlug: "",
      versionId,
      revision,
      label: label ?? "",
      locale: locale ?? "",
      decision: "ACCEPT",
      acceptedAt: new Date(`${day}T00:00:00Z`),
      receiptId: "",
      purposes: [],
      superseded: false,
    } as const;
    const { isLatest, reacceptanceRequired } = agreementAt(acceptance, offer, new Map(), now);
    if (isLatest) usersOnLatest += users;
    if (reacceptanceRequired) usersNeedingReacceptance += users;
  }
  return { usersOnLatest, usersNeedingReacceptance };
}

function extreme(
  totals: readonly TextTotals[],
  pick: (text: TextTotals) => Date | null,
  choose: (...times: number[]) => number,
): string | null {
  const times = totals.flatMap((text) => pick(text)?.getTime() ?? []);
  return times.length === 0 ? null : new Date(choose(...times)).toISOString();
}

/** Eight buckets for each doubling, so that values read from them are at most 5 % off. */
const perDoubling = 8;
/** Some 30 years. */
const maxBucket = 320;

/** The bucket of a duration in milliseconds. */
export const acceptTimeBucket = (ms: number): number =>
  ms < 1 ? 0 : Math.min(maxBucket, 1 + Math.floor(Math.log2(ms) * perDoubling));

/** The duration in the middle of a bucket, in milliseconds. */
const bucketTime = (bucket: number): number => (bucket === 0 ? 0 : Math.round(2 ** ((bucket - 0.5) / perDoubling)));

export interface TimeBucket {
  readonly bucket: number;
  readonly acceptances: number;
}

/** The duration that so large a part of acceptances did not exceed; null without any. */
export function acceptTimeQuantile(buckets: readonly TimeBucket[], part: number): number | null {
  const total = buckets.reduce((sum, { acceptances }) => sum + acceptances, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const { bucket, acceptances } of buckets.toSorted((a, b) => a.bucket - b.bucket)) {
    seen += acceptances;
    if (seen >= total * part) return bucketTime(bucket);
  }
  return null;
}
