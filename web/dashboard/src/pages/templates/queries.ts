import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { VersionApproval } from "#api/approvals.ts";
import type { Deployment, Template, Version, VersionDraft } from "#api/templates.ts";
import { useApi } from "../../api/client.ts";

const all = ["templates"] as const;
const listKey = [...all, "list"] as const;
const templateKey = (id: string) => [...all, "template", id] as const;
const versionsKey = (id: string) => [...templateKey(id), "versions"] as const;
const deploymentsKey = (id: string) => [...templateKey(id), "deployments"] as const;

export const templatePath = (id: string): string => `/v1/click/templates/${encodeURIComponent(id)}`;
export const versionPath = ({ templateId, id }: Pick<Version, "templateId" | "id">): string =>
  `${templatePath(templateId)}/versions/${encodeURIComponent(id)}`;
export const deploymentPath = ({ id }: Pick<Deployment, "id">): string =>
  `/v1/click/deployments/${encodeURIComponent(id)}`;

export interface TemplateFilter {
  readonly search?: string | undefined;
  readonly status?: string | undefined;
}

/** Page by page, the newest first. */
export function useTemplates(filter: TemplateFilter, limit: number) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...listKey, filter, limit],
    queryFn: ({ pageParam }) =>
      api.list<Template>("/v1/click/templates", { ...filter, limit, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    // The rows of the search before stay until those of the next one have come.
    placeholderData: keepPreviousData,
  });
}

export function useTemplate(id: string) {
  const api = useApi();
  return useQuery({ queryKey: [...templateKey(id), "itself"], queryFn: () => api.get<Template>(templatePath(id)) });
}

/** All of a template, the oldest first, archived ones too. */
export function useVersions(templateId: string) {
  const api = useApi();
  return useQuery({
    queryKey: versionsKey(templateId),
    queryFn: () => api.get<Version[]>(`${templatePath(templateId)}/versions`),
    // Whoever has not chosen a template yet asks for none.
    enabled: templateId !== "",
  });
}

const draftKey = ({ templateId, id, draft }: Version) => [...versionsKey(templateId), id, "draft", draft?.updatedAt];

/** The next text of a version that has one; what was saved last until that of the present is there. */
export function useVersionDraft(version: Version | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: version === undefined ? [...all, "no draft"] : draftKey(version),
    queryFn: () => api.get<VersionDraft>(`${versionPath(version as Version)}/draft`),
    enabled: version !== undefined && version.draft !== null,
    placeholderData: (before) => (before?.versionId === version?.id ? before : undefined),
  });
}

/** What is known of the approval of the text that would be published now; of a version without one, nothing. */
export function useApproval(version: Version) {
  const api = useApi();
  const { templateId, id, status, draft, updatedAt } = version;
  return useQuery({
    queryKey: [...versionsKey(templateId), id, "approval", draft?.updatedAt ?? updatedAt],
    queryFn: () => api.get<VersionApproval>(`${versionPath(version)}/approval`),
    enabled: status === "DRAFT" || (status === "PUBLISHED" && draft !== null),
  });
}

/** The newest first. */
export function useDeployments(templateId: string) {
  const api = useApi();
  return useQuery({
    queryKey: deploymentsKey(templateId),
    queryFn: () => api.get<Deployment[]>(`${templatePath(templateId)}/deployments`),
  });
}

/** What the pages know anew after something was changed. */
export function useTemplateChanges() {
  const queries = useQueryClient();
  return {
    listChanged: () => queries.invalidateQueries({ queryKey: listKey }),
    /** The template itself or anything that belongs to it. */
    templateChanged: async (id: string) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: templateKey(id) }),
        queries.invalidateQueries({ queryKey: listKey }),
      ]);
    },
    /** An answer of the API about a version, so that nobody asks for all of them again. */
    versionIs: (version: Version) =>
      queries.setQueryData<Version[]>(versionsKey(version.templateId), (known) => withVersion(known, version)),
    /** The same about the draft of one. */
    draftIs: (of: Version, draft: VersionDraft) => {
      const { contentHash, baseRevision, createdBy, createdAt, updatedBy, updatedAt } = draft;
      const note = { contentHash, baseRevision, createdBy, createdAt, updatedBy, updatedAt };
      queries.setQueryData<VersionDraft>(draftKey({ ...of, draft: note }), draft);
      queries.setQueryData<Version[]>(versionsKey(of.templateId), (known) =>
        known?.map((version) => (version.id === of.id ? { ...version, draft: note } : version)),
      );
    },
    /** Not asked for again: it is gone. */
    templateGone: async (id: string) => {
      queries.removeQueries({ queryKey: templateKey(id) });
      await queries.invalidateQueries({ queryKey: listKey });
    },
  };
}

function withVersion(known: readonly Version[] | undefined, version: Version): Version[] | undefined {
  if (known === undefined) return undefined;
  const isNew = known.every(({ id }) => id !== version.id);
  return isNew ? [...known, version] : known.map((one) => (one.id === version.id ? version : one));
}
