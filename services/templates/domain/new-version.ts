import { contentHash } from "./content.ts";
import type { Version } from "./version.ts";

/** A version as its author asks for it. */
export type NewVersion = Pick<
  Version,
  "locale" | "title" | "content" | "format" | "changeSummary" | "effectiveAt" | "texts"
>;

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
