import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ApprovalStatus,
  ContentFormat,
  type CreateVersionRequest,
  type PublishVersionRequest,
  SkipReason,
  type Template,
  TemplateSchema,
  TemplateStatus,
  TemplatesService,
  type UpdateTemplateRequest,
  type UpdateVersionRequest,
  type Version,
  VersionDraftSchema,
  VersionSchema,
  VersionStatus,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { createFakeConfiguration } from "./fake-configuration.ts";
import { createFakeDeployments } from "./fake-deployments.ts";

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

const draftOf = ({ id, templateId, organizationId, locale, content, format, contentHash }: Version) =>
  create(VersionDraftSchema, {
    ...{ versionId: id, templateId, organizationId, locale, content, format, contentHash, baseRevision: 1 },
    ...{ createdBy: "cl_fake", createdAt: now, updatedBy: "cl_fake", updatedAt: now },
  });

/** A templates service that keeps everything in memory and knows just enough rules to answer. */
export function createFakeTemplates() {
  const templates = new Map<string, Template>();
  const versions = new Map<string, Version>();
  const seen: {
    callers: Caller[];
    updates: UpdateTemplateRequest[];
    versions: CreateVersionRequest[];
    versionUpdates: UpdateVersionRequest[];
    publications: PublishVersionRequest[];
  } = {
    callers: [],
    updates: [],
    versionUpdates: [],
    versions: [],
    publications: [],
  };
  const fail: { with: unknown } = { with: undefined };
  /** The most templates that fit into one page. */
  const pages: { items: number } = { items: 1_000 };

  const enter = (context: Parameters<typeof requireCaller>[0]): Caller => {
    const caller = requireCaller(context);
    seen.callers.push(caller);
    if (fail.with !== undefined) throw fail.with;
    return caller;
  };
  const findTemplate = (id: string, caller: Caller): Template => {
    const template = templates.get(id);
    if (template?.organizationId !== caller.orgId) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
    return template;
  };
  const findVersion = (templateId: string, id: string, caller: Caller): Version => {
    findTemplate(templateId, caller);
    const version = versions.get(id);
    if (version?.templateId !== templateId) throw new DomainError("CLICK_VERSION_NOT_FOUND");
    return version;
  };

  const configuration = createFakeConfiguration({ enter, findTemplate });
  const deployments = createFakeDeployments({ enter, findTemplate });

  const routes: RpcRoutes = (router) => {
    router.service(TemplatesService, {
      ...configuration.handlers,
      ...deployments.handlers,
      createTemplate: (request, context) => {
        const { orgId, clientId } = enter(context);
        const slug = request.slug ?? request.name.toLowerCase().replaceAll(" ", "-");
        if ([...templates.values()].some((t) => t.organizationId === orgId && t.slug === slug)) {
          throw new DomainError("CLICK_TEMPLATE_SLUG_EXISTS");
        }
        const { $typeName: _type, defaultLocale = "en", ...fields } = request;
        const template = create(TemplateSchema, {
          ...fields,
          id: newId(),
          organizationId: orgId,
          slug,
          defaultLocale,
          status: TemplateStatus.DRAFT,
          createdBy: clientId,
          createdAt: now,
          updatedAt: now,
        });
        templates.set(template.id, template);
        return { template };
      },
      getTemplate: ({ templateId, includeVersions }, context) => {
        const template = findTemplate(templateId, enter(context));
        const own = [...versions.values()].filter((version) => version.templateId === templateId);
        return { template: { ...template, versions: includeVersions ? own : [] } };
      },
      listTemplates: ({ limit, cursor }, context) => {
        const { orgId } = enter(context);
        const own = [...templates.values()].filter((t) => t.organizationId === orgId);
        const start = cursor === "" ? 0 : Number(cursor);
        const end = start + Math.min(limit === 0 ? 1_000 : limit, pages.items);
        return { templates: own.slice(start, end), nextCursor: end < own.length ? String(end) : "" };
      },
      updateTemplate: (request, context) => {
        const template = findTemplate(request.templateId, enter(context));
        seen.updates.push(request);
        const { name = template.name } = request.changes ?? {};
        return { template: { ...template, name } };
      },
      createVersion: (request, context) => {
        const caller = enter(context);
        findTemplate(request.templateId, caller);
        seen.versions.push(request);
        if ([...versions.values()].some((v) => v.templateId === request.templateId && v.locale === request.locale)) {
          throw new DomainError("CLICK_VERSION_LOCALE_EXISTS");
        }
        const { $typeName: _type, ...fields } = request;
        const version = create(VersionSchema, {
          ...fields,
          format: fields.format || ContentFormat.HTML,
          id: newId(),
          organizationId: caller.orgId,
          status: VersionStatus.DRAFT,
          contentHash: `sha256:${"0".repeat(64)}`,
          createdAt: now,
          updatedAt: now,
        });
        versions.set(version.id, version);
        return { version };
      },
      getVersion: ({ templateId, versionId, includeTemplate, includeDeployments }, context) => {
        const caller = enter(context);
        const version = findVersion(templateId, versionId, caller);
        const template = includeTemplate ? findTemplate(templateId, caller) : undefined;
        return { version: { ...version, template, deployments: includeDeployments ? deployments.of(templateId) : [] } };
      },
      getRevision: ({ templateId, versionId, revision }, context) => {
        const caller = enter(context);
        findTemplate(templateId, caller);
        const version = findVersion(templateId, versionId, caller);
        if (revision !== 1) throw new DomainError("CLICK_VERSION_NOT_FOUND");
        const { locale, title, format, contentHash, texts } = version;
        const content = new TextEncoder().encode(version.content);
        return {
          ...{ templateId, versionId, revision, label: "1.0", locale, contentHash, content },
          format: format === ContentFormat.UNSPECIFIED ? ContentFormat.HTML : format,
          ...{ publishedAt: now, publishedBy: "cl_fake", ...(title === undefined ? {} : { title }) },
          ...(texts === undefined ? {} : { texts }),
        };
      },
      updateVersion: (request, context) => {
        const version = findVersion(request.templateId, request.versionId, enter(context));
        seen.versionUpdates.push(request);
        if (version.status === VersionStatus.PUBLISHED) throw new DomainError("CLICK_VERSION_PUBLISHED");
        return { version: { ...version, content: request.changes?.content ?? version.content } };
      },
      // Every version has a draft that says what it says itself.
      getVersionDraft: ({ templateId, versionId }, context) => ({
        draft: draftOf(findVersion(templateId, versionId, enter(context))),
      }),
      putVersionDraft: ({ $typeName: _, templateId, versionId, format, ...text }, context) => {
        const draft = draftOf(findVersion(templateId, versionId, enter(context)));
        return { draft: { ...draft, ...text, format: format || ContentFormat.HTML } };
      },
      deleteVersionDraft: ({ templateId, versionId }, context) => {
        findVersion(templateId, versionId, enter(context));
        return {};
      },
      cancelVersionSchedule: ({ templateId, versionId }, context) => {
        findVersion(templateId, versionId, enter(context));
        return {};
      },
      getVersionApproval: ({ templateId, versionId }, context) => {
        findVersion(templateId, versionId, enter(context));
        return { approval: { status: ApprovalStatus.NONE } };
      },
      requestVersionApproval: ({ templateId, versionId }, context) => {
        const caller = enter(context);
        const { clientId } = caller;
        findVersion(templateId, versionId, caller);
        return { approval: { status: ApprovalStatus.REQUESTED, requestedBy: clientId, requestedAt: now } };
      },
      decideVersionApproval: ({ templateId, versionId, approved }, context) => {
        const caller = enter(context);
        const { clientId } = caller;
        findVersion(templateId, versionId, caller);
        const status = approved ? ApprovalStatus.APPROVED : ApprovalStatus.REFUSED;
        return { approval: { status, decidedBy: clientId, decidedAt: now } };
      },
      listApprovalRequests: (_request, context) => {
        enter(context);
        return { requests: [], nextCursor: "" };
      },
      getPublicationRules: (_request, context) => {
        enter(context);
        return { rules: { fourEyes: false } };
      },
      setPublicationRules: ({ fourEyes }, context) => ({
        rules: { fourEyes, updatedBy: enter(context).clientId, updatedAt: now },
      }),
      archiveVersion: ({ templateId, versionId }, context) => {
        const version = findVersion(templateId, versionId, enter(context));
        if (deployments.of(templateId).length > 0) throw new DomainError("CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS");
        return { version: { ...version, status: VersionStatus.ARCHIVED, archivedAt: now } };
      },
      removeTemplate: ({ templateId }, context) => {
        findTemplate(templateId, enter(context));
        if (deployments.of(templateId).length > 0) throw new DomainError("CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS");
        templates.delete(templateId);
        return {};
      },
      bulkArchiveTemplates: ({ templateIds }, context) => {
        const { orgId } = enter(context);
        const own = templateIds.filter((id) => templates.get(id)?.organizationId === orgId);
        const blocked = own.filter((id) => deployments.of(id).length > 0);
        const unknown = templateIds.filter((id) => !own.includes(id));
        return {
          archived: own.length - blocked.length,
          skipped: [
            ...unknown.map((id) => ({ id, reason: SkipReason.NOT_FOUND })),
            ...blocked.map((id) => ({ id, reason: SkipReason.HAS_ACTIVE_DEPLOYMENTS })),
          ],
        };
      },
      bulkDuplicateTemplates: ({ templateIds, namePattern = "{name} (copy)" }, context) => {
        const { orgId } = enter(context);
        const own = templateIds.flatMap((id) => templates.get(id) ?? []).filter((t) => t.organizationId === orgId);
        const unknown = templateIds.filter((id) => !own.some((template) => template.id === id));
        return {
          duplicates: own.map((t) => ({
            sourceId: t.id,
            newId: newId(),
            name: namePattern.replaceAll("{name}", t.name),
          })),
          skipped: unknown.map((id) => ({ id, reason: SkipReason.NOT_FOUND })),
        };
      },
      listVersions: ({ templateId, publishedOnly, includeTemplate }, context) => {
        const template = findTemplate(templateId, enter(context));
        const own = [...versions.values()].filter(
          (v) => v.templateId === templateId && (!publishedOnly || v.status === VersionStatus.PUBLISHED),
        );
        return { versions: own.map((version) => ({ ...version, template: includeTemplate ? template : undefined })) };
      },
      publishVersion: (request, context) => {
        const version = findVersion(request.templateId, request.versionId, enter(context));
        seen.publications.push(request);
        const { published } = request;
        version.status = published ? VersionStatus.PUBLISHED : VersionStatus.DRAFT;
        version.revision = 1;
        version.label = "1.0";
        version.publishedAt = now;
        return { version };
      },
    });
  };
  return { routes, templates, versions, seen, fail, pages, configuration, deployments };
}

export type FakeTemplates = ReturnType<typeof createFakeTemplates>;
