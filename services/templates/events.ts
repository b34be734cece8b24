import { isDeepStrictEqual } from "node:util";
import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { Caller } from "#platform/caller.ts";
import { type EventContext, type OutboxRecord, outboxRecord } from "#platform/outbox/outbox.ts";
import type { NextText } from "./domain/approval.ts";
import type { Revision, ScheduledPublication, Version } from "./domain/version.ts";

/** The event of a version that was published: with a new revision, or again with its last one. */
export function versionPublished(
  context: EventContext,
  revision: Pick<Revision, "versionId" | "templateId" | "locale" | "revision" | "label" | "contentHash"> &
    Pick<Revision, "requiresReacceptance">,
): OutboxRecord {
  return outboxRecord(context, "assent.templates.version.published", revision.versionId, {
    versionPublished: {
      templateId: revision.templateId,
      versionId: revision.versionId,
      locale: revision.locale,
      revision: revision.revision,
      label: revision.label,
      contentHash: revision.contentHash,
      requiresReacceptance: revision.requiresReacceptance,
    },
  });
}

/** The event of a version that is no longer published. */
export function versionUnpublished(
  context: EventContext,
  version: Pick<Version, "id" | "templateId" | "locale">,
): OutboxRecord {
  return outboxRecord(context, "assent.templates.version.unpublished", version.id, {
    versionUnpublished: { templateId: version.templateId, versionId: version.id, locale: version.locale },
  });
}

/** What is told twice: to those who follow the texts, and to those who watch over the organization. */
interface ToldTwice extends EventContext {
  readonly caller: Caller;
  readonly auditId: string;
}

/** The events of a publication that was scheduled, or put to another time. */
export function versionScheduled(
  context: ToldTwice,
  { id: versionId, templateId, locale }: Pick<Version, "id" | "templateId" | "locale">,
  {
    publishAt,
    contentHash,
    requireReacceptance,
  }: Pick<ScheduledPublication, "publishAt" | "contentHash"> & Pick<ScheduledPublication, "requireReacceptance">,
  previous: Date | null,
): OutboxRecord[] {
  const told = {
    ...{ templateId, versionId, locale, contentHash, requiresReacceptance: requireReacceptance },
    publishAt: publishAt.toISOString(),
    ...(previous === null ? {} : { previousPublishAt: previous.toISOString() }),
  };
  return [
    outboxRecord(context, "assent.templates.version.scheduled", versionId, { versionScheduled: told }),
    publicationAudited(context, "publication.scheduled", versionId, publishAt),
  ];
}

/** The events of a scheduled publication that does not come. */
export const versionUnscheduled = (
  context: ToldTwice,
  { versionId, templateId, locale, publishAt }: ScheduledPublication,
): OutboxRecord[] => [
  outboxRecord(context, "assent.templates.version.unscheduled", versionId, {
    versionUnscheduled: { templateId, versionId, locale, publishAt: publishAt.toISOString() },
  }),
  publicationAudited(context, "publication.cancelled", versionId, publishAt),
];

const publicationAudited = (
  { auditId, ...context }: ToldTwice,
  action: "publication.scheduled" | "publication.cancelled",
  targetId: string,
  publishAt: Date,
): OutboxRecord =>
  auditRecord(
    { ...context, eventId: auditId },
    { action, actor: auditActor(context.caller), targetId, changes: { publishAt: publishAt.toISOString() } },
  );

const approvalVerbs = { requested: "requested", approved: "granted", refused: "refused" } as const;

interface ApprovalTelling {
  readonly what: keyof typeof approvalVerbs;
  readonly version: Pick<Version, "id" | "templateId" | "locale">;
  readonly text: NextText;
  readonly comment: string | null;
}

