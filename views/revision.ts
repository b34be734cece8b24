import { ContentFormat, type GetRevisionResponse } from "#gen/assent/templates/v1/templates_pb.ts";
import { enumName, isoTime } from "./scalars.ts";

/** What a version said when it was published, as the REST API shows it. */
export const revisionTextView = (revision: GetRevisionResponse): Record<string, unknown> => ({
  templateId: revision.templateId,
  versionId: revision.versionId,
  revision: revision.revision,
  label: revision.label,
  locale: revision.locale,
  title: revision.title ?? null,
  content: new TextDecoder().decode(revision.content),
  format: enumName(ContentFormat, revision.format)?.toLowerCase() ?? null,
  contentHash: revision.contentHash,
  consentText: revision.texts?.consentText ?? null,
  buttonText: revision.texts?.buttonText ?? null,
  declineText: revision.texts?.declineText ?? null,
  checkboxText: revision.texts?.checkboxText ?? null,
  linkText: revision.texts?.linkText ?? null,
  purposeTexts: revision.texts?.purposeTexts ?? {},
  publishedAt: isoTime(revision.publishedAt),
  publishedBy: revision.publishedBy,
});
