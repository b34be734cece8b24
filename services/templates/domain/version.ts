import type { RecordOf } from "#api/records.ts";
import type { Version as VersionMessage } from "#gen/assent/templates/v1/templates_pb.ts";
import type { FieldProblem } from "#platform/errors.ts";
import type { ContentFormat, VersionTexts } from "./content.ts";
import { problem, refuse } from "./problems.ts";
import { characters } from "./text.ts";

export type VersionStatus = "DRAFT" | "PUBLISHED" | "ARCHIVED";

/** What answers put beside a version. */
type Attached = "revisions" | "template" | "validation" | "deployments";
type Own = "format" | "texts" | "status" | "createdAt" | "updatedAt";

/** The text of a template in one locale, as its author last left it: what the contract has of it, and who made it. */
export interface Version extends Omit<RecordOf<VersionMessage>, Attached | Own> {
  format: ContentFormat;
  texts: VersionTexts;
  status: VersionStatus;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** A version without its text, for everything that does not show it. */
export type VersionOutline = Omit<Version, "content">;

/** One publication of a version whose material was new. Never changes. */
export interface Revision {
  organizationId: string;
  versionId: string;
  revision: number;
  templateId: string;
  label: string;
  locale: string;
  title: string | null;
  format: ContentFormat;
  contentHash: string;
  texts: VersionTexts;
  /** Tells whether a later publication shows anything new. */
  materialHash: string;
  requiresReacceptance: boolean;
  changeSummary: string | null;
  effectiveAt: Date | null;
  publishedAt: Date;
  publishedBy: string;
}

/** Every acceptance learns all published versions of its template, so their number has a bound. */
export const maxOpenVersions = 200;

/** Throws CLICK_VALIDATION_FAILED when the template has so many versions that are not archived. */
export function requireRoom(openVersions: number): void {
  if (openVersions < maxOpenVersions) return;
  const message = `must not be one more: a template has at most ${maxOpenVersions} versions that are not archived`;
  refuse([problem("locale", "TOO_MANY_VERSIONS", message)]);
}

const maxPurposes = 20;
const maxPurposeText = 2000;
const purposeKeyPattern = /^[a-z][a-z0-9_]{0,63}$/;

/** What is wrong with the texts of purposes. */
export function purposeTextProblems(texts: Readonly<Record<string, string>>): FieldProblem[] {
  const entries = Object.entries(texts);
  if (entries.length > maxPurposes) {
    return [problem("purposeTexts", "TOO_MANY_KEYS", `must have at most ${maxPurposes} purposes`)];
  }
  return entries.flatMap(([key, text]) => {
    if (!purposeKeyPattern.test(key)) {
      return [problem("purposeTexts", "INVALID_KEY", "must have keys of lower-case letters, digits and underscores")];
    }
    if (characters(text) <= maxPurposeText) return [];
    return [problem(`purposeTexts.${key}`, "TOO_LONG", `must have at most ${maxPurposeText} characters`)];
  });
}
