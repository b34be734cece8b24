import type { Pool } from "pg";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { parseOrgId } from "#platform/ids.ts";
import type { AdminRpcs, AuthDeps } from "../rpc/deps.ts";
import type { ErasureList, ListedErasure } from "./erasure-list.ts";
import { insertErasure } from "./erasure-store.ts";
import { erasureHash, sealPerson } from "./person.ts";

/** How the list of erasures and the database stand to each other. */
export interface Comparison {
  readonly listed: number;
  /** Which the database has not: a backup from before them was restored. */
  readonly missing: readonly ListedErasure[];
  /** That have not ended yet. */
  readonly running: number;
  /** Of organizations that the database has not: there is nothing to erase. */
  readonly elsewhere: number;
  readonly unreadable: number;
}

export async function compareList(people: Pool, list: ErasureList): Promise<Comparison> {
  const { erasures, unreadable } = await list.read();
  const missing: ListedErasure[] = [];
  let [running, elsewhere] = [0, 0];
  for (const erasure of erasures) {
    const orgId = parseOrgId(erasure.organizationId);
    const found = orgId && (await withOrg(people, orgId, (tenant) => lookFor(tenant, erasure.id)));
    if (found === undefined) elsewhere += 1;
    else if (found === "missing") missing.push(erasure);
    else if (found === "running") running += 1;
  }
  return { listed: erasures.length, missing, running, elsewhere, unreadable };
}

/** Undefined without the organization. */
async function lookFor({ orgId, client }: Tenant, id: string): Promise<string | undefined> {
  const sql = `select case when e.id is null then 'missing' when e.completed_at is null then 'running' else 'ended' end as state
    from auth.organization o left join auth.erasure e on e.organization_id = o.organization_id and e.id = $2
    where o.organization_id = $1`;
  return (await client.query<{ state: string }>(sql, [orgId, id])).rows[0]?.state;
}

type Deps = Pick<AuthDeps, "people" | "keys" | "clock" | "erasureList" | "wakeErasures">;

/** After a restore: what is missing is begun again, under its former id. Nothing is done twice. */
export const applyErasureList = (deps: Deps): AdminRpcs<"applyErasureList"> => ({
  async applyErasureList({ dryRun }) {
    const { people, keys, erasureList } = deps;
    if (erasureList === undefined) return { isKept: false };
    const { missing, ...compared } = await compareList(people, erasureList);
    for (const { id, organizationId, email, userRef, createdAt, ...erasure } of dryRun ? [] : missing) {
      const orgId = parseOrgId(organizationId);
      if (orgId === undefined) continue;
      await withOrg(people, orgId, (tenant) =>
        insertErasure(tenant, {
          ...{ ...erasure, id, isDry: false, createdAt: new Date(createdAt), keyHash: null },
          requestHash: erasureHash(keys, orgId, "request", email, userRef, erasure.ground, "false"),
          sealedPerson: sealPerson(keys, { email, userRef }, id),
        }),
      );
    }
    if (missing.length > 0 && !dryRun) deps.wakeErasures();
    return { ...compared, isKept: true, missing: missing.length };
  },
});
