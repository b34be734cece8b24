import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement } from "../domain/agreement.ts";
import { type AgreementJson, agreementJson, decodeAgreement } from "./agreement-records.ts";

/** Everything that belongs to an agreement or a template; undefined when there is none, or no more. */
export async function loadAgreement(
  client: pg.PoolClient,
  orgId: OrgId,
  id: string,
  options: { readonly lock?: boolean } = {},
): Promise<Agreement | undefined> {
  // In a statement of its own: one that waits for the lock would see the parts as they were when it began.
  if (options.lock === true && !(await lockAgreement(client, orgId, id))) return undefined;
  return (await loadAgreements(client, orgId, [id]))[0];
}

/** Several of them, in no certain order. */
export async function loadAgreements(
  client: pg.PoolClient,
  orgId: OrgId,
  ids: readonly string[],
): Promise<Agreement[]> {
  const { rows } = await client.query<{ agreement: AgreementJson }>({
    name: "sign-load-agreements",
    text: loadSql,
    values: [orgId, ids],
  });
  return rows.map(({ agreement }) => decodeAgreement(agreement));
}

const loadSql = `select ${agreementJson(true)} as agreement from sign.agreement a
  where a.organization_id = $1 and a.id = any($2::uuid[]) and a.deleted_at is null`;

async function lockAgreement(client: pg.PoolClient, orgId: OrgId, id: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: "sign-lock-agreement",
    text: "select from sign.agreement where organization_id = $1 and id = $2 and deleted_at is null for update",
    values: [orgId, id],
  });
  return rowCount === 1;
}
