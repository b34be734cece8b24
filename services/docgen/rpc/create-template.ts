import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { slugFromName } from "#platform/slug.ts";
import type { Template } from "../domain/template.ts";
import { inOrganization } from "../store/orm.ts";
import { freeSlug, isSlugTaken, withDerivedSlug } from "../store/slug-store.ts";
import { addTemplate } from "../store/template-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { templateMessage } from "./messages.ts";
import { type NewTemplate, parseNewTemplate } from "./template-input.ts";

type Deps = Pick<DocgenDeps, "orm" | "clock" | "newId">;

export const createTemplate = (deps: Deps): Pick<ServiceImpl<typeof DocgenService>, "createTemplate"> => ({
  async createTemplate(request, context) {
    const caller = requireCaller(context);
    const template = await insertTemplate(deps, caller, parseNewTemplate(request));
    return { template: templateMessage(template, true) };
  },
});

async function insertTemplate(deps: Deps, { orgId, clientId }: Caller, input: NewTemplate): Promise<Template> {
  const now = deps.clock.now();
  const draft = {
    ...input,
    id: deps.newId(),
    publishedVersion: 0,
    publishedAt: null,
    createdBy: clientId,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
  const insert = () =>
    inOrganization(orgId, deps.orm, async (em) => {
      const slug = input.slug ?? (await freeSlug(orgId, em, slugFromName(input.name)));
      return addTemplate(orgId, em, { ...draft, slug });
    });
  if (input.slug === undefined) return withDerivedSlug(insert);
  return insert().catch((error: unknown) => {
    throw isSlugTaken(error) ? new DomainError("GEN_TEMPLATE_SLUG_EXISTS", { cause: error }) : error;
  });
}
