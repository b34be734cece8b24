import type pg from "pg";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { createGatherer, type Gatherer } from "#platform/gatherer.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement } from "./agreement.ts";
import { type AgreementJson, agreementJson, decodeAgreement } from "./agreement-records.ts";

/** An agreement that was deleted: its row and its trail are left, without anything that people entered. */
export const loadDeleted = async ({ orgId, client }: Tenant, id: string): Promise<Agreement | undefined> => {
  const { rows } = await client.query<{ agreement: AgreementJson }>({
    name: "sign-load-deleted",
    text: `select ${agreementJson(true)} as agreement from sign.agreement a
      where a.organization_id = $1 and a.id = $2 and a.deleted_at is not null`,
    values: [orgId, id],
  });
  return rows[0] && decodeAgreement(rows[0].agreement);
};

/** Loads an agreement or template with all its parts; undefined when it does not exist or was deleted. */
export async function loadAgreement(
  tenant: Tenant,
  id: string,
  options: { readonly lock?: boolean } = {},
): Promise<Agreement | undefined> {
  // Lock in a separate statement: a statement that waits for the lock would still see the parts as they were
  // when it began.
  if (options.lock === true && !(await lockAgreement(tenant, id))) return undefined;
  return (await loadAgreements(tenant, [id]))[0];
}

/** Loads several agreements, in no particular order. */
export async function loadAgreements({ orgId, client }: Tenant, ids: readonly string[]): Promise<Agreement[]> {
  const { rows } = await client.query<{ agreement: AgreementJson }>({
    name: "sign-load-agreements",
    text: loadSql,
    values: [orgId, ids],
  });
  return rows.map(({ agreement }) => decodeAgreement(agreement));
}

const loadSql = `select ${agreementJson(true)} as agreement from sign.agreement a
  where a.organization_id = $1 and a.id = any($2::uuid[]) and a.deleted_at is null`;

async function lockAgreement({ orgId, client }: Tenant, id: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: "sign-lock-agreement",
    text: "select from sign.agreement where organization_id = $1 and id = $2 and deleted_at is null for update",
    values: [orgId, id],
  });
  return rowCount === 1;
}

/** Reads agreements of any kind; undefined when the agreement does not exist. */
type ReadAgreement = (orgId: OrgId, id: string) => Promise<Agreement | undefined>;

/**
 * The transaction around a read costs more than the read itself, so a third concurrent read waits and shares
 * one. Agreements may be large, and a shared read returns all of them in one database answer.
 */
const reads = { maxInFlight: 2, maxItems: 16, startsAtOnce: true };

/**
 * Lets reads of one organization share a transaction. A single read starts at once; reads that arrive while two
 * are running start together when one of those returns. So each read sees everything committed before it was
 * requested.
 */
export function createAgreementReader(pool: pg.Pool): ReadAgreement {
  const gatherers = new Map<OrgId, Gatherer<string, Agreement | undefined>>();
  return async (orgId, id) => {
    const gatherer = gatherers.get(orgId) ?? createGatherer({ ...reads, run: (ids) => readAll(pool, orgId, ids) });
    gatherers.set(orgId, gatherer);
    try {
      return await gatherer.add(id);
    } finally {
      if (gatherer.isIdle()) gatherers.delete(orgId);
    }
  };
}

async function readAll(pool: pg.Pool, orgId: OrgId, ids: readonly string[]): Promise<(Agreement | undefined)[]> {
  const found = await withOrg(pool, orgId, (tenant) => loadAgreements(tenant, [...new Set(ids)]));
  const byId = new Map(found.map((agreement) => [agreement.id, agreement]));
  return ids.map((id) => byId.get(id));
}
