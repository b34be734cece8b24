import type { JsonObject } from "@bufbuild/protobuf";
import { ContentFormat, TemplateType as WireType } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { cursorOf, readCursor } from "#platform/cursor.ts";
import { withOrgRead } from "#platform/db/pool.ts";
import { createFreeSlugs, isSlugTaken, withDerivedSlugs } from "#platform/db/slugs.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { slugFromName } from "#platform/slug.ts";
import { contentRuleCodes } from "../domain/content-rules/codes.ts";
import { draftTemplate, type NewTemplate } from "../domain/new-template.ts";
import { defaultPolicyFlags, type PolicyFlags } from "../domain/policy-flags.ts";
import { refuse } from "../domain/problems.ts";
import type { Template } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import { completeTypeConfig, type TemplateType, typeConfigSchemas } from "../domain/type-config.ts";
import { templateRemoved } from "../events.ts";
import { deleteApprovals } from "../store/approval-store.ts";
import { countActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization, schema, TemplateEntity } from "../store/orm.ts";
import {
  addTemplate,
  deleteDeployments,
  deleteTemplate,
  findTemplate,
  findTemplates,
  lockTemplate,
  pageOfTemplates,
  readTemplate,
} from "../store/template-store.ts";
import { deleteDrafts } from "../store/version-store.ts";
import { flagsMessage } from "./configuration.ts";
import { parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";
import { templateMessage, templateStatusOf } from "./messages.ts";
import { cancelSchedulesOf } from "./schedule.ts";
import { parseNewTemplate } from "./update-template.ts";
import { describeTemplates } from "./views.ts";

type Deps = Pick<TemplatesDeps, "orm" | "clock" | "newId">;

export const createTemplate = (deps: Deps): TemplatesRpcs<"createTemplate"> => ({
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

export const getTemplate = (deps: Pick<TemplatesDeps, "orm" | "readerPool">): TemplatesRpcs<"getTemplate"> => ({
  async getTemplate(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseTemplateId(request.templateId);
    if (!request.includeVersions) {
      const found = await withOrgRead(deps.readerPool, orgId, (tenant) => readTemplate(tenant, id));
      if (found === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const { template, published, active, next } = found;
      const activeDeployments = new Map([[id, active]]);
      const nextPublications = new Map(next === null ? [] : [[id, next]]);
      return { template: templateMessage(template, { published, activeDeployments, nextPublications }) };
    }
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
export const listTemplates = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"listTemplates"> => ({
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
        status: templateStatusOf(request.status),
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
): TemplatesRpcs<"removeTemplate"> => ({
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
      await cancelSchedulesOf({ deps, caller, tenant, now }, [id]);
      await deleteApprovals(tenant, id);
      await insertOutboxEm(tenant.em, schema, [templateRemoved({ caller, eventId: deps.newId(), now }, id)]);
      if (template.firstPublishedAt === null) {
        await deleteTemplate(tenant, id);
      } else {
        // Somebody may have accepted one of its revisions.
        await deleteDeployments(tenant, id);
        await deleteDrafts(tenant, id);
        Object.assign(template, { deletedAt: now, updatedAt: now });
      }
    });
    deps.wakeRelay();
    return {};
  },
});

/** Values cannot be filled into a PDF. */
const formats = [ContentFormat.HTML, ContentFormat.MARKDOWN, ContentFormat.TEXT, ContentFormat.PDF];

export const listTemplateTypes = (): TemplatesRpcs<"listTemplateTypes"> => ({
  async listTemplateTypes() {
    return {
      types: templateTypes.map((info) => ({
        ...info,
        type: WireType[info.type],
        contentFormats: formats.filter((format) => info.type !== "GENERATED" || format !== ContentFormat.PDF),
        defaultPolicyFlags: flagsMessage(info.defaultPolicyFlags),
        validationRules: contentRuleCodes(info.type),
      })),
    };
  },
});

/** What fits into one answer with room to spare: gRPC messages have 4 MiB at most. */
const maxPageBytes = 2_621_440;

/** The most of the items, in their order, that one answer can carry; at least one. */
export function fitPage<T extends { readonly bytes: number }>(items: readonly T[], maxBytes = maxPageBytes): T[] {
  let total = 0;
  const end = items.findIndex((item, index) => {
    total += item.bytes;
    return index > 0 && total > maxBytes;
  });
  return end === -1 ? [...items] : items.slice(0, end);
}

/** What there is to know of a type of template before one is made. */
export interface TemplateTypeInfo {
  readonly type: TemplateType;
  readonly name: string;
  readonly description: string;
  readonly configSchema: JsonObject;
  readonly defaultTypeConfig: JsonObject;
  readonly defaultPolicyFlags: PolicyFlags;
}

const described = [
  {
    type: "STATIC",
    name: "Static text",
    description: "The same text for everyone, such as terms of use.",
  },
  {
    type: "GENERATED",
    name: "Generated text",
    description: "A text with merge fields that are filled for each person, such as an offer.",
  },
  {
    type: "CONSENT",
    name: "Consent",
    description: "A text with purposes that the person grants or denies one by one.",
  },
] as const;

/** Always in this order. */
const templateTypes: readonly TemplateTypeInfo[] = described.map((info) => ({
  ...info,
  configSchema: typeConfigSchemas[info.type],
  defaultTypeConfig: completeTypeConfig(info.type),
  defaultPolicyFlags: defaultPolicyFlags(info.type),
}));

/** For each of the slugs the first of slug, slug-2, slug-3 … that no living template has; all that are found differ. */
export const freeSlugs = createFreeSlugs("templates", ({ orgId, em }, slugs) =>
  em.find(
    TemplateEntity,
    { organizationId: orgId, slug: { $in: [...slugs] }, deletedAt: null },
    { fields: ["slug"], disableIdentityMap: true },
  ),
);
