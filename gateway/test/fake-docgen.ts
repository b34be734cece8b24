import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Asset,
  AssetSchema,
  type CreateAssetRequest,
  type CreateTemplateRequest,
  DocgenService,
  type Template,
  TemplateSchema,
  type UpdateTemplateRequest,
} from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { createFakeBatches } from "./fake-docgen-batches.ts";
import { createFakeDocuments } from "./fake-docgen-documents.ts";

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

interface Owned {
  readonly organizationId: string;
}

/** What a page of a list that goes on after ids has. */
export function pageAfter<Item extends { readonly id: string }>(
  items: readonly Item[],
  { afterId, pageSize }: { afterId: string; pageSize: number },
) {
  const start = afterId === "" ? 0 : items.findIndex(({ id }) => id === afterId) + 1;
  return { page: items.slice(start, start + pageSize), hasMore: start + pageSize < items.length };
}

/** A docgen service that keeps everything in memory and knows just enough rules to answer. */
export function createFakeDocgen() {
  const templates = new Map<string, Template & Owned>();
  const assets = new Map<string, { asset: Asset; content: Uint8Array } & Owned>();
  const seen: { callers: Caller[]; updates: UpdateTemplateRequest[] } = { callers: [], updates: [] };
  const fail: { with: unknown } = { with: undefined };

  const enter = (context: Parameters<typeof requireCaller>[0]): Caller => {
    const caller = requireCaller(context);
    seen.callers.push(caller);
    if (fail.with !== undefined) throw fail.with;
    return caller;
  };
  const findTemplate = (id: string, caller: Caller): Template & Owned => {
    const template = templates.get(id);
    if (template?.organizationId !== caller.orgId) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
    return template;
  };
  const findAsset = (id: string, caller: Caller) => {
    const found = assets.get(id);
    if (found?.organizationId !== caller.orgId) throw new DomainError("GEN_ASSET_NOT_FOUND");
    return found;
  };
  const documents = createFakeDocuments({ enter, findTemplate });
  const batches = createFakeBatches({ enter, documents });

  const routes: RpcRoutes = (router) => {
    router.service(DocgenService, {
      ...documents.handlers,
      ...batches.handlers,
      createTemplate: (request, context) => {
        const { orgId, clientId } = enter(context);
        const slug = request.slug === "" ? request.name.toLowerCase().replaceAll(" ", "-") : request.slug;
        if ([...templates.values()].some((one) => one.organizationId === orgId && one.slug === slug)) {
          throw new DomainError("GEN_TEMPLATE_SLUG_EXISTS");
        }
        const template = newTemplate(request, slug, clientId);
        templates.set(template.id, Object.assign(template, { organizationId: orgId }));
        return { template };
      },
      getTemplate: ({ templateId }, context) => ({ template: findTemplate(templateId, enter(context)) }),
      listTemplates: (request, context) => {
        const { orgId } = enter(context);
        const own = [...templates.values()].filter(({ organizationId }) => organizationId === orgId).reverse();
        const { page, hasMore } = pageAfter(own, request);
        return { templates: page.map((one) => ({ ...one, content: "", sampleDataJson: "" })), hasMore };
      },
      updateTemplate: (request, context) => {
        const template = findTemplate(request.templateId, enter(context));
        seen.updates.push(request);
        const { name = template.name, content = template.content } = request;
        return { template: Object.assign(template, { name, content, hasChanges: true }) };
      },
      deleteTemplate: ({ templateId }, context) => {
        findTemplate(templateId, enter(context));
        templates.delete(templateId);
        return {};
      },
      publishTemplate: ({ templateId }, context) => {
        const template = findTemplate(templateId, enter(context));
        if (template.content.includes("<script")) throw brokenTemplate();
        const publishedVersion = template.publishedVersion + (template.hasChanges ? 1 : 0);
        return { template: Object.assign(template, { publishedVersion, publishedAt: now, hasChanges: false }) };
      },
      getTemplateSchema: ({ templateId, version }, context) => {
        const { publishedVersion } = findTemplate(templateId, enter(context));
        if (version > publishedVersion) throw new DomainError("GEN_TEMPLATE_NOT_FOUND");
        return { schemaJson: '{"type":"object",  "properties":{}}', version: version || publishedVersion };
      },
      validateTemplate: ({ content, dataJson }, context) => {
        enter(context);
        return {
          findings: [
            ...(content.includes("<script")
              ? [{ code: "tag_not_allowed", message: "script is not allowed", line: 1, column: 4 }]
              : []),
            ...(dataJson.includes('"bad"')
              ? [{ code: "type_mismatch", message: "must be a number", path: "/total", expected: "number" }]
              : []),
          ],
        };
      },
      createAsset: (request, context) => {
        const { orgId: organizationId } = enter(context);
        const asset = newAsset(request);
        assets.set(asset.id, { asset, content: request.content, organizationId });
        return { asset };
      },
      listAssets: (request, context) => {
        const { orgId } = enter(context);
        const own = [...assets.values()].filter(({ organizationId }) => organizationId === orgId);
        const { page, hasMore } = pageAfter(own.map(({ asset }) => asset).reverse(), request);
        return { assets: page, hasMore };
      },
      getAsset: ({ assetId }, context) => {
        const { asset, content } = findAsset(assetId, enter(context));
        return { asset, content };
      },
      deleteAsset: ({ assetId }, context) => {
        findAsset(assetId, enter(context));
        assets.delete(assetId);
        return {};
      },
      getUsage: (_request, context) => {
        enter(context);
        return {
          plan: "gen_pro",
          hour: { limit: 600, used: 17, resetAt: 1_795_197_600n },
          minute: { limit: 10, used: 2, resetAt: 1_795_194_060n },
        };
      },
    });
  };
  return { routes, templates, assets, documents, batches, seen, fail };
}

export type FakeDocgen = ReturnType<typeof createFakeDocgen>;

function newTemplate(request: CreateTemplateRequest, slug: string, createdBy: string): Template {
  const { name, format, content, locale, sampleDataJson } = request;
  const margins = { top: 25, right: 25, bottom: 25, left: 25 };
  const page = { size: "a4", orientation: "portrait", margins, header: "", footer: "{page} / {pages}", font: "sans" };
  const times = { createdAt: now, updatedAt: now };
  const fields = { name, slug, format, content, page, locale: locale || "en", sampleDataJson, createdBy, ...times };
  return create(TemplateSchema, { ...fields, id: newId(), hasChanges: true });
}

const newAsset = ({ name, content }: CreateAssetRequest): Asset =>
  create(AssetSchema, {
    id: newId(),
    name,
    contentType: "image/png",
    width: 1,
    height: 1,
    bytes: BigInt(content.length),
    sha256: createHash("sha256").update(content).digest("hex"),
    createdAt: now,
  });

const brokenTemplate = (): DomainError =>
  new DomainError("GEN_TEMPLATE_ERROR", {
    message: "script is not allowed",
    metadata: { line: "3", column: "12", code: "tag_not_allowed" },
    details: [{ field: "content:3:12", code: "tag_not_allowed", message: "script is not allowed" }],
  });
