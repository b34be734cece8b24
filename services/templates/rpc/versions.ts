import { recordsOf } from "#api/records.ts";
import { PutVersionDraftRequestSchema, ContentFormat as WireFormat } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { authorsOfDraft, withAuthor } from "../domain/approval.ts";
import { contentHash } from "../domain/content.ts";
import { type Deployment, servesVersion } from "../domain/deployment.ts";
import { invalid, problem } from "../domain/problems.ts";
import { decideArchive } from "../domain/publication.ts";
import { requireActive } from "../domain/template.ts";
import {
  changedTexts,
  type DraftText,
  draftTextOf,
  draftVersion,
  requireRoom,
  requireUnchanged,
  type Version,
  type VersionDraft,
} from "../domain/version.ts";
import { draftChanged, versionArchived, versionUnpublished } from "../events.ts";
import { deleteApproval } from "../store/approval-store.ts";
import { isServedByActiveDeployment, listActiveDeployments } from "../store/deployment-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { findTemplate, holdTemplate, lockTemplate } from "../store/template-store.ts";
import {
  addDraft,
  addVersion,
  countOpenVersions,
  deleteDraft,
  findDraft,
  listVersions as findVersions,
  isLocaleTaken,
} from "../store/version-store.ts";
import { parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";
import { requireFile } from "./files.ts";
import { draftMessage, versionMessage } from "./messages.ts";
import { findNamedVersion, lockNamedVersion } from "./named-version.ts";
import { cancelSchedules, requireUnscheduled } from "./schedule.ts";
import { parseNewVersion, parseText, parseTime } from "./update-version.ts";
import { describeTemplates, describeVersions } from "./views.ts";

export const createVersion = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId">,
): TemplatesRpcs<"createVersion"> => ({
  async createVersion(request, context) {
    const { orgId, clientId } = requireCaller(context);
    const input = parseNewVersion(request);
    const templateId = parseTemplateId(request.templateId);
    const work = inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await holdTemplate(tenant, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      requireActive(template);
      requireRoom(await countOpenVersions(tenant, templateId));
      await requireFile(tenant, templateId, input);
      const by = { id: deps.newId(), templateId, clientId, now: deps.clock.now() };
      return addVersion(tenant, draftVersion(input, by));
    });
    const version = await work.catch((error: unknown) => {
      throw isLocaleTaken(error) ? new DomainError("CLICK_VERSION_LOCALE_EXISTS", { cause: error }) : error;
    });
    return { version: versionMessage(version, { revisions: [] }) };
  },
});

export const getVersion = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"getVersion"> => ({
  async getVersion(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { template, version } = await findNamedVersion(tenant, request);
      const [embedded] = request.includeTemplate
        ? await describeTemplates(tenant, [template], { includeVersions: false })
        : [];
      const deployments = request.includeDeployments ? await listActiveDeployments(tenant, template.id) : [];
      const [message] = await describeVersions(tenant, [version], embedded, deployments);
      return { version: message };
    });
  },
});

export const listVersions = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"listVersions"> => ({
  async listVersions(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    const { includeTemplate, includeDeployments, publishedOnly } = request;
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await findTemplate(tenant, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const versions = await findVersions(tenant, { templateIds: [templateId], publishedOnly });
      const [embedded] = includeTemplate ? await describeTemplates(tenant, [template], { includeVersions: false }) : [];
      const deployments = includeDeployments ? await listActiveDeployments(tenant, templateId) : [];
      requireFit(versions, deployments);
      return { versions: await describeVersions(tenant, versions, embedded, deployments) };
    });
  },
});

/** Half of a gRPC message; the rest is for the versions themselves. */
const maxDeploymentBytes = 2_097_152;

/** One deployment is in the answer as often as it serves versions. Throws CLICK_VALIDATION_FAILED. */
function requireFit(versions: readonly Version[], deployments: readonly Deployment[]): void {
  const bytes = deployments.map((deployment) => {
    const served = versions.filter((version) => servesVersion(deployment, version));
    return served.length * Buffer.byteLength(JSON.stringify(deployment));
  });
  if (bytes.reduce((sum, size) => sum + size, 0) <= maxDeploymentBytes) return;
  const message = "would make the answer too large: read the versions one by one";
  throw invalid(problem("includeDeployments", "TOO_LARGE", message));
}

export const archiveVersion = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">,
): TemplatesRpcs<"archiveVersion"> => ({
  async archiveVersion(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const response = await inOrganization(orgId, deps.orm, async (tenant) => {
      const { template, version } = await lockNamedVersion(tenant, request, lockTemplate);
      if (decideArchive(version)) {
        if (await isServedByActiveDeployment(tenant, version)) {
          throw new DomainError("CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS");
        }
        const now = deps.clock.now();
        const events = version.status === "PUBLISHED" ? [versionUnpublished, versionArchived] : [versionArchived];
        const records = events.map((event) => event({ caller, eventId: deps.newId(), now }, version));
        await insertOutboxEm(tenant.em, schema, records);
        if (version.status === "PUBLISHED") template.updatedAt = now;
        await cancelSchedules({ deps, caller, tenant, now }, [version]);
        await deleteDraft(tenant, version.id);
        await deleteApproval(tenant, version.id);
        archive(version, now);
      }
      const [message] = await describeVersions(tenant, [version]);
      return { version: message };
    });
    deps.wakeRelay();
    return response;
  },
});

