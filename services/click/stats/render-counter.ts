import type pg from "pg";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { BoundText } from "../domain/agreement.ts";
import { addHours } from "../store/stat-store.ts";
import { emptyHour, type HourRow, hourOf } from "./tally.ts";

/** Counts renderings in memory and writes them now and then: a rendering itself writes nothing. */
export interface RenderCounter {
  count(orgId: OrgId, text: BoundText, at: Date): void;
  /** Writes what was counted; what cannot be written is kept for the next time. */
  flush(): Promise<void>;
}

/** So much is counted at most while the database is away. */
const maxRows = 50_000;

export function createRenderCounter({ pool, logger }: { pool: pg.Pool; logger: Logger }): RenderCounter {
  let counted = new Map<OrgId, Map<string, HourRow>>();
  let rows = 0;
  const add = (orgId: OrgId, row: HourRow): void => {
    const ofOrg = counted.get(orgId) ?? new Map<string, HourRow>();
    counted.set(orgId, ofOrg);
    const key = `${row.versionId} ${row.revision} ${row.hour}`;
    const known = ofOrg.get(key);
    if (known !== undefined) known.renders += row.renders;
    else if (rows < maxRows) {
      ofOrg.set(key, row);
      rows += 1;
    }
  };
  return {
    count: (orgId, { templateId, versionId, revision }, at) =>
      add(orgId, { ...emptyHour({ templateId, versionId, revision, hour: hourOf(at) }), renders: 1 }),
    flush: async () => {
      const taken = counted;
      counted = new Map();
      rows = 0;
      for (const [orgId, ofOrg] of taken) {
        try {
          await withOrg(pool, orgId, (client) => addHours(orgId, client, [...ofOrg.values()]));
        } catch (error) {
          logger.warn({ err: error }, "renderings could not be counted; trying again");
          for (const row of ofOrg.values()) add(orgId, row);
        }
      }
    },
  };
}
