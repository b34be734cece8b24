/** The day before all days: nobody has accepted anything then. */
export const never = "0001-01-01";

/** An acceptance of a user, as far as it is counted. */
export interface CountedAcceptance {
  readonly versionId: string;
  readonly revision: number;
  readonly locale: string;
  readonly acceptedAt: Date;
}

/** What is known of the acceptances of one user of one template. */
export interface UserDays {
  /** On which days which versions were accepted: `<day> <version> <locale>`, each once, in their order. */
  readonly days: readonly string[];
  readonly last: Pick<CountedAcceptance, "versionId" | "revision" | "acceptedAt">;
}

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** What is known after further acceptances, in whatever order they come. */
export function addAcceptances(known: UserDays | undefined, added: readonly CountedAcceptance[]): UserDays {
  const days = new Set(known?.days);
  let last = known?.last;
  for (const acceptance of added) {
    const { versionId, revision, locale, acceptedAt } = acceptance;
    days.add(`${dayOf(acceptedAt)} ${versionId} ${locale}`);
    if (last === undefined || isLater(acceptance, last)) last = { versionId, revision, acceptedAt };
  }
  if (last === undefined) throw new Error("a user without acceptances is not counted");
  return { days: [...days].sort(), last };
}

/** Of acceptances in the same millisecond one counts as the last, whichever comes first. */
function isLater(a: UserDays["last"], b: UserDays["last"]): boolean {
  const difference = a.acceptedAt.getTime() - b.acceptedAt.getTime();
  if (difference !== 0) return difference > 0;
  return a.versionId === b.versionId ? a.revision > b.revision : a.versionId > b.versionId;
}

/** A place where a user is counted. */
export type UserCount =
  | { readonly kind: "reach"; readonly scope: string; readonly day: string; readonly previousDay: string }
  | { readonly kind: "holder"; readonly versionId: string; readonly revision: number; readonly day: string };

/** Where a user is counted, by a text that is equal for equal places. */
export function placesOf(user: UserDays | undefined): ReadonlyMap<string, UserCount> {
  const places = new Map<string, UserCount>();
  if (user === undefined) return places;
  const add = (place: UserCount) => places.set(Object.values(place).join(" "), place);
  for (const [scope, days] of daysByScope(user.days)) {
    for (const [index, day] of days.entries()) {
      add({ kind: "reach", scope, day, previousDay: days[index - 1] ?? never });
    }
  }
  const { versionId, revision, acceptedAt } = user.last;
  add({ kind: "holder", versionId, revision, day: dayOf(acceptedAt) });
  return places;
}

/** The scope of a whole template, of one version, of one locale. */
export const templateScope = "";
export const versionScope = (versionId: string): string => `v:${versionId}`;
export const localeScope = (locale: string): string => `l:${locale}`;

function daysByScope(marks: readonly string[]): ReadonlyMap<string, string[]> {
  const scopes = new Map<string, string[]>();
  // The marks are in the order of their days.
  for (const mark of marks) {
    const [day = "", versionId = "", locale = ""] = mark.split(" ");
    for (const scope of [templateScope, versionScope(versionId), localeScope(locale)]) {
      const days = scopes.get(scope) ?? [];
      if (days.at(-1) !== day) days.push(day);
      scopes.set(scope, days);
    }
  }
  return scopes;
}

/** What is counted by the hour. */
export const hourCounters = [
  "sessionsCreated",
  "sessionsPresented",
  "sessionsAccepted",
  "sessionsCompleted",
  "sessionsDeclined",
  "sessionsExpired",
  "sessionsCancelled",
  "sessionsUnanswered",
  "acceptedDirect",
  "acceptedWithSession",
  "declines",
  "withdrawals",
  "renders",
] as const;

export type HourCounter = (typeof hourCounters)[number];
export type HourCounts = Record<HourCounter, number>;
