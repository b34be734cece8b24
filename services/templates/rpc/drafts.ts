import { recordsOf } from "#api/records.ts";
import { PutVersionDraftRequestSchema, ContentFormat as WireFormat } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import { authorsOfDraft, withAuthor } from "../domain/approval.ts";
import { contentHash } from "../domain/content.ts";
import { requireActive } from "../domain/template.ts";
import {
  changedTexts,
  type DraftText,
  draftTextOf,
  requireUnchanged,
  type Version,
  type VersionDraft,
} from "../domain/version.ts";
import { draftChanged } from "../events.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { addDraft, deleteDraft, findDraft } from "../store/version-store.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { requireFile } from "./files.ts";
import { draftMessage } from "./messages.ts";
import { findNamedVersion, lockNamedVersion } from "./named-version.ts";
import { requireUnscheduled } from "./schedule.ts";
import { parseText, parseTime } from "./update-version.ts";

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
