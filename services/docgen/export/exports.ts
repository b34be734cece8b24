import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { genDocument } from "#api/generation-documents.ts";
import { DocumentSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { addressPattern } from "#platform/db/address-pattern.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { exportPage, type FileToExport, jsonFile, schemaFile } from "#platform/export-page.ts";
import { isOfTables, nextOfTables } from "#platform/export-tables.ts";
import type { DocgenDeps } from "../rpc/deps.ts";
import { documentMessage } from "../rpc/documents.ts";
import { findDocument } from "../store/document-store.ts";
import { hasReference } from "../store/person-store.ts";

const firstId = "00000000-0000-0000-0000-000000000000";

/** Documents whose data, metadata, reference or file name says the address or the reference of the person. */
export const exportPerson = (
  deps: Pick<DocgenDeps, "pool" | "blobs" | "clock">,
): Pick<ServiceImpl<typeof PersonalDataService>, "exportPerson"> => ({
  exportPerson({ person, cursor }, context) {
    const { orgId } = requireCaller(context);
    const email = (person?.email ?? "").trim().toLowerCase();
    return exportPage(cursor, (after) =>
      withOrg(deps.pool, orgId, async (tenant) => {
        const id = await findNext(tenant, { email, userRef: person?.userRef ?? "" }, after || firstId);
        const document = id === undefined ? undefined : await findDocument(tenant, id);
        if (document === undefined) return undefined;
        const { sha256, fileName } = document;
        const record = genDocument.answer(create(DocumentSchema, documentMessage(document, deps.clock.now())));
        const pdf: FileToExport[] =
          sha256 === null || document.status !== "completed"
            ? []
            : [{ path: `documents/generated/${document.id}.pdf`, title: fileName, read: () => read(sha256) }];
        return {
          id: document.id,
          files: [
            schemaFile("generated-document", "A generated document", genDocument.schemas.answer),
            jsonFile(`data/generated-documents/${document.id}.json`, fileName, () => record),
            ...pdf,
          ],
        };
      }),
    );

    async function read(sha256: Uint8Array): Promise<Uint8Array> {
      const bytes = await deps.blobs.read(orgId, sha256);
      if (bytes === undefined) throw new DomainError("DOCUMENT_ERASED");
      return bytes;
    }
  },
});

const text = "concat_ws(' ', ref, file_name, metadata::text, source::text)";

async function findNext(
  { orgId, client }: Tenant,
  { email, userRef }: { readonly email: string; readonly userRef: string },
  after: string,
): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `select id from docgen.document where organization_id = $1 and id > $2 and deleted_at is null
       and (($3 <> '' and strpos(lower(${text}), $3) > 0 and lower(${text}) ~ $5)
         or ${hasReference("$4")})
     order by id limit 1`,
    [orgId, after, email, userRef, addressPattern(email)],
  );
  return rows[0]?.id;
}

/** The bytes of generated documents and of assets, then the records of all tables. */
export const exportOrganization = (
  deps: Pick<DocgenDeps, "pool" | "blobs">,
): Pick<ServiceImpl<typeof PersonalDataService>, "exportOrganization"> => ({
  exportOrganization({ cursor }, context) {
    const { orgId } = requireCaller(context);
    return exportPage(cursor, async (after) => {
      const file = isOfTables(after) ? undefined : await findFile(after || firstId);
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
    function findFile(after: string) {
      return withOrg(deps.pool, orgId, async ({ client }) => {
        const { rows } = await client.query<{ id: string; name: string; type: string; sha256: Buffer }>(
          `select id, file_name as name, 'pdf' as type, sha256 from docgen.document
             where organization_id = $1 and id > $2 and deleted_at is null and status = 'completed' and sha256 is not null
           union all
           select id, name, case content_type when 'image/png' then 'png' when 'image/jpeg' then 'jpg' else 'docx' end, sha256 from docgen.asset
             where organization_id = $1 and id > $2
           order by id limit 1`,
          [orgId, after],
        );
        return rows[0];
      });
    }
  },
});
