import type { Pool } from "pg";
import { isUniqueViolation } from "#platform/db/errors.ts";
import { lockInOrganization, type Tenant } from "#platform/db/pool.ts";
import type { ProvenKind } from "../sender-domains/check.ts";
import type { Proven } from "../sender-domains/sender-domain.ts";
import { type PageHost, recordsOf } from "./page-host.ts";

/** Whoever adds one waits for whoever does: an organization has a few of them at most. */
export const lockPageHosts = (tenant: Tenant): Promise<void> => lockInOrganization(tenant, "sign.page_host");

const selectSql = `select h.id, h.host, h.token, h.status, h.findings, h.checked_at as "checkedAt",
    h.verified_at as "verifiedAt", h.created_by as "createdBy", h.created_at as "createdAt"
  from sign.page_host h where h.organization_id = $1`;

/** The oldest first: ids are in the order in which they were made. */
export async function listPageHosts({ orgId, client }: Tenant): Promise<PageHost[]> {
  return (await client.query<PageHost>(`${selectSql} order by h.id`, [orgId])).rows;
}

async function findPageHost(
  { orgId, client }: Tenant,
  id: string,
  { locked = false } = {},
): Promise<PageHost | undefined> {
  const sql = `${selectSql} and h.id = $2${locked ? " for no key update" : ""}`;
  return (await client.query<PageHost>(sql, [orgId, id])).rows[0];
}

export async function insertPageHost(
  { orgId, client }: Tenant,
  { id, host, token, createdBy, createdAt }: PageHost,
): Promise<void> {
  await client.query(
    `insert into sign.page_host (organization_id, id, host, token, status, findings, created_by, created_at)
      values ($1, $2, $3, $4, 'pending', '{}', $5, $6)`,
    [orgId, id, host, token, createdBy, createdAt],
  );
}

async function saveCheck(
  { orgId, client }: Tenant,
  { id, status, findings, checkedAt, verifiedAt }: Proven,
): Promise<void> {
  await client.query(
    `update sign.page_host set status = $3, findings = $4, checked_at = $5, verified_at = $6
      where organization_id = $1 and id = $2`,
    [orgId, id, status, JSON.stringify(findings), checkedAt, verifiedAt],
  );
}

/** Whether another organization has verified the host: the index that says so looks across all of them. */
const isTaken = (error: unknown): boolean => isUniqueViolation(error, "page_host_verified");

export const pageHostKind: ProvenKind<PageHost> = {
  ...{ name: "page-host", idName: "pageHostId", nameOf: ({ host }) => host, recordsOf },
  ...{ find: findPageHost, save: saveCheck, isTaken },
};

/** False when there is none. */
export async function deletePageHost({ orgId, client }: Tenant, id: string): Promise<boolean> {
  await client.query("delete from sign.job where organization_id = $1 and kind = 'page-host' and key = $2", [
    orgId,
    id,
  ]);
  const sql = "delete from sign.page_host where organization_id = $1 and id = $2";
  return (await client.query(sql, [orgId, id])).rowCount === 1;
}

/** Where links in mails lead: of the verified ones, to the one that was added first; undefined for none. */
export async function readUsedHost({ orgId, client }: Tenant): Promise<string | undefined> {
  const { rows } = await client.query<{ host: string }>(
    `select host from sign.page_host where organization_id = $1 and status = 'verified' order by id limit 1`,
    [orgId],
  );
  return rows[0]?.host;
}

/** Whose a verified host is. Runs as the role that finds by what only its owner could have set. */
export async function findHostOwner(verifierPool: Pool, host: string): Promise<string | undefined> {
  const { rows } = await verifierPool.query<{ orgId: string }>(
    `select organization_id as "orgId" from sign.page_host where host = $1 and status = 'verified'`,
    [host],
  );
  return rows[0]?.orgId;
}
