import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { agreementEvent } from "#api/agreement-records.ts";
import type { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { AuditEventSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { type ExportItem, exportPage, type FileToExport, jsonFile } from "#platform/export-page.ts";
import { isOfTables, nextOfTables } from "#platform/export-tables.ts";
import type { OrgId } from "#platform/ids.ts";
import type { StoredFile } from "../agreement/agreement.ts";
import { loadAgreement, loadDeleted } from "../agreement/agreement-store.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import { originalOf } from "../agreement/file-store.ts";
import { auditEventMessage } from "../agreement/messages.ts";
import { nextBrandImage, readBrandImage } from "../brands/brand-store.ts";
import type { SignDeps } from "../deps.ts";
import { imageOf } from "../files/signature-images.ts";
import { listAttachments } from "../signing/attachments.ts";
import { extensions } from "./export-person.ts";

type ExportDeps = Pick<SignDeps, "pool" | "vault" | "files">;

const firstId = "00000000-0000-0000-0000-000000000000";

/** Hashes of words that files say better, and what has come of files that nothing names yet. */
const leftOut = ["file_words", "upload", "upload_part"];

/** Files and trails of all agreements, the pictures of brands, then the records of all tables. */
export const exportOrganization = (
  deps: ExportDeps,
): Pick<ServiceImpl<typeof PersonalDataService>, "exportOrganization"> => ({
  exportOrganization({ cursor }, context) {
    const { orgId } = requireCaller(context);
    return exportPage(cursor, async (after) => {
      if (isOfTables(after)) return nextOfTables(deps.pool, orgId, "sign", after, leftOut);
      const item = await withOrg(deps.pool, orgId, async (tenant) => {
        const agreement = isOfBrands(after) ? undefined : await nextAgreement(deps, tenant, after || firstId);
        return agreement ?? nextPicture(deps, tenant, isOfBrands(after) ? after.slice(ofBrands.length) : "");
      });
      return item ?? nextOfTables(deps.pool, orgId, "sign", "", leftOut);
    });
  },
});

async function nextAgreement(deps: ExportDeps, tenant: Tenant, after: string): Promise<ExportItem | undefined> {
  const { orgId, client } = tenant;
  const sql = "select id from sign.agreement where organization_id = $1 and id > $2 order by id limit 1";
  const id = (await client.query<{ id: string }>(sql, [orgId, after])).rows[0]?.id;
  const agreement = id && ((await loadAgreement(tenant, id)) ?? (await loadDeleted(tenant, id)));
  if (!agreement) return undefined;
  const file = (name: string, title: string, stored: StoredFile): FileToExport => ({
    ...{ path: `documents/${agreement.id}/${name}`, title },
    read: () => readFile(deps, orgId, agreement.id, stored),
  });
  const attachments = await listAttachments(tenant, agreement.id);
  const drawn = agreement.recipients.flatMap((one) => [...imageOf(one.signature), ...imageOf(one.initials)]);
  return {
    id: agreement.id,
    files: [
      jsonFile(
        `proofs/agreements/${agreement.id}/trail.json`,
        `Audit trail of: ${agreement.emailSubject}`,
        async () => {
          const events = await withOrg(deps.pool, orgId, (reading) =>
            listAuditEvents(reading, deps.vault, agreement.id),
          );
          const shown = events.map((one) => create(AuditEventSchema, auditEventMessage(agreement.id, one)));
          return { agreementId: agreement.id, events: shown.map((one) => agreementEvent.answer(one)) };
        },
      ),
      ...agreement.documents.flatMap(({ sealedId, sealedSha256, ...document }, index) => [
        file(`${index + 1}.pdf`, document.name, document),
        ...originalOf(document).map((one) =>
          file(`${index + 1}-original.${document.originalFormat}`, `${document.name}, as it was sent`, one),
        ),
        ...(sealedId === null || sealedSha256 === null
          ? []
          : [file(`${index + 1}-sealed.pdf`, `${document.name}, sealed`, { id: sealedId, sha256: sealedSha256 })]),
      ]),
      ...(agreement.certificate === null
        ? []
        : [file("certificate.pdf", "Certificate of completion", agreement.certificate)]),
      ...attachments.map((one) =>
        file(`attachment-${one.id}.${extensions[one.contentType] ?? "bin"}`, one.fileName, one),
      ),
      ...drawn.map((one) => file(`signature-${one.id}.png`, "Drawn signature", one)),
    ],
  };
}

const ofBrands = "brand-image:";
const isOfBrands = (id: string): boolean => id.startsWith(ofBrands);

async function nextPicture({ pool }: ExportDeps, tenant: Tenant, after: string): Promise<ExportItem | undefined> {
  const picture = await nextBrandImage(tenant, after);
  if (picture === undefined) return undefined;
  const { sha256, contentType } = picture;
  const path = `documents/brands/${sha256}.${extensions[contentType] ?? "bin"}`;
  const read = async () =>
    (await withOrg(pool, tenant.orgId, (reading) => readBrandImage(reading, Buffer.from(sha256, "hex"))))?.content ??
    Buffer.alloc(0);
  return { id: `${ofBrands}${sha256}`, files: [{ path, title: "Picture of a brand", read }] };
}

const readFile = ({ pool, files }: ExportDeps, orgId: OrgId, agreementId: string, file: StoredFile) =>
  withOrg(pool, orgId, (tenant) => files.read(tenant, agreementId, file));
