import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import { createLru } from "../accept/lru.ts";
import { acceptancesIn, countUsers, type UserAcceptances, withholdUsers } from "./count-users.ts";
import {
  addHours,
  addPurposes,
  addTimes,
  findLocales,
  findWithheld,
  markReused,
  shareCounting,
  type TextName,
} from "./stat-store.ts";
import { tallyEvents, type UserAcceptance } from "./tally.ts";

export const statisticsSubjects: readonly string[] = [
  "assent.click.session.*",
  "assent.click.acceptance.recorded",
  "assent.click.consent.*",
];

type ReadLocales = (
  orgId: OrgId,
  client: pg.ClientBase,
  texts: readonly TextName[],
) => Promise<ReadonlyMap<string, string>>;

/**
 * Adds events of one organization to the statistics. Tables are always written in the same order. Whoever was erased
 * before the events came is not counted by name: no erasure can come between that look and the commit.
 */
export function applyStatistics(): (client: pg.PoolClient, orgId: OrgId, events: readonly Event[]) => Promise<void> {
  const readLocales = createLocaleReader();
  const secret = randomBytes(32);
  return async (client, orgId, received) => {
    await shareCounting(orgId, client);
    const events = withholdUsers(received, await findWithheld(orgId, client, acceptancesIn(received)), secret);
    const fresh = await markReused(orgId, client, reusedSessions(events));
    const tally = tallyEvents(events, (sessionId) => fresh.delete(sessionId));
    const locales = await readLocales(orgId, client, tally.users);
    await countUsers(orgId, client, byUser(tally.users, locales));
    await addHours(orgId, client, tally.hours);
    await addTimes(orgId, client, tally.times);
    await addPurposes(orgId, client, tally.purposes);
  };
}

const reusedSessions = (events: readonly Event[]): string[] => [
  ...new Set(
    events.flatMap(({ payload }) =>
      payload.case === "acceptanceRecorded" && payload.value.sessionReusable && payload.value.decision === "ACCEPT"
        ? [payload.value.sessionId]
        : [],
    ),
  ),
];

function byUser(users: readonly UserAcceptance[], locales: ReadonlyMap<string, string>): UserAcceptances[] {
  const grouped = Map.groupBy(users, ({ templateId, userKey }) => `${templateId} ${hex(userKey)}`);
  return [...grouped.values()].map((acceptances) => {
    const [{ templateId, userKey }] = acceptances as [UserAcceptance];
    return {
      templateId,
      userKey: hex(userKey),
      acceptances: acceptances.map((one) => ({ ...one, locale: locales.get(textKey(one)) ?? "und" })),
    };
  });
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const textKey = ({ versionId, revision }: TextName): string => `${versionId} ${revision}`;

const cachedLocales = 10_000;

/** A text never changes, and was stored before anybody could accept it. */
function createLocaleReader(): ReadLocales {
  const cache = createLru<string>(cachedLocales);
  return async (orgId, client, texts) => {
    const known = new Map<string, string>();
    const unknown = new Map<string, TextName>();
    for (const text of texts) {
      const locale = cache.get(`${orgId} ${textKey(text)}`);
      if (locale === undefined) unknown.set(textKey(text), text);
      else known.set(textKey(text), locale);
    }
    if (unknown.size === 0) return known;
    for (const { locale, ...text } of await findLocales(orgId, client, [...unknown.values()])) {
      cache.set(`${orgId} ${textKey(text)}`, locale);
      known.set(textKey(text), locale);
    }
    return known;
  };
}
