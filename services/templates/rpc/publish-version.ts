import type { PublishVersionRequest } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import type { ContentChecker } from "../content-check/content-checker.ts";
import { authorsOfDraft, nextTextOf, requireApproved } from "../domain/approval.ts";
import { contentBytes, materialHash } from "../domain/content.ts";
import {
  type ContentFinding,
  type ContentSubject,
  limitFindings,
  type Publication,
} from "../domain/content-rules/report.ts";
import { problem, refuse } from "../domain/problems.ts";
import { decidePublish, decideUnpublish, type PublishDecision } from "../domain/publication.ts";
import { requireActive, type Template } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import {
  draftTextOf,
  type Revision,
  requireUnchanged,
  type ScheduledPublication,
  type Version,
  type VersionDraft,
} from "../domain/version.ts";
import { versionPublished, versionUnpublished } from "../events.ts";
import { deleteApproval, findApproval, holdFourEyes } from "../store/approval-store.ts";
import { isLastServedByActiveDeployment } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { findTemplate, lockTemplate } from "../store/template-store.ts";
import { deleteDraft, deleteSchedules, findDraft, findVersion, type VersionName } from "../store/version-store.ts";
import { parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";
import { addRevision, findRevision } from "./get-revision.ts";
import { lockNamedVersion } from "./named-version.ts";
import { cancelSchedules, requireToCome, schedulePublication } from "./schedule.ts";
import { parseTime } from "./update-version.ts";
import { describeVersions } from "./views.ts";

type Deps = Pick<TemplatesDeps, "orm" | "checker" | "clock" | "newId" | "wakeRelay" | "wakePublisher">;

export const publishVersion = (deps: Deps): TemplatesRpcs<"publishVersion"> => ({
  async publishVersion(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const order = parseOrder(request);
    const templateId = parseTemplateId(request.templateId);
    if (request.published) await checkBeforehand(deps, orgId, { templateId, id: request.versionId });
    const response = await inOrganization(orgId, deps.orm, async (tenant) => {
      const fourEyes = request.published && (await holdFourEyes(tenant));
      const { template, version } = await lockNamedVersion(tenant, request, lockTemplate);
      requireActive(template);
      const job: Job = { deps, caller, tenant, template, version, now: deps.clock.now(), fourEyes };
      if (!request.published) await unpublish(job);
      else if (order.publishAt === null) await publish(job, order);
      else await schedule(job, { ...order, publishAt: order.publishAt });
      const [message] = await describeVersions(tenant, [version]);
      return { version: message };
    });
    deps.wakeRelay();
    if (order.publishAt !== null) deps.wakePublisher();
    return response;
  },
});

/** The publication of one version, which is locked, as its template is. */
export interface Job {
  readonly deps: Pick<TemplatesDeps, "checker" | "newId">;
  readonly caller: Caller;
  readonly tenant: OrmTenant;
  readonly template: Template;
  readonly version: Version;
  readonly now: Date;
  /** Whether the text needs the approval of a second person; what was scheduled has had it. */
  readonly fourEyes?: boolean;
}

/** What is asked of a publication, whenever it comes. */
export type Wishes = Pick<ScheduledPublication, "requireReacceptance" | "changeSummary" | "effectiveAt">;

interface Order extends Wishes {
  readonly ifUpdatedAt: Date | null;
}

function parseOrder(request: PublishVersionRequest): Order & { readonly publishAt: Date | null } {
  const { changeSummary = null, requireReacceptance } = request;
  refuse(unstorableTexts("changeSummary", changeSummary));
  const publishAt = parseTime("publishAt", request.publishAt);
  if (publishAt !== null && !request.published) {
    refuse([
      problem("publishAt", "NOT_ALLOWED", "cannot be given for what is to be unpublished, which happens at once"),
    ]);
  }
  const times = {
    effectiveAt: parseTime("effectiveAt", request.effectiveAt),
    ifUpdatedAt: parseTime("ifUpdatedAt", request.ifUpdatedAt),
  };
  return { requireReacceptance, changeSummary, publishAt, ...times };
}

/** Checking long content takes time, so it happens before any lock is taken. The report is cached. */
async function checkBeforehand(deps: Deps, orgId: OrgId, name: VersionName): Promise<void> {
  if (!isUuid(name.id)) return;
  const subject = await inOrganization(orgId, deps.orm, async (tenant) => {
    const template = await findTemplate(tenant, name.templateId);
    const version = await findVersion(tenant, name);
    if (template === null || version === null || version.status === "ARCHIVED") return undefined;
    const draft = await draftToPublish(tenant, version);
    if (version.status === "PUBLISHED" && draft === null) return undefined;
    return publicationSubject(template, { ...version, ...draft });
  });
  if (subject !== undefined) await deps.checker.check(subject);
}

/** What is published anew is the draft; a version that is not published says itself what will be. */
const draftToPublish = async (tenant: OrmTenant, { id, status }: Version): Promise<VersionDraft | null> =>
  status === "PUBLISHED" ? findDraft(tenant, id) : null;

/** What a publication would make of a version. */
interface Plan {
  readonly draft: VersionDraft | null;
  /** The version with the text that it would have. */
  readonly next: Version;
  readonly hash: string;
  readonly last: Revision | null;
  readonly decision: PublishDecision;
}

async function plan({ tenant, version }: Job, wishes: Wishes): Promise<Plan> {
  const draft = await draftToPublish(tenant, version);
  const next = { ...version, ...textOf(draft) };
  const hash = materialHash(next);
  const last =
    version.revision > 0 ? await findRevision(tenant, { versionId: version.id, revision: version.revision }) : null;
  const decision = decidePublish(version, {
    hasDraft: draft !== null,
    materialHash: hash,
    lastMaterialHash: last?.materialHash ?? null,
    requireReacceptance: wishes.requireReacceptance,
  });
  return { draft, next, hash, last, decision };
}

const textOf = (draft: VersionDraft | null) =>
  draft === null ? {} : { ...draftTextOf(draft), contentHash: draft.contentHash, authors: authorsOfDraft(draft) };

async function publish(job: Job, order: Order): Promise<void> {
  const { deps, template, version } = job;
  const planned = await plan(job, order);
  requireUnchanged(order.ifUpdatedAt, planned.draft ?? version);
  if (planned.decision.kind === "unchanged") return;
  await cancelSchedules(job, [version]);
  if (!isLive(planned)) {
    await requireSecondPerson(job, order, planned);
    await requirePublishable(deps.checker, publicationSubject(template, planned.next));
  }
  await carryOut(job, order, planned);
}

/** Throws CLICK_APPROVAL_REQUIRED. */
async function requireSecondPerson({ fourEyes, tenant, version }: Job, wishes: Wishes, { draft, next }: Plan) {
  if (fourEyes !== true) return;
  requireApproved(await findApproval(tenant, version.id), nextTextOf(version, draft), next, wishes);
}

/** Whether the draft says what is live already. */
const isLive = ({ draft, decision }: Plan): boolean => draft !== null && decision.kind === "republished";

/** Checks now all that a publication may fail for. */
async function schedule(job: Job, order: Order & { readonly publishAt: Date }): Promise<void> {
  const { deps, template, version } = job;
  const planned = await plan(job, order);
  const { draft, next, decision } = planned;
  // Who tries again, not knowing that it was scheduled, may do so when it has come to pass.
  const isDone = decision.kind === "unchanged" && version.publishedAt?.getTime() === order.publishAt.getTime();
  if (isDone) return;
  requireToCome(order.publishAt, job.now);
  requireUnchanged(order.ifUpdatedAt, draft ?? version);
  if (decision.kind === "unchanged") throw new DomainError("CLICK_DRAFT_NOT_FOUND", nothingNew);
  if (!isLive(planned)) await requireSecondPerson(job, order, planned);
  await requirePublishable(deps.checker, publicationSubject(template, next));
  const { requireReacceptance, changeSummary, effectiveAt, publishAt } = order;
  const { locale, contentHash } = next;
  const { revision, label } = decision;
  await schedulePublication(job, {
    ...{ publishAt, requireReacceptance, changeSummary, effectiveAt },
    ...{ locale, revision, label, contentHash },
  });
}

const nothingNew = { message: "The version is published and has no draft. Save its next text as its draft first." };

/** Publishes a scheduled text as of its time. Everything was checked when it was scheduled. */
export async function publishScheduled(
  job: Omit<Job, "caller" | "now">,
  scheduled: ScheduledPublication,
): Promise<void> {
  const caller = { orgId: job.tenant.orgId, clientId: scheduled.scheduledBy, requestId: "", traceparent: "" };
  const due: Job = { ...job, caller, now: scheduled.publishAt };
  await deleteSchedules(job.tenant, [job.version.id]);
  await carryOut(due, scheduled, await plan(due, scheduled));
}

async function carryOut(job: Job, wishes: Wishes, planned: Plan): Promise<void> {
  const { deps, caller, tenant, template, version, now } = job;
  const { draft, next, hash, last, decision } = planned;
  if (decision.kind === "unchanged") return;
  if (draft !== null) await deleteDraft(tenant, version.id);
  await deleteApproval(tenant, version.id);
  if (isLive(planned)) return;

  Object.assign(version, textOf(draft), {
    status: "PUBLISHED",
    revision: decision.revision,
    label: decision.label,
    changeSummary: wishes.changeSummary ?? next.changeSummary,
    effectiveAt: wishes.effectiveAt ?? next.effectiveAt,
    publishedAt: now,
    publishedBy: caller.clientId,
    unpublishedAt: null,
    updatedAt: now,
  } satisfies Partial<Version>);
  Object.assign(template, { firstPublishedAt: template.firstPublishedAt ?? now, updatedAt: now });
  const revision = decision.kind === "republished" && last !== null ? last : newRevision(version, hash, wishes, job);
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
  await cancelSchedules(job, [version]);
  Object.assign(version, { status: "DRAFT", unpublishedAt: now, updatedAt: now } satisfies Partial<Version>);
  Object.assign(template, { updatedAt: now });
  const event = versionUnpublished({ caller, eventId: deps.newId(), now }, version);
  await insertOutboxEm(tenant.em, schema, [event]);
}

/** What the version says at this moment, kept for ever. */
const newRevision = (version: Version, materialHash: string, wishes: Wishes, job: Job): Revision => ({
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
  requiresReacceptance: wishes.requireReacceptance,
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
