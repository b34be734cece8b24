import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Deployment, Template, Version } from "#api/templates.ts";
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
