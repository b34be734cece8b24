import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { draftTemplate, type NewTemplate } from "../domain/new-template.ts";
import { slugFromName } from "../domain/slug.ts";
import type { Template } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { freeSlug, isSlugTaken, withDerivedSlugs } from "../store/slug-store.ts";
import { addTemplate } from "../store/template-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { templateMessage } from "./messages.ts";
import { parseNewTemplate } from "./template-input.ts";

type Deps = Pick<TemplatesDeps, "orm" | "clock" | "newId">;

export const createTemplate = (deps: Deps): Pick<ServiceImpl<typeof TemplatesService>, "createTemplate"> => ({
  async createTemplate(request, context) {
    const caller = requireCaller(context);
    const template = await insertTemplate(deps, caller, parseNewTemplate(request));
    return { template: templateMessage(template, { published: [] }) };
  },
});

async function insertTemplate(deps: Deps, caller: Caller, input: NewTemplate): Promise<Template> {
  const { orgId, clientId } = caller;
  const draft = draftTemplate(input, { id: deps.newId(), clientId, now: deps.clock.now() });
  const insert = () =>
    inOrganization(orgId, deps.orm, async (em) => {
      const slug = input.slug ?? (await freeSlug(orgId, em, slugFromName(input.name)));
      return addTemplate(orgId, em, { ...draft, slug });
    });
  if (input.slug === null) return withDerivedSlugs(insert);
  return insert().catch((error: unknown) => {
    throw isSlugTaken(error) ? new DomainError("CLICK_TEMPLATE_SLUG_EXISTS", { cause: error }) : error;
  });
}
