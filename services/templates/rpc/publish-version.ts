import type { ServiceImpl } from "@connectrpc/connect";
import type { PublishVersionRequest, TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import type { ContentChecker } from "../content-check/content-checker.ts";
import { contentBytes, materialHash } from "../domain/content.ts";
import type { ContentSubject, Publication } from "../domain/content-rules/report.ts";
import { type ContentFinding, limitFindings } from "../domain/content-rules/report.ts";
import { refuse } from "../domain/problems.ts";
import { decidePublish, decideUnpublish } from "../domain/publication.ts";
import { requireActive, type Template } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import type { Revision, Version } from "../domain/version.ts";
import { versionPublished, versionUnpublished } from "../events.ts";
import { isLastServedByActiveDeployment } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { addRevision, findRevision } from "../store/revision-store.ts";
import { findTemplate, lockTemplate } from "../store/template-store.ts";
import { findVersion, lockVersion, type VersionName } from "../store/version-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { parseTemplateId, parseVersionId } from "./ids.ts";
import { parseTime } from "./update-version.ts";
import { describeVersions } from "./views.ts";

type Deps = Pick<TemplatesDeps, "orm" | "checker" | "clock" | "newId" | "wakeRelay">;

export const publishVersion = (deps: Deps): Pick<ServiceImpl<typeof TemplatesService>, "publishVersion"> => ({
  async publishVersion(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const order = parseOrder(request);
    const templateId = parseTemplateId(request.templateId);
    if (request.published) await checkBeforehand(deps, orgId, { templateId, id: request.versionId });
    const response = await inOrganization(orgId, deps.orm, async (tenant) => {
      // Always lock the template before the version, so that two transactions cannot deadlock.
      const template = await lockTemplate(tenant, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const version = await lockVersion(tenant, { templateId, id: parseVersionId(request.versionId) });
      if (version === null) throw new DomainError("CLICK_VERSION_NOT_FOUND");
      requireActive(template);
      const job: Job = { deps, caller, tenant, template, version, now: deps.clock.now() };
      await (request.published ? publish(job, order) : unpublish(job));
      const [message] = await describeVersions(tenant, [version]);
      return { version: message };
    });
    deps.wakeRelay();
    return response;
  },
});

interface Job {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly tenant: OrmTenant;
  readonly template: Template;
  readonly version: Version;
  readonly now: Date;
}

type Order = ReturnType<typeof parseOrder>;

function parseOrder(request: PublishVersionRequest) {
  const { changeSummary, requireReacceptance } = request;
  refuse(unstorableTexts("changeSummary", changeSummary));
  return { requireReacceptance, changeSummary, effectiveAt: parseTime("effectiveAt", request.effectiveAt) };
}

/** Checking long content takes time, so it happens before any lock is taken. The report is cached. */
async function checkBeforehand(deps: Deps, orgId: OrgId, name: VersionName): Promise<void> {
  if (!isUuid(name.id)) return;
  const subject = await inOrganization(orgId, deps.orm, async (tenant) => {
    const template = await findTemplate(tenant, name.templateId);
    const version = await findVersion(tenant, name);
    return template === null || version?.status !== "DRAFT" ? undefined : publicationSubject(template, version);
  });
  if (subject !== undefined) await deps.checker.check(subject);
}

async function publish(job: Job, order: Order): Promise<void> {
  const { deps, caller, tenant, template, version, now } = job;
  const { clientId } = caller;
  const hash = materialHash(version);
  const last =
    version.revision > 0 ? await findRevision(tenant, { versionId: version.id, revision: version.revision }) : null;
  const decision = decidePublish(version, {
    materialHash: hash,
    lastMaterialHash: last?.materialHash ?? null,
    requireReacceptance: order.requireReacceptance,
  });
  if (decision.kind === "unchanged") return;
  await requirePublishable(deps.checker, publicationSubject(template, version));

  Object.assign(version, {
    status: "PUBLISHED",
    revision: decision.revision,
    label: decision.label,
    changeSummary: order.changeSummary ?? version.changeSummary,
    effectiveAt: order.effectiveAt ?? version.effectiveAt,
    publishedAt: now,
    publishedBy: clientId,
    unpublishedAt: null,
    updatedAt: now,
  } satisfies Partial<Version>);
  Object.assign(template, { firstPublishedAt: template.firstPublishedAt ?? now, updatedAt: now });
  const revision = decision.kind === "republished" && last !== null ? last : newRevision(version, hash, order, job);
  if (revision !== last) await addRevision(tenant, revision, contentBytes(version.content));
  const event = versionPublished({ caller, eventId: deps.newId(), now }, revision);
  await insertOutboxEm(tenant.em, schema, [event]);
}

async function unpublish(job: Job): Promise<void> {
  const { deps, caller, tenant, template, version, now } = job;
  if (!decideUnpublish(version)) return;
  if (await isLastServedByActiveDeployment(tenant, version)) {
    throw new DomainError("CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS");
  }
  Object.assign(version, { status: "DRAFT", unpublishedAt: now, updatedAt: now } satisfies Partial<Version>);
  Object.assign(template, { updatedAt: now });
  const event = versionUnpublished({ caller, eventId: deps.newId(), now }, version);
  await insertOutboxEm(tenant.em, schema, [event]);
}

/** What the version says at this moment, kept for ever. */
const newRevision = (version: Version, materialHash: string, order: Order, job: Job): Revision => ({
  organizationId: version.organizationId,
  versionId: version.id,
  revision: version.revision,
  templateId: version.templateId,
  label: version.label ?? "",
  locale: version.locale,
  title: version.title,
  format: version.format,
  contentHash: version.contentHash,
  texts: version.texts,
  materialHash,
  requiresReacceptance: order.requireReacceptance,
  changeSummary: version.changeSummary,
  effectiveAt: version.effectiveAt,
  publishedAt: job.now,
  publishedBy: job.caller.clientId,
});

/** The content of a version with everything that its publication depends on. */
export const publicationSubject = (
  { type, typeConfig }: Pick<Template, "type" | "typeConfig">,
  { format, content, locale, texts }: Pick<Version, "format" | "content" | "locale"> & Pick<Publication, "texts">,
): ContentSubject => ({ type, format, content, publication: { locale, texts, typeConfig } });

/** Details travel in a header block of limited size. */
const maxDetails = 25;

/** Throws CLICK_CONTENT_INVALID with the findings that forbid the publication, and SERVICE_UNAVAILABLE. */
export async function requirePublishable(checker: ContentChecker, subject: ContentSubject): Promise<void> {
  const outcome = await checker.check(subject);
  if (outcome.kind === "busy") throw new DomainError("SERVICE_UNAVAILABLE");
  if (outcome.kind === "tooComplex") {
    const message = "takes too long to check: make it simpler or shorter";
    throw new DomainError("CLICK_CONTENT_INVALID", { details: [{ field: "content", code: "TOO_COMPLEX", message }] });
  }
  const { valid, errors } = outcome.report;
  if (valid) return;
  throw new DomainError("CLICK_CONTENT_INVALID", { details: limitFindings(errors, maxDetails).map(toProblem) });
}

function toProblem({ path, code, line, column, message, length }: ContentFinding): FieldProblem {
  return { field: path, code, message: length === 0 ? message : `Line ${line}, column ${column}: ${message}` };
}
