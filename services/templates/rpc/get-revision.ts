import { recordsOf } from "#api/records.ts";
import { ContentFormat, GetRevisionResponseSchema } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import type { Revision } from "../domain/version.ts";
import { inOrganization, RevisionEntity } from "../store/orm.ts";
import { findTemplate } from "../store/template-store.ts";
import { parseTemplateId, parseVersionId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";
import { textsMessage } from "./messages.ts";

export const getRevision = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"getRevision"> => ({
  async getRevision(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = request.templateId === "" ? undefined : parseTemplateId(request.templateId);
    const name = { versionId: parseVersionId(request.versionId), revision: request.revision };
    // Beyond what the column holds, and so beyond every revision.
    if (name.revision > maxRevision) throw new DomainError("CLICK_VERSION_NOT_FOUND");
    return inOrganization(orgId, deps.orm, async (tenant) => {
      if (templateId !== undefined && (await findTemplate(tenant, templateId)) === null) {
        throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      }
      const revision = await findRevision(tenant, name);
      const belongs = templateId === undefined || revision?.templateId === templateId;
      if (revision === null || !belongs) throw new DomainError("CLICK_VERSION_NOT_FOUND");
      const content = await readContent(tenant, revision.contentHash);
      return answers.write({ ...revision, content, texts: textsMessage(revision.texts) });
    });
  },
});

const answers = recordsOf(GetRevisionResponseSchema, { format: ContentFormat });

const maxRevision = 2 ** 31 - 1;

/** Writes a revision with its bytes. Bytes that the organization has already are stored once. */
export async function addRevision(
  { orgId, em }: OrmTenant,
  revision: Omit<Revision, "organizationId">,
  bytes: Buffer,
): Promise<void> {
  await em.execute(
    "insert into templates.content (organization_id, hash, bytes) values (?, ?, ?) on conflict do nothing",
    [orgId, revision.contentHash, bytes],
  );
  em.persist(em.create(RevisionEntity, { ...revision, organizationId: orgId }));
}

export async function findRevision(
  { orgId, em }: OrmTenant,
  name: { readonly versionId: string; readonly revision: number },
): Promise<Revision | null> {
  const { versionId, revision } = name;
  return em.findOne(RevisionEntity, { organizationId: orgId, versionId, revision });
}

/** The bytes of a text that a revision names. */
async function readContent({ orgId, em }: OrmTenant, hash: string): Promise<Buffer> {
  const rows = await em.execute<{ bytes: Buffer }[]>(
    "select bytes from templates.content where organization_id = ? and hash = ?",
    [orgId, hash],
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`the content ${hash} is missing`);
  return row.bytes;
}

/** All revisions of these versions, oldest first. */
export async function listRevisions({ orgId, em }: OrmTenant, versionIds: readonly string[]): Promise<Revision[]> {
  if (versionIds.length === 0) return [];
  return em.find(
    RevisionEntity,
    { organizationId: orgId, versionId: { $in: [...versionIds] } },
    { orderBy: { revision: "asc" } },
  );
}
