import { isDeepStrictEqual } from "node:util";
import { auditActor, auditRecord } from "#api/audit-record.ts";
import type { Caller } from "#platform/caller.ts";
import { type EventContext, type OutboxRecord, outboxRecord } from "#platform/outbox/outbox.ts";
import type { Revision, Version } from "./domain/version.ts";

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
