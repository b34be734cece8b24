import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { isPublishedAs, publishedPart, type Template } from "../domain/template.ts";
import { requireSchema } from "../domain/template-error.ts";
import { inOrganization } from "../store/orm.ts";
import { addVersion, findTemplate, findVersion, lockTemplate } from "../store/template-store.ts";
import type { JsonSchema, TemplateSource } from "../templating/template-source.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";
import { templateMessage } from "./messages.ts";

type Deps = Pick<DocgenDeps, "orm" | "checker" | "clock">;

/** So often the content may be changed by others while it is being checked. */
const maxAttempts = 5;

export const publishTemplate = (deps: Deps): Pick<ServiceImpl<typeof DocgenService>, "publishTemplate"> => ({
  async publishTemplate(request, context) {
    const caller = requireCaller(context);
    const id = canonicalId(request.templateId);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      // The check can take its time, so it is no part of a transaction.
      const { format, content } = await readTemplate(deps, caller.orgId, id);
      const source = { format, content };
      const schema = requireSchema(await deps.checker.check(source));
      const template = await publishChecked(deps, caller, id, { source, schema });
      if (template !== undefined) return { template: templateMessage(template, false) };
    }
    throw new DomainError("SERVICE_UNAVAILABLE");
  },
});

const readTemplate = (deps: Deps, orgId: OrgId, id: string): Promise<Template> =>
  inOrganization(orgId, deps.orm, async (em) => {
    const template = await findTemplate(orgId, em, id);
    if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
    return template;
  });

/** Undefined when the draft is no longer what was checked. */
async function publishChecked(
  deps: Deps,
  { orgId, clientId }: Caller,
  id: string,
  checked: { readonly source: TemplateSource; readonly schema: JsonSchema },
): Promise<Template | undefined> {
  return inOrganization(orgId, deps.orm, async (em) => {
    const template = await lockTemplate(orgId, em, id);
    if (template === null) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
    const { source, schema } = checked;
    if (template.format !== source.format || template.content !== source.content) return undefined;
    const current = await findVersion(orgId, em, { templateId: id, version: template.publishedVersion });
    if (isPublishedAs(template, current)) return template;
    const publishedAt = deps.clock.now();
    const version = template.publishedVersion + 1;
    addVersion(orgId, em, {
      ...publishedPart(template),
      templateId: id,
      version,
      dataSchema: schema,
      publishedAt,
      publishedBy: clientId,
    });
    return Object.assign(template, { publishedVersion: version, publishedAt });
  });
}
