import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  ContentFormat,
  CounterpartySchema,
  DraftNoteSchema,
  RevisionSchema,
  ScheduleSchema,
  TemplateSchema,
  TemplateStatus,
  TemplateType,
  VersionDraftSchema,
  VersionSchema,
  VersionStatus,
  type VersionTextsSchema,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { VersionTexts } from "../domain/content.ts";
import { type Deployment, servesVersion } from "../domain/deployment.ts";
import { type Counterparty, type Template, templateStatus } from "../domain/template.ts";
import type {
  DraftOutline,
  PublishedVersion,
  Revision,
  ScheduledPublication,
  Version,
  VersionDraft,
} from "../domain/version.ts";
import { deploymentMessage } from "./deployments.ts";

export type TemplateInit = MessageInitShape<typeof TemplateSchema>;
export type VersionInit = MessageInitShape<typeof VersionSchema>;

/** What requests say: undefined when they do not, and for what a later contract says. */
export const templateTypeOf = nameReader(TemplateType);
export const templateStatusOf = nameReader(TemplateStatus);
export const contentFormatOf = nameReader(ContentFormat);

const templates = recordsOf(TemplateSchema, { type: TemplateType, status: TemplateStatus });

export interface TemplateParts {
  /** Those of this template, at least; others are ignored. */
  readonly published: readonly PublishedVersion[];
  readonly versions?: readonly VersionInit[];
  /** How many active deployments templates have; those without any are absent. */
  readonly activeDeployments?: ReadonlyMap<string, number>;
  /** When the next version of templates goes live; those of which none is to are absent. */
  readonly nextPublications?: ReadonlyMap<string, Date>;
}

export function templateMessage(template: Template, parts: TemplateParts): TemplateInit {
  const published = parts.published.filter((version) => version.templateId === template.id);
  const status = templateStatus({ archived: template.archivedAt !== null, publishedVersions: published.length });
  return templates.write({
    ...template,
    status,
    policyFlags: { ...template.policyFlags, verificationMethods: [...template.policyFlags.verificationMethods] },
    counterparty: counterpartyMessage(template.counterparty),
    currentVersions: published.map(({ id: versionId, locale, revision, label }) => ({
      ...{ locale, versionId, revision, label: label ?? "" },
    })),
    activeDeploymentCount: parts.activeDeployments?.get(template.id) ?? 0,
    versions: parts.versions,
    nextPublicationAt: parts.nextPublications?.get(template.id),
  });
}

export interface VersionParts {
  /** Those of this version, at least; others are ignored. */
  readonly revisions: readonly Revision[];
  readonly template?: TemplateInit | undefined;
  /** Those of its template, at least; those that do not serve it are ignored. */
  readonly deployments?: readonly Deployment[] | undefined;
  /** That of this version, if it has one; others are ignored. */
  readonly drafts?: readonly DraftOutline[];
  /** See drafts. */
  readonly schedules?: readonly ScheduledPublication[];
}

const versions = recordsOf(VersionSchema, { format: ContentFormat, status: VersionStatus });
const drafts = recordsOf(VersionDraftSchema, { format: ContentFormat });
const notes = recordsOf(DraftNoteSchema);
const plans = recordsOf(ScheduleSchema);
const revisions = recordsOf(RevisionSchema);
const counterparties = recordsOf(CounterpartySchema);
export type DraftInit = MessageInitShape<typeof VersionDraftSchema>;

export const draftMessage = (version: Version, draft: VersionDraft): DraftInit => ({
  ...drafts.write({ ...draft, texts: undefined }),
  ...{ templateId: version.templateId, locale: version.locale },
  texts: textsMessage(draft.texts),
});

export function versionMessage(version: Version, parts: VersionParts): VersionInit {
  const isOwn = ({ versionId }: { readonly versionId: string }) => versionId === version.id;
  const draft = parts.drafts?.find(isOwn);
  const schedule = parts.schedules?.find(isOwn);
  return {
    ...versions.write({ ...version, texts: undefined }),
    texts: textsMessage(version.texts),
    revisions: parts.revisions.filter(isOwn).map(revisions.write),
    template: parts.template,
    draft: draft && notes.write(draft),
    schedule: schedule && plans.write(schedule),
    deployments: (parts.deployments ?? []).filter((d) => servesVersion(d, version)).map(deploymentMessage),
  };
}

export const counterpartyMessage = (
  counterparty: Counterparty | null,
): MessageInitShape<typeof CounterpartySchema> | undefined =>
  counterparty === null ? undefined : counterparties.write(counterparty);

export const textsMessage = (texts: VersionTexts): MessageInitShape<typeof VersionTextsSchema> => ({
  ...texts,
  purposeTexts: { ...texts.purposeTexts },
});