/** The events of an approval that was asked for, given or refused. */
export function approvalTold(context: ToldTwice, { what, version, text, comment }: ApprovalTelling): OutboxRecord[] {
  const { auditId, ...told } = context;
  const { id: versionId, templateId, locale } = version;
  const payload = {
    ...{ templateId, versionId, locale, contentHash: text.contentHash, textHash: text.hash },
    ...{ by: context.caller.clientId, comment: comment ?? "" },
  };
  const payloads = {
    requested: { approvalRequested: payload },
    approved: { approvalGranted: payload },
    refused: { approvalRefused: payload },
  } as const;
  const audited = {
    ...{ actor: auditActor(context.caller), targetId: versionId },
    action: `approval.${approvalVerbs[what]}` as const,
    changes: { textHash: text.hash, ...(what === "refused" ? { reason: comment ?? "" } : {}) },
  };
  return [
    outboxRecord(told, `assent.templates.approval.${approvalVerbs[what]}`, versionId, payloads[what]),
    auditRecord({ ...told, eventId: auditId }, audited),
  ];
}

/** Tells those who watch over the organization that a person has changed what published texts are shown with. */
export const settingsChanged = (
  context: EventContext & { readonly caller: Caller },
  templateId: string,
  fields: readonly string[],
): OutboxRecord =>
  auditRecord(context, {
    ...{ action: "template.settings-changed", actor: auditActor(context.caller), targetId: templateId },
    changes: Object.fromEntries(fields.map((field) => [field, ""])),
  });

/** Tells those who watch over the organization that every text now needs a second person, or none does any more. */
export const publicationRulesChanged = (
  context: EventContext & { readonly caller: Caller },
  organizationId: string,
  changes: { readonly fourEyes: boolean },
): OutboxRecord =>
  auditRecord(context, {
    ...{ action: "publication-rules.changed", actor: auditActor(context.caller), targetId: organizationId },
    changes,
  });

/** The event of a version that was archived. */
export function versionArchived(
  context: EventContext,
  version: Pick<Version, "id" | "templateId" | "locale">,
): OutboxRecord {
  return outboxRecord(context, "assent.templates.version.archived", version.id, {
    versionArchived: { templateId: version.templateId, versionId: version.id, locale: version.locale },
  });
}

/** The event of a template that was archived. */
export const templateArchived = (context: EventContext, templateId: string): OutboxRecord =>
  outboxRecord(context, "assent.templates.template.archived", templateId, { templateArchived: { templateId } });

/** The event of a template that came back from the archive. */
export const templateRestored = (context: EventContext, templateId: string): OutboxRecord =>
  outboxRecord(context, "assent.templates.template.restored", templateId, { templateRestored: { templateId } });

/** The event of a template that was deleted. */
export const templateRemoved = (context: EventContext, templateId: string): OutboxRecord =>
  outboxRecord(context, "assent.templates.template.removed", templateId, { templateRemoved: { templateId } });

/** Tells those who watch over the organization that the rules of a template have changed; nothing when none has. */
export function policyChanged(
  context: EventContext & { readonly caller: Caller },
  templateId: string,
  { before, after }: { readonly before: object; readonly after: object },
): OutboxRecord[] {
  const was: Readonly<Record<string, unknown>> = { ...before };
  const changed = Object.entries(after).filter(([flag, value]) => !isDeepStrictEqual(value, was[flag]));
  if (changed.length === 0) return [];
  const audited = {
    action: "template.policy-changed",
    actor: auditActor(context.caller),
    targetId: templateId,
  } as const;
  return [auditRecord(context, { ...audited, changes: Object.fromEntries(changed) })];
}

/** Tells those who watch over the organization who works on its next texts: of what was written only which fields. */
export const draftChanged = (
  context: EventContext & { readonly caller: Caller },
  action: "draft.saved" | "draft.discarded",
  versionId: string,
  fields: readonly string[] = [],
): OutboxRecord =>
  auditRecord(context, {
    action,
    actor: auditActor(context.caller),
    targetId: versionId,
    changes: Object.fromEntries(fields.map((field) => [field, ""])),
  });
