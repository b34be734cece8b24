import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";
import { contentHash, type VersionTexts } from "./content.ts";
import type { NewVersion } from "./new-version.ts";
import type { Version } from "./version.ts";

/** New values of the fields that change; null clears a field that can be empty. */
export interface VersionChanges extends Partial<Omit<NewVersion, "texts">> {
  /** Replaces all texts. */
  texts?: VersionTexts;
  /** Replaces single texts; undefined removes one. */
  singleTexts?: { readonly [Name in keyof VersionTexts]?: VersionTexts[Name] | undefined };
}

export type VersionUpdate = Partial<NewVersion & Pick<Version, "contentHash">>;

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
const definedTexts = (texts: VersionChanges["singleTexts"]): VersionTexts =>
  Object.fromEntries(Object.entries(texts ?? {}).filter(([, text]) => text !== undefined));

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null);
