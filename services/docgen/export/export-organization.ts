import type { ServiceImpl } from "@connectrpc/connect";
import type { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { exportPage } from "#platform/export-page.ts";
import { isOfTables, nextOfTables } from "#platform/export-tables.ts";
import type { DocgenDeps } from "../rpc/deps.ts";

/** The bytes of generated documents and of assets, then the records of all tables. */
export const exportOrganization = (
  deps: Pick<DocgenDeps, "pool" | "blobs">,
): Pick<ServiceImpl<typeof PersonalDataService>, "exportOrganization"> => ({
  exportOrganization({ cursor }, context) {
    const { orgId } = requireCaller(context);
    return exportPage(cursor, async (after) => {
      const file = isOfTables(after) ? undefined : await findNext(after || "00000000-0000-0000-0000-000000000000");
      if (file === undefined) return nextOfTables(deps.pool, orgId, "docgen", after);
      const { id, name, type, sha256 } = file;
      const path = `documents/generated/${id}.${type}`;
      return { id, files: [{ path, title: name, read: () => read(sha256) }] };
    });

    async function read(sha256: Uint8Array): Promise<Uint8Array> {
      const bytes = await deps.blobs.read(orgId, sha256);
      if (bytes === undefined) throw new DomainError("DOCUMENT_ERASED");
      return bytes;
    }
    function findNext(after: string) {
      return withOrg(deps.pool, orgId, async ({ client }) => {
        const { rows } = await client.query<{ id: string; name: string; type: string; sha256: Buffer }>(
          `select id, file_name as name, 'pdf' as type, sha256 from docgen.document
             where organization_id = $1 and id > $2 and deleted_at is null and status = 'completed' and sha256 is not null
           union all
           select id, name, case content_type when 'image/png' then 'png' else 'jpg' end, sha256 from docgen.asset
             where organization_id = $1 and id > $2
           order by id limit 1`,
          [orgId, after],
        );
        return rows[0];
      });
    }
  },
});
