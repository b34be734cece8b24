import type { DataMakers } from "./event-parts.ts";

type TemplateCase =
  | `version${"Published" | "Unpublished" | "Archived"}`
  | `template${"Archived" | "Restored" | "Removed"}`;

interface ToldVersion {
  readonly versionId: string;
  readonly templateId: string;
  readonly locale: string;
}

const versionOf = ({ versionId: id, templateId, locale }: ToldVersion) => ({ id, templateId, locale });

const templateOf = ({ templateId }: { readonly templateId: string }) => ({ template: { id: templateId } });

/** These events say all there is to say. */
export const templateData: DataMakers<TemplateCase> = {
  versionPublished: (payload) => {
    const { revision, label, contentHash, requiresReacceptance } = payload;
    return { version: { ...versionOf(payload), revision, label, contentHash, requiresReacceptance } };
  },
  versionUnpublished: (payload) => ({ version: versionOf(payload) }),
  versionArchived: (payload) => ({ version: versionOf(payload) }),
  templateArchived: templateOf,
  templateRestored: templateOf,
  templateRemoved: templateOf,
};
