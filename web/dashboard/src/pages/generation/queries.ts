import { keepPreviousData, type QueryKey, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Batch, BatchItem, GenDocument } from "#api/generation-documents.ts";
import type {
  GenTemplate,
  ListedGenTemplate as ListedTemplate,
  GenTemplate as Template,
  Usage,
} from "#api/generation-templates.ts";
import { type QueryValues, useApi } from "../../api/client.ts";

export type Data = NonNullable<GenTemplate["sampleData"]>;

export const documentStatuses = [
  "queued",
  "rendering",
  "completed",
  "failed",
  "expired",
  "cancelled",
] as const satisfies readonly GenDocument["status"][];
export const batchStatuses = [
  "queued",
  "running",
  "completed",
  "completed_with_errors",
  "cancelled",
] as const satisfies readonly Batch["status"][];

export const hasEnded = ({ status }: Pick<Batch, "status">): boolean => status !== "queued" && status !== "running";

/** Older ones are reached by their number. */
const most = 50;

/** Numbers of versions are without gaps, so that the latest one tells them all. */
export const newestVersions = (latest: number | null): number[] =>
  Array.from({ length: Math.min(latest ?? 0, most) }, (_, index) => (latest ?? 0) - index);

const all = ["generation"] as const;
const templatesKey = [...all, "templates"] as const;
const templateKey = (id: string) => [...all, "template", id] as const;
const documentsKey = [...all, "documents"] as const;
const batchesKey = [...all, "batches"] as const;
const batchKey = (id: string) => [...all, "batch", id] as const;
const usageKey = [...all, "usage"] as const;

const root = "/v1/gen";
const pageSize = 25;
/** Between two looks at something that is under way. */
const pauseMs = 1_500;

export const templatePath = (id: string): string => `${root}/templates/${encodeURIComponent(id)}`;
export const documentPath = (id: string): string => `${root}/documents/${encodeURIComponent(id)}`;
export const batchPath = (id: string): string => `${root}/batches/${encodeURIComponent(id)}`;

interface Listed {
  readonly queryKey: QueryKey;
  readonly path: string;
  readonly query?: QueryValues;
}

/** Page by page. Read again whenever it is shown, and repeatedly while something in it is in progress. */
function usePages<Row>({ queryKey, path, query = {} }: Listed, isUnderWay: (row: Row) => boolean = () => false) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...queryKey, query],
    queryFn: ({ pageParam }) => api.list<Row>(path, { limit: pageSize, ...query, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      (data?.pages.some(({ items }) => items.some(isUnderWay)) ?? false) && pauseMs,
    placeholderData: keepPreviousData,
  });
}

/** The newest first. */
export const useTemplates = () => usePages<ListedTemplate>({ queryKey: templatesKey, path: `${root}/templates` });

export const useDocuments = (query: { status?: string | undefined; templateId?: string | undefined }) =>
  usePages<GenDocument>({ queryKey: documentsKey, path: `${root}/documents`, query }, isPending);

export const useBatches = (query: { state?: string | undefined }) =>
  usePages<Batch>({ queryKey: batchesKey, path: `${root}/batches`, query }, (batch) => !hasEnded(batch));

/** In their order. When the batch ends they are another list, so that they are loaded once more. */
export const useBatchItems = ({ id, ...batch }: Batch, state: string | undefined) =>
  usePages<BatchItem>(
    { queryKey: [...batchKey(id), "items", hasEnded(batch)], path: `${batchPath(id)}/items`, query: { state } },
    // A list of one state does not show what is still to come into it.
    () => !hasEnded(batch),
  );

const isPending = ({ status }: Pick<GenDocument, "status">): boolean => status === "queued" || status === "rendering";

export function useTemplate(id: string) {
  const api = useApi();
  return useQuery({ queryKey: templateKey(id), queryFn: () => api.get<Template>(templatePath(id)) });
}

/** Those that a document can be made from: published ones among the newest. */
export function useTemplateChoice() {
  const api = useApi();
  return useQuery({
    queryKey: [...templatesKey, "choice"],
    queryFn: async () => {
      const { items } = await api.list<ListedTemplate>(`${root}/templates`, { limit: 200 });
      return items.filter(({ publishedVersion }) => publishedVersion !== null);
    },
  });
}

/** Of a published version, or else of the draft. */
export function useTemplateSchema(id: string, version: number | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: [...templateKey(id), "schema", version],
    queryFn: () => api.get<unknown>(`${templatePath(id)}/schema`, { version }),
    enabled: id !== "",
  });
}

/** Asked for again until it has ended. */
export function useBatch(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: batchKey(id),
    queryFn: () => api.get<Batch>(batchPath(id)),
    refetchInterval: ({ state: { data } }) => data !== undefined && !hasEnded(data) && pauseMs,
  });
}

export function useUsage() {
  const api = useApi();
  return useQuery({
    queryKey: usageKey,
    queryFn: () => api.get<Usage>(`${root}/usage`),
    refetchInterval: 10_000,
  });
}

/** The newest ones at once, for a picture of them. */
export function useLatestDocuments(limit: number) {
  const api = useApi();
  return useQuery({
    queryKey: [...documentsKey, "latest", limit],
    queryFn: async () => (await api.list<GenDocument>(`${root}/documents`, { limit })).items,
  });
}

/** What the pages know anew after something was changed. */
export function useGenerationChanges() {
  const queries = useQueryClient();
  const again = (...keys: QueryKey[]) => Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  return {
    templateIs: async (template: Template) => {
      queries.setQueryData(templateKey(template.id), template);
      await again(templatesKey, [...templateKey(template.id), "schema"]);
    },
    /** It is deleted, so it is not read again. */
    templateGone: async (id: string) => {
      queries.removeQueries({ queryKey: templateKey(id) });
      await again(templatesKey);
    },
    documentsChanged: () => again(documentsKey, usageKey),
    batchIs: async (batch: Batch) => {
      queries.setQueryData(batchKey(batch.id), batch);
      await again(batchesKey, [...batchKey(batch.id), "items"], usageKey);
    },
  };
}
