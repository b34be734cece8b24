import type { JsonSchema } from "./route.ts";
import { answer, anyText, count, dateTime, day, languageTag, listOf, orNull, uuid } from "./schema-parts.ts";

const rate: JsonSchema = { type: ["number", "null"], minimum: 0, maximum: 1, description: "Null when nothing counts." };
const milliseconds: JsonSchema = { type: ["number", "null"], minimum: 0 };
const counts = (...names: string[]): JsonSchema => answer(Object.fromEntries(names.map((name) => [name, count])));

export const statsSchema: JsonSchema = answer({
  templateId: uuid,
  from: orNull(day),
  to: orNull(day),
  sessions: counts("created", "presented", "accepted", "completed", "declined", "expired", "cancelled"),
  acceptances: counts("total", "uniqueUsers", "direct", "withSession", "last24h", "last7d", "last30d"),
  declines: count,
  withdrawals: count,
  renders: count,
  rates: answer({ acceptance: rate, decline: rate, abandonment: rate }),
  timeToAcceptMs: answer({ p50: milliseconds, p90: milliseconds }),
  byVersion: listOf(
    answer({ versionId: uuid, locale: languageTag, revision: count, label: anyText, acceptances: count }),
  ),
  byLocale: listOf(answer({ locale: languageTag, acceptances: count })),
  byDay: listOf(answer({ date: day, acceptances: count, declines: count })),
  byPurpose: listOf(answer({ purpose: anyText, granted: count, denied: count, withdrawn: count })),
  usersOnLatest: count,
  usersNeedingReacceptance: count,
  activeDeployments: count,
  versions: counts("total", "published", "archived"),
  firstAcceptedAt: orNull(dateTime),
  lastAcceptedAt: orNull(dateTime),
});
