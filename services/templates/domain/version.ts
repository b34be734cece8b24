import type { RecordOf } from "#api/records.ts";
import { PutVersionDraftRequestSchema, type Version as VersionMessage } from "#gen/assent/templates/v1/templates_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { defined } from "#platform/json-object.ts";
import { type ContentFormat, contentHash, type VersionTexts } from "./content.ts";
import { problem, refuse } from "./problems.ts";
import { characters } from "./text.ts";

export type VersionStatus = "DRAFT" | "PUBLISHED" | "ARCHIVED";

/** What answers put beside a version. */
type Attached = "revisions" | "template" | "validation" | "deployments" | "draft" | "schedule";
type Own = "format" | "texts" | "status" | "createdAt" | "updatedAt";

/** The text of a template in one locale, as its author last left it: what the contract has of it, and who made it. */
export interface Version extends Omit<RecordOf<VersionMessage>, Attached | Own> {
  format: ContentFormat;
  texts: VersionTexts;
  status: VersionStatus;
  /** Who has written what it says: clients, and people as user: and their id. */
  authors: readonly string[];
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** A version without its text, for everything that does not show it. */
export type VersionOutline = Omit<Version, "content" | "authors">;

/** What a template says of a version that is published. */
export type PublishedVersion = Pick<VersionOutline, "id" | "templateId" | "locale" | "revision" | "label">;

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
const maxOpenVersions = 200;

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

/** What follows from the rest, or from what happens to it. */
type Derived =
  | ("id" | "organizationId" | "templateId" | "contentHash" | "status" | "revision" | "label" | "authors")
  | ("publishedAt" | "publishedBy" | "unpublishedAt" | "archivedAt" | "createdBy" | "createdAt" | "updatedAt");

/** A version as its author asks for it. */
export type NewVersion = Omit<Version, Derived>;

/** A version that was never published. */
export const draftVersion = (
  input: NewVersion,
  by: { readonly id: string; readonly templateId: string; readonly clientId: string; readonly now: Date },
): Omit<Version, "organizationId"> => ({
  ...input,
  id: by.id,
  templateId: by.templateId,
  contentHash: contentHash(input.content),
  status: "DRAFT",
  revision: 0,
  label: null,
  publishedAt: null,
  publishedBy: null,
  unpublishedAt: null,
  archivedAt: null,
  authors: [by.clientId],
  createdBy: by.clientId,
  createdAt: by.now,
  updatedAt: by.now,
});

/** A text as its author leaves it beside the one that is live: all of a version but what names it. */
export type DraftText = Omit<NewVersion, "locale">;

/** The next text of a published version. */
export interface VersionDraft extends DraftText {
  organizationId: string;
  versionId: string;
  contentHash: string;
  /** The last revision of the version when the draft was begun. */
  baseRevision: number;
  /** Everybody who has saved it since it was begun. */
  authors: readonly string[];
  createdBy: string;
  createdAt: Date;
  updatedBy: string;
  updatedAt: Date;
}

/** A draft without its text. */
export type DraftOutline = Omit<VersionDraft, "content" | "texts" | "authors">;

/**
 * The publication of a version, or of its draft, at a time. Nothing that it publishes changes while it is scheduled, so
 * that what was checked is what will be published, and what it makes of the version is known.
 */
export interface ScheduledPublication {
  organizationId: string;
  versionId: string;
  templateId: string;
  publishAt: Date;
  requireReacceptance: boolean;
  changeSummary: string | null;
  effectiveAt: Date | null;
  locale: string;
  revision: number;
  label: string;
  contentHash: string;
  scheduledBy: string;
  scheduledAt: Date;
}

/** What a request for a draft has beside the text. */
const besideText: ReadonlySet<string> = new Set(["templateId", "versionId", "ifUpdatedAt"]);
const textFields = PutVersionDraftRequestSchema.fields
  .map(({ localName }) => localName)
  .filter((name) => !besideText.has(name)) as (keyof DraftText)[];

/** The text of a version or a draft alone. */
export const draftTextOf = (text: DraftText): DraftText =>
  Object.fromEntries(textFields.map((name) => [name, text[name]])) as unknown as DraftText;

/** The fields of a text that say something else than before. */
export const changedTexts = (before: DraftText, after: DraftText): string[] => {
  const was: Readonly<Record<string, unknown>> = { ...before };
  return Object.entries(draftTextOf(after)).flatMap(([field, value]) => (isSame(was[field], value) ? [] : [field]));
};

/** Throws CLICK_VERSION_CONFLICT when what is to be changed is not what was read any more. */
export function requireUnchanged(ifUpdatedAt: Date | null, { updatedAt }: { readonly updatedAt: Date }): void {
  if (ifUpdatedAt !== null && ifUpdatedAt.getTime() !== updatedAt.getTime()) {
    throw new DomainError("CLICK_VERSION_CONFLICT");
  }
}

/** New values of the fields that change; null clears a field that can be empty. */
export interface VersionChanges extends Partial<Omit<NewVersion, "texts">> {
  /** Replaces all texts. */
  texts?: VersionTexts;
  /** Replaces single texts; undefined removes one. */
  singleTexts?: { readonly [Name in keyof VersionTexts]?: VersionTexts[Name] | undefined };
}

type VersionUpdate = Partial<NewVersion & Pick<Version, "contentHash">>;

/**
 * The fields that really get another value; none when everything is as wanted already.
 * Throws CLICK_VERSION_PUBLISHED and CLICK_VERSION_ARCHIVED.
 */
export function changeVersion(version: Version, changes: VersionChanges): VersionUpdate {
  if (version.status === "PUBLISHED") throw new DomainError("CLICK_VERSION_PUBLISHED");
  if (version.status === "ARCHIVED") throw new DomainError("CLICK_VERSION_ARCHIVED");
  const { texts, singleTexts, ...plain } = changes;
  const wanted: VersionUpdate = { ...plain, texts: definedTexts({ ...(texts ?? version.texts), ...singleTexts }) };
  if (wanted.content !== undefined) wanted.contentHash = contentHash(wanted.content);
  const changed = Object.entries(wanted).filter(([field, value]) => !isSame(version[field as keyof Version], value));
  return Object.fromEntries(changed) as VersionUpdate;
}

/** Absent texts are not stored, so that equal texts have equal JSON. */
const definedTexts = (texts: VersionChanges["singleTexts"]): VersionTexts => defined(texts ?? {});

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null);
