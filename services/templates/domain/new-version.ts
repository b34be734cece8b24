import { contentHash } from "./content.ts";
import type { Version } from "./version.ts";

/** What follows from the rest, or from what happens to it. */
type Derived =
  | ("id" | "organizationId" | "templateId" | "contentHash" | "status" | "revision" | "label")
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
  createdBy: by.clientId,
  createdAt: by.now,
  updatedAt: by.now,
});
