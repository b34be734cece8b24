import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

/** What operators see of how much an organization does. */
export interface UseCounts {
  readonly acceptances: number;
  readonly agreements: number;
  readonly documents: number;
  readonly deliveries: number;
}

export const useKinds = ["acceptances", "agreements", "documents", "deliveries"] as const;

/** What is added to a day. */
export interface UseOfDay extends UseCounts {
  readonly orgId: OrgId;
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
}

// In the order of the primary key, so that two processes cannot wait for each other in a circle.
const addSql = `insert into webhooks.use_day as u (organization_id, day, ${useKinds.join(", ")})
  select * from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) as n order by 1, 2
  on conflict (organization_id, day) do update set ${useKinds.map((kind) => `${kind} = u.${kind} + excluded.${kind}`).join(", ")}`;

/** Adds to days of any number of organizations. */
export async function addUses(client: pg.PoolClient, uses: readonly UseOfDay[]): Promise<void> {
  const counts = useKinds.map((kind) => uses.map((use) => use[kind]));
  const values = [uses.map(({ orgId }) => orgId), uses.map(({ day }) => day), ...counts];
  await client.query({ name: "webhooks-add-uses", text: addSql, values });
}

export interface SummedUse {
  readonly orgId: OrgId;
  readonly today: UseCounts;
  readonly last30Days: UseCounts;
}

const sums = (condition: string): string =>
  useKinds.map((kind) => `'${kind}', coalesce(sum(${kind}) ${condition}, 0)`).join(", ");

const sumSql = `select organization_id as "orgId", json_build_object(${sums("filter (where day = $2::date)")}) as today,
    json_build_object(${sums("")}) as "last30Days"
  from webhooks.use_day where organization_id = any($1::uuid[]) and day > $2::date - 30 and day <= $2::date
  group by organization_id`;

/** Of those of the organizations that did anything. The pool has the role that counts. */
export async function sumUses(fanOut: pg.Pool, orgIds: readonly string[], today: string): Promise<SummedUse[]> {
  return (await fanOut.query<SummedUse>({ name: "webhooks-sum-uses", text: sumSql, values: [orgIds, today] })).rows;
}
