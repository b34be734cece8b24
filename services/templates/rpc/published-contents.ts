import type { EntityManager } from "@mikro-orm/postgresql";
import type { OrgId } from "#platform/ids.ts";
import type { ContentChecker } from "../content-check/content-checker.ts";
import type { Template } from "../domain/template.ts";
import type { Version } from "../domain/version.ts";
import { listVersions } from "../store/version-store.ts";
import { publicationSubject, requirePublishable } from "./publishable.ts";

/** What decides, besides a content itself, whether it may be published. */
type Terms = Pick<Template, "type" | "typeConfig">;

/** The versions of a template that are published, with their contents. */
export const readPublished = (orgId: OrgId, em: EntityManager, templateId: string): Promise<Version[]> =>
  listVersions(orgId, em, { templateIds: [templateId], publishedOnly: true });

/**
 * Throws CLICK_CONTENT_INVALID when one of these versions could not be published on these terms: a configuration cannot
 * take from what is published what it needs, such as the purposes of a consent or a variable that the text names.
 */
export async function requireStillPublishable(
  checker: ContentChecker,
  terms: Terms,
  versions: readonly Version[],
): Promise<void> {
  for (const version of versions) await requirePublishable(checker, publicationSubject(terms, version));
}

/** Checks the same without an error, so that the reports are remembered when they are asked for with locks held. */
export async function checkAhead(checker: ContentChecker, terms: Terms, versions: readonly Version[]): Promise<void> {
  for (const version of versions) await checker.check(publicationSubject(terms, version));
}
