import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { recordsOf } from "#api/records.ts";
import {
  ContentFormat,
  type CounterpartySchema,
  DraftNoteSchema,
  type RevisionSchema,
  ScheduleSchema,
  type TemplateSchema,
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
import { deploymentMessage } from "./deployment-input.ts";
import { wireTemplateStatus, wireType } from "./wire-enums.ts";

export type TemplateInit = MessageInitShape<typeof TemplateSchema>;
export type VersionInit = MessageInitShape<typeof VersionSchema>;

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
  return {
    id: template.id,
    organizationId: template.organizationId,
    name: template.name,
    slug: template.slug,
    type: wireType[template.type],
    status: wireTemplateStatus[status],
    description: template.description ?? undefined,
    defaultLocale: template.defaultLocale,
    typeConfig: template.typeConfig,
    policyFlags: { ...template.policyFlags, verificationMethods: [...template.policyFlags.verificationMethods] },
    counterparty: counterpartyMessage(template.counterparty),
    metadata: template.metadata,
    currentVersions: published.map((version) => ({
      locale: version.locale,
      versionId: version.id,
      revision: version.revision,
      label: version.label ?? "",
    })),
    activeDeploymentCount: parts.activeDeployments?.get(template.id) ?? 0,
    createdBy: template.createdBy,
    createdAt: timestampFromDate(template.createdAt),
    updatedAt: timestampFromDate(template.updatedAt),
    archivedAt: timestamp(template.archivedAt),
    versions: [...(parts.versions ?? [])],
    nextPublicationAt: timestamp(parts.nextPublications?.get(template.id) ?? null),
  };
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
const notes = recordsOf(DraftNoteSchema, {});
const plans = recordsOf(ScheduleSchema, {});
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
    revisions: parts.revisions.filter(isOwn).map(revisionMessage),
    template: parts.template,
    draft: draft && notes.write(draft),
    schedule: schedule && plans.write(schedule),
    deployments: (parts.deployments ?? []).filter((d) => servesVersion(d, version)).map(deploymentMessage),
  };
}

export const counterpartyMessage = (
  counterparty: Counterparty | null,
): MessageInitShape<typeof CounterpartySchema> | undefined =>
  counterparty === null
    ? undefined
    : {
        legalName: counterparty.legalName,
        address: counterparty.address ?? undefined,
        url: counterparty.url ?? undefined,
      };

export const textsMessage = (texts: VersionTexts): MessageInitShape<typeof VersionTextsSchema> => ({
  ...texts,
  purposeTexts: { ...texts.purposeTexts },
});

const revisionMessage = (revision: Revision): MessageInitShape<typeof RevisionSchema> => ({
  revision: revision.revision,
  label: revision.label,
  contentHash: revision.contentHash,
  publishedAt: timestampFromDate(revision.publishedAt),
  requiresReacceptance: revision.requiresReacceptance,
});

const timestamp = (date: Date | null) => (date === null ? undefined : timestampFromDate(date));
