import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { cursorOf, readCursor } from "#platform/cursor.ts";
import { isSlugTaken, withDerivedSlugs } from "#platform/db/slugs.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { contentRuleCodes } from "../domain/content-rules/codes.ts";
import { draftTemplate, type NewTemplate } from "../domain/new-template.ts";
import { fitPage } from "../domain/page.ts";
import { refuse } from "../domain/problems.ts";
import { slugFromName } from "../domain/slug.ts";
import type { Template } from "../domain/template.ts";
import { templateTypes } from "../domain/template-types.ts";
import { unstorableTexts } from "../domain/text.ts";
import { templateRemoved } from "../events.ts";
import { countActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { freeSlugs } from "../store/slug-store.ts";
import {
  addTemplate,
  deleteDeployments,
  deleteTemplate,
  findTemplate,
  findTemplates,
  lockTemplate,
  pageOfTemplates,
} from "../store/template-store.ts";
import { flagsMessage } from "./configuration.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId } from "./ids.ts";
import { templateMessage } from "./messages.ts";
import { parseNewTemplate } from "./update-template.ts";
import { describeTemplates } from "./views.ts";
import { fromWire, wireFormat, wireTemplateStatus, wireType } from "./wire-enums.ts";

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
    inOrganization(orgId, deps.orm, async (tenant) => {
      const [slug = ""] = input.slug ? [input.slug] : await freeSlugs(tenant, [slugFromName(input.name)]);
      return addTemplate(tenant, { ...draft, slug });
    });
  if (input.slug === null) return withDerivedSlugs(insert);
  return insert().catch((error: unknown) => {
    throw isSlugTaken(error) ? new DomainError("CLICK_TEMPLATE_SLUG_EXISTS", { cause: error }) : error;
  });
}

export const getTemplate = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "getTemplate"> => ({
  async getTemplate(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await findTemplate(tenant, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const [message] = await describeTemplates(tenant, [template], request);
      return { template: message };
    });
  },
});

const maxLimit = 1000;

/** A page ends early when its templates would not fit into one message; the cursor leads on as usual. */
export const listTemplates = (
  deps: Pick<TemplatesDeps, "orm">,
): Pick<ServiceImpl<typeof TemplatesService>, "listTemplates"> => ({
  async listTemplates(request, context) {
    const { orgId } = requireCaller(context);
    refuse(unstorableTexts("search", request.search));
    const after = readCursor(request.cursor, "CLICK_VALIDATION_FAILED");
    const limit = request.limit === 0 ? maxLimit : Math.min(request.limit, maxLimit);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const found = await pageOfTemplates(tenant, {
        after,
        limit: limit + 1,
        withVersions: request.includeVersions,
        search: request.search,
        status: fromWire(wireTemplateStatus, request.status),
      });
      const page = fitPage(found.slice(0, limit));
      const ids = page.map((item) => item.id);
      const templates = await findTemplates(tenant, ids);
      const last = templates.at(-1);
      return {
        templates: await describeTemplates(tenant, templates, request),
        nextCursor:
          found.length > page.length && last !== undefined ? cursorOf({ at: last.createdAt, id: last.id }) : "",
      };
    });
  },
});

export const removeTemplate = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">,
): Pick<ServiceImpl<typeof TemplatesService>, "removeTemplate"> => ({
  async removeTemplate(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const id = parseTemplateId(request.templateId);
    await inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await lockTemplate(tenant, id);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const active = await countActiveDeployments(tenant, [id]);
      if (active.size > 0) throw new DomainError("CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS");
      const now = deps.clock.now();
      await insertOutboxEm(tenant.em, schema, [templateRemoved({ caller, eventId: deps.newId(), now }, id)]);
      if (template.firstPublishedAt === null) {
        await deleteTemplate(tenant, id);
      } else {
        // Somebody may have accepted one of its revisions.
        await deleteDeployments(tenant, id);
        Object.assign(template, { deletedAt: now, updatedAt: now });
      }
    });
    deps.wakeRelay();
    return {};
  },
});

export const listTemplateTypes = (): Pick<ServiceImpl<typeof TemplatesService>, "listTemplateTypes"> => ({
  async listTemplateTypes() {
    return {
      types: templateTypes.map((info) => ({
        ...info,
        type: wireType[info.type],
        contentFormats: [wireFormat.HTML, wireFormat.MARKDOWN, wireFormat.TEXT],
        defaultPolicyFlags: flagsMessage(info.defaultPolicyFlags),
        validationRules: contentRuleCodes(info.type),
      })),
    };
  },
});
