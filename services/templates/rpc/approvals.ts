import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { recordsOf } from "#api/records.ts";
import { ApprovalSchema, ApprovalStatus, PublicationRulesSchema } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { cursorOf, readCursor } from "#platform/cursor.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutboxEm } from "#platform/outbox/outbox.ts";
import {
  type Approval,
  bringsOtherWords,
  decides,
  isPerson,
  type NextText,
  nextTextOf,
  nothingToPublish,
  type PublicationRules,
  standingOf,
} from "../domain/approval.ts";
import { refuse } from "../domain/problems.ts";
import { requireActive } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import type { Version, VersionDraft } from "../domain/version.ts";
import { approvalTold, publicationRulesChanged } from "../events.ts";
import { addApproval, addRules, findApproval, findRules, listWaiting, lockRules } from "../store/approval-store.ts";
import { inOrganization, schema } from "../store/orm.ts";
import { lockTemplates } from "../store/template-store.ts";
import { findDraft, listSchedulesToCome, lockVersion } from "../store/version-store.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { findNamedVersion, lockNamedVersion } from "./named-version.ts";
import { cancelSchedules, requireUnscheduled } from "./schedule.ts";

type Deps = Pick<TemplatesDeps, "orm" | "clock" | "newId" | "wakeRelay">;

export const getVersionApproval = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"getVersionApproval"> => ({
  async getVersionApproval(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { version } = await findNamedVersion(tenant, request);
      const approval = await findApproval(tenant, version.id);
      return { approval: await describe(tenant, approval, await nextText(tenant, version)) };
    });
  },
});

export const requestVersionApproval = (deps: Deps): TemplatesRpcs<"requestVersionApproval"> => ({
  async requestVersionApproval(request, context) {
    const caller = requireCaller(context);
    const { note = null, textHash } = request;
    refuse(unstorableTexts("", { note }));
    return change(deps, caller, request, async (opened) => {
      const { tenant, version, text, approval, now } = opened;
      if (text === null) throw new DomainError("CLICK_DRAFT_NOT_FOUND", nothingToPublish);
      if (textHash !== undefined && textHash !== text.hash) throw new DomainError("CLICK_VERSION_CONFLICT");
      const standing = standingOf(approval, text);
      const isSame = standing === "REQUESTED" && approval?.requestedBy === caller.clientId && approval.note === note;
      if (approval !== null && (isSame || standing === "APPROVED")) return approval;
      const asked = {
        ...{ textHash: text.hash, savedAt: text.savedAt, status: "REQUESTED" as const, note },
        ...{ requestedBy: caller.clientId, requestedAt: now, decidedBy: null, decidedAt: null, reason: null },
      };
      await tell(deps, caller, opened, text, { what: "requested", comment: note });
      if (approval !== null) return Object.assign(approval, asked);
      return addApproval(tenant, { versionId: version.id, templateId: version.templateId, ...asked });
    });
  },
});

export const decideVersionApproval = (deps: Deps): TemplatesRpcs<"decideVersionApproval"> => ({
  async decideVersionApproval(request, context) {
    const caller = requireCaller(context);
    const { textHash, approved, reason = null } = request;
    refuse(unstorableTexts("", { reason }));
    return change(deps, caller, request, async (opened) => {
      const { tenant, version, text, approval, now } = opened;
      if (!decides(approval, text, { by: caller.clientId, textHash, approved, reason }) || text === null) {
        return approval;
      }
      // What is scheduled was approved; whoever has second thoughts calls the publication off first.
      if (!approved) await requireUnscheduled(tenant, version.id);
      await tell(deps, caller, opened, text, { what: approved ? "approved" : "refused", comment: reason });
      const status = approved ? "APPROVED" : "REFUSED";
      return Object.assign(approval, { status, decidedBy: caller.clientId, decidedAt: now, reason } as const);
    });
  },
});

const maxLimit = 200;

export const listApprovalRequests = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"listApprovalRequests"> => ({
  async listApprovalRequests(request, context) {
    const { orgId } = requireCaller(context);
    const after = readCursor(request.cursor, "CLICK_VALIDATION_FAILED");
    const limit = request.limit === 0 ? maxLimit : request.limit;
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const waiting = await listWaiting(tenant, after, limit + 1);
      const page = waiting.slice(0, limit);
      const last = page.at(-1);
      const requests = page.map(({ requestedAt, note, authors, ...one }) => ({
        ...{ ...one, authors: [...authors], requestedAt: timestampFromDate(requestedAt), note: note ?? undefined },
      }));
      const isLast = waiting.length <= limit || last === undefined;
      return { requests, nextCursor: isLast ? "" : cursorOf({ at: last.requestedAt, id: last.versionId }) };
    });
  },
});

export const getPublicationRules = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"getPublicationRules"> => ({
  async getPublicationRules(_request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => ({ rules: rulesMessage(await findRules(tenant)) }));
  },
});