function archive(version: Version, now: Date): void {
  const unpublishedAt = version.status === "PUBLISHED" ? now : version.unpublishedAt;
  const update: Partial<Version> = { status: "ARCHIVED", archivedAt: now, unpublishedAt, updatedAt: now };
  Object.assign(version, update);
}

type Deps = Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">;

/** What every request about a draft names. */
interface Name {
  readonly templateId: string;
  readonly versionId: string;
}

export const getVersionDraft = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"getVersionDraft"> => ({
  async getVersionDraft(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { version } = await findNamedVersion(tenant, request);
      const draft = await findDraft(tenant, version.id);
      if (draft === null) throw new DomainError("CLICK_DRAFT_NOT_FOUND");
      return { draft: draftMessage(version, draft) };
    });
  },
});

export const putVersionDraft = (deps: Deps): TemplatesRpcs<"putVersionDraft"> => ({
  async putVersionDraft(request, context) {
    const caller = requireCaller(context);
    const { templateId: _, versionId: __, ifUpdatedAt: ___, ...given } = written.read(request);
    const text = parseText({ ...given, format: given.format ?? "HTML" }, request.texts);
    const ifUpdatedAt = parseTime("ifUpdatedAt", request.ifUpdatedAt);
    const response = await openVersion(deps, caller, request, async ({ tenant, version }) => {
      if (version.status === "ARCHIVED") throw new DomainError("CLICK_VERSION_ARCHIVED");
      const draft = await findDraft(tenant, version.id);
      // Who tries again, not knowing whether it was stored, is told that it was.
      if (draft !== null && changedTexts(draft, text).length === 0) return { draft: draftMessage(version, draft) };
      await requireUnscheduled(tenant, version.id);
      requireUnchanged(ifUpdatedAt, draft ?? version);
      if (version.status !== "PUBLISHED") throw new DomainError("CLICK_VERSION_NOT_PUBLISHED", unpublished);
      await requireFile(tenant, version.templateId, text);
      const now = after((draft ?? version).updatedAt, deps.clock.now());
      const changes = changedTexts(draft ?? version, text);
      const event = draftChanged({ caller, eventId: deps.newId(), now }, "draft.saved", version.id, changes);
      await insertOutboxEm(tenant.em, schema, [event]);
      return { draft: draftMessage(version, save(tenant, { version, draft, text, by: caller.clientId, now })) };
    });
    deps.wakeRelay();
    return response;
  },
});

/** Two saves never have one time, so that nobody mistakes the other's for their own. */
const after = (last: Date, now: Date): Date => (now > last ? now : new Date(last.getTime() + 1));

const written = recordsOf(PutVersionDraftRequestSchema, { format: WireFormat });

const unpublished = { message: "The version isn't published. Change the version itself." };

export const deleteVersionDraft = (deps: Deps): TemplatesRpcs<"deleteVersionDraft"> => ({
  async deleteVersionDraft(request, context) {
    const caller = requireCaller(context);
    const ifUpdatedAt = parseTime("ifUpdatedAt", request.ifUpdatedAt);
    await openVersion(deps, caller, request, async ({ tenant, version }) => {
      const draft = await findDraft(tenant, version.id);
      if (draft === null) throw new DomainError("CLICK_DRAFT_NOT_FOUND");
      await requireUnscheduled(tenant, version.id);
      requireUnchanged(ifUpdatedAt, draft);
      await deleteDraft(tenant, version.id);
      const context = { caller, eventId: deps.newId(), now: deps.clock.now() };
      await insertOutboxEm(tenant.em, schema, [draftChanged(context, "draft.discarded", version.id)]);
    });
    deps.wakeRelay();
    return {};
  },
});

interface Opened {
  readonly tenant: OrmTenant;
  readonly version: Version;
}

/** Who holds the version has its draft to themselves. */
function openVersion<T>(
  { orm }: Deps,
  { orgId }: Caller,
  name: Name,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  return inOrganization(orgId, orm, async (tenant) => {
    const { template, version } = await lockNamedVersion(tenant, name);
    requireActive(template);
    return work({ tenant, version });
  });
}

interface Saving {
  readonly version: Version;
  readonly draft: VersionDraft | null;
  readonly text: DraftText;
  readonly by: string;
  readonly now: Date;
}

function save(tenant: OrmTenant, { version, draft, text, by, now }: Saving): VersionDraft {
  const authors = withAuthor(draft === null ? [] : authorsOfDraft(draft), by);
  const stored = {
    ...draftTextOf(text),
    contentHash: contentHash(text.content),
    authors,
    updatedBy: by,
    updatedAt: now,
  };
  if (draft !== null) return Object.assign(draft, stored);
  const begun = { versionId: version.id, baseRevision: version.revision, createdBy: by, createdAt: now };
  return addDraft(tenant, { ...begun, ...stored });
}
