import type { ServiceImpl } from "@connectrpc/connect";
import type { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { type ExportItem, exportPage, jsonFile } from "#platform/export-page.ts";
import { isOfTables, nextOfTables } from "#platform/export-tables.ts";
import type { OrgId } from "#platform/ids.ts";
import { findConsentReceipt, writeConsentReceipts } from "../consent/consent-receipts.ts";
import type { ClickDeps } from "../deps.ts";
import { exportAcceptances, sessionItem } from "./export-person.ts";

const firstId = "00000000-0000-0000-0000-000000000000";
const ofConsent = "c.";

/**
 * Everything that was accepted or refused with its evidence, the receipts of consent, then the records of all tables; or,
 * where they are asked for, the receipts of acceptances alone.
 */
export const exportOrganization = (
  deps: ClickDeps,
): Pick<ServiceImpl<typeof PersonalDataService>, "exportOrganization"> => ({
  exportOrganization({ cursor, acceptances }, context) {
    const { orgId } = requireCaller(context);
    if (acceptances !== undefined) return exportAcceptances(deps, orgId, acceptances, cursor);
    return exportPage(cursor, async (after) => {
      const session =
        after.startsWith(ofConsent) || isOfTables(after) ? undefined : await nextSession(deps, orgId, after);
      const consent = session !== undefined || isOfTables(after) ? session : await nextConsent(deps, orgId, after);
      return consent ?? nextOfTables(deps.pool, orgId, "click", after);
    });
  },
});

async function nextSession(deps: ClickDeps, orgId: OrgId, after: string): Promise<ExportItem | undefined> {
  const id = await withOrg(deps.pool, orgId, (tenant) =>
    findId(
      tenant,
      `select id from click.session where organization_id = $1 and id > $2
       union select coalesce(session_id, receipt_id) from click.acceptance
         where organization_id = $1 and coalesce(session_id, receipt_id) > $2 and decision <> 'CONSENT'
       order by id limit 1`,
      after || firstId,
    ),
  );
  return id === undefined ? undefined : sessionItem(deps, orgId, id);
}

async function nextConsent(deps: ClickDeps, orgId: OrgId, after: string): Promise<ExportItem | undefined> {
  const from = after.startsWith(ofConsent) ? after.slice(ofConsent.length) : firstId;
  return withOrg(deps.pool, orgId, async (tenant) => {
    const id = await findId(
      tenant,
      `select receipt_id as id from click.consent_event
       where organization_id = $1 and receipt_id > $2 and update_id is not null order by receipt_id limit 1`,
      from,
    );
    const change = id === undefined ? undefined : await findConsentReceipt(tenant, id);
    if (id === undefined || change === undefined) return undefined;
    const read = async () => {
      const [receipt = "null"] = await writeConsentReceipts(deps, orgId, [change]);
      return JSON.parse(receipt) as unknown;
    };
    return {
      id: `${ofConsent}${id}`,
      files: [jsonFile(`proofs/consent/${id}.json`, "Receipt of a change of consent", read)],
    };
  });
}

const findId = async ({ orgId, client }: Tenant, sql: string, after: string): Promise<string | undefined> =>
  (await client.query<{ id: string }>(sql, [orgId, after])).rows[0]?.id;
