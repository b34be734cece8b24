import { count, day, type Kind, languageTag, list, number, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, readOnly } from "./members.ts";
import { part, written } from "./written.ts";

const counts = <const Names extends readonly string[]>(
  ...names: Names
): Kind<Readonly<Record<Names[number], number>>> =>
  part(written(Object.fromEntries(names.map((name) => [name, readOnly(count)])))) as Kind<never>;

const rate = readOnly(orNull(number(0, 1)), { description: "Null if there is nothing to count." });
const milliseconds = readOnly(orNull(number(0)));

/** What happened with a template. */
export const stats = written({
  templateId: readOnly(uuid),
  from: readOnly(orNull(day)),
  to: readOnly(orNull(day)),
  sessions: readOnly(counts("created", "presented", "accepted", "completed", "declined", "expired", "cancelled")),
  acceptances: readOnly(counts("total", "uniqueUsers", "direct", "withSession", "last24h", "last7d", "last30d")),
  declines: readOnly(count),
  withdrawals: readOnly(count),
  renders: readOnly(count),
  rates: readOnly(part(written({ acceptance: rate, decline: rate, abandonment: rate }))),
  timeToAcceptMs: readOnly(part(written({ p50: milliseconds, p90: milliseconds }))),
  byVersion: readOnly(
    list(
      part(
        written({
          versionId: readOnly(uuid),
          locale: readOnly(languageTag),
          revision: readOnly(count),
          label: readOnly(text()),
          acceptances: readOnly(count),
        }),
      ),
    ),
  ),
  byLocale: readOnly(list(part(written({ locale: readOnly(languageTag), acceptances: readOnly(count) })))),
  byDay: readOnly(
    list(part(written({ date: readOnly(day), acceptances: readOnly(count), declines: readOnly(count) }))),
  ),
  byPurpose: readOnly(
    list(
      part(
        written({
          purpose: readOnly(text()),
          granted: readOnly(count),
          denied: readOnly(count),
          withdrawn: readOnly(count),
        }),
      ),
    ),
  ),
  usersOnLatest: readOnly(count),
  usersNeedingReacceptance: readOnly(count),
  activeDeployments: readOnly(count),
  versions: readOnly(counts("total", "published", "archived")),
  firstAcceptedAt: readOnly(orNull(time)),
  lastAcceptedAt: readOnly(orNull(time)),
});

export type Stats = AnswerOf<typeof stats.table>;
