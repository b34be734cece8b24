import type { Pool } from "pg";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import { idleMs } from "../domain/session.ts";
import { retiredKeys } from "../domain/signing-key.ts";
import { changeRetentionMs, revokedTokenMarginMs } from "../store/change-store.ts";
import { deleteOldRequests } from "../store/request-store.ts";
import {
  deleteEndedSessions,
  deleteExpiredChallenges,
  deleteExpiredLinks,
  deleteExpiredTokens,
  deleteOldChanges,
  deleteSigningKeys,
  deleteSpentChallenges,
  listKeySchedule,
} from "../store/usage-store.ts";

export interface PurgeDeps {
  readonly janitor: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is shown of 30 days, and the day on which it is no longer. */
const requestDaysMs = 32 * 86_400_000;
/** Ids of counted requests are kept far longer than a gateway repeats one, so that each request counts once. */
const reportsMs = 86_400_000;

/** Deletes obsolete rows. Concurrent processes are safe. */
export async function purge(deps: PurgeDeps): Promise<void> {
  const now = deps.clock.now();
  const ago = (ms: number): Date => new Date(now.getTime() - ms);
  const keys = retiredKeys(await listKeySchedule(deps.janitor), now);
  const deleted = {
    tokens: await deleteExpiredTokens(deps.janitor, ago(revokedTokenMarginMs)),
    changes: await deleteOldChanges(deps.janitor, ago(changeRetentionMs)),
    sessions: await deleteEndedSessions(deps.janitor, now, ago(idleMs)),
    links: await deleteExpiredLinks(deps.janitor, now),
    challenges: await deleteExpiredChallenges(deps.janitor, now),
    spentChallenges: await deleteSpentChallenges(deps.janitor, now),
    requests: await deleteOldRequests(deps.janitor, ago(requestDaysMs), ago(reportsMs)),
    signingKeys: await deleteSigningKeys(
      deps.janitor,
      keys.map((key) => key.generation),
    ),
  };
  if (Object.values(deleted).some((count) => count > 0)) deps.logger.info({ deleted }, "expired rows deleted");
}