export const setPublicationRules = (deps: Deps): TemplatesRpcs<"setPublicationRules"> => ({
  async setPublicationRules({ fourEyes }, context) {
    const caller = requireCaller(context);
    if (!isPerson(caller.clientId)) throw new DomainError("CLICK_APPROVAL_NOT_ALLOWED", byProgram);
    const response = await inOrganization(caller.orgId, deps.orm, async (tenant) => {
      const before = await lockRules(tenant);
      if ((before?.fourEyes ?? false) === fourEyes) return { rules: rulesMessage(before) };
      const now = deps.clock.now();
      const set = { fourEyes, updatedBy: caller.clientId, updatedAt: now };
      const rules = before === null ? addRules(tenant, set) : Object.assign(before, set);
      const told = publicationRulesChanged({ caller, eventId: deps.newId(), now }, caller.orgId, { fourEyes });
      await insertOutboxEm(tenant.em, schema, [told]);
      if (fourEyes) await callOffUnapproved(deps, caller, tenant, now);
      return { rules: rulesMessage(rules) };
    });
    deps.wakeRelay();
    return response;
  },
});

const byProgram = { message: "Only a signed-in owner can change the publication rules." };

/** A text that its author alone has scheduled never goes out; what was due before is live already. */
async function callOffUnapproved(deps: Deps, caller: Caller, tenant: OrmTenant, now: Date): Promise<void> {
  const templateIds = (await listSchedulesToCome(tenant, now)).map(({ templateId }) => templateId);
  // Nobody schedules meanwhile, but somebody may cancel.
  const templates = new Set((await lockTemplates(tenant, [...new Set(templateIds)])).map(({ id }) => id));
  for (const wishes of await listSchedulesToCome(tenant, now)) {
    const { versionId, templateId } = wishes;
    const version = templates.has(templateId) ? await lockVersion(tenant, { templateId, id: versionId }) : null;
    if (version === null) continue;
    const draft = await draftOf(tenant, version);
    const standing = standingOf(await findApproval(tenant, versionId), nextTextOf(version, draft));
    const isApproved = standing === "APPROVED" && !bringsOtherWords(draft ?? version, wishes);
    if (!isApproved) await cancelSchedules({ deps, caller, tenant, now }, [version]);
  }
}

interface Opened {
  readonly tenant: OrmTenant;
  readonly version: Version;
  readonly text: NextText | null;
  readonly approval: Approval | null;
  readonly now: Date;
}

/** Who holds the version has its text and its approval to themselves: an approval and an edit come one after the other. */
async function change(
  deps: Deps,
  { orgId }: Caller,
  name: { readonly templateId: string; readonly versionId: string },
  work: (opened: Opened) => Promise<Approval | null>,
): Promise<{ approval: MessageInitShape<typeof ApprovalSchema> }> {
  const response = await inOrganization(orgId, deps.orm, async (tenant) => {
    const { template, version } = await lockNamedVersion(tenant, name);
    requireActive(template);
    if (version.status === "ARCHIVED") throw new DomainError("CLICK_VERSION_ARCHIVED");
    const text = await nextText(tenant, version);
    const approval = await findApproval(tenant, version.id);
    const changed = await work({ tenant, version, text, approval, now: deps.clock.now() });
    return { approval: await describe(tenant, changed, text) };
  });
  deps.wakeRelay();
  return response;
}

const draftOf = async (tenant: OrmTenant, { id, status }: Version): Promise<VersionDraft | null> =>
  status === "PUBLISHED" ? findDraft(tenant, id) : null;

const nextText = async (tenant: OrmTenant, version: Version): Promise<NextText | null> =>
  nextTextOf(version, await draftOf(tenant, version));

type Telling = Pick<Parameters<typeof approvalTold>[1], "what" | "comment">;

async function tell(deps: Deps, caller: Caller, { tenant, version, now }: Opened, text: NextText, telling: Telling) {
  const context = { caller, eventId: deps.newId(), auditId: deps.newId(), now };
  await insertOutboxEm(tenant.em, schema, approvalTold(context, { version, text, ...telling }));
}

const approvals = recordsOf(ApprovalSchema, { status: ApprovalStatus });
const publicationRules = recordsOf(PublicationRulesSchema, {});

async function describe(
  tenant: OrmTenant,
  approval: Approval | null,
  text: NextText | null,
): Promise<MessageInitShape<typeof ApprovalSchema>> {
  return approvals.write({
    ...approval,
    required: (await findRules(tenant))?.fourEyes ?? false,
    status: standingOf(approval, text),
    textHash: text?.hash,
    authors: [...(text?.authors ?? [])],
  });
}

const rulesMessage = (rules: PublicationRules | null) => publicationRules.write(rules ?? { fourEyes: false });
