import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Attachment, AgreementEvent as AuditEvent } from "#api/agreement-records.ts";
import type { Agreement } from "#api/agreements.ts";
import type { FileSearch } from "#api/privacy.ts";
import { type QueryValues, useApi } from "../../api/client.ts";

const all = ["agreements"] as const;
const listKey = [...all, "list"] as const;
const oneKey = (id: string) => [...all, "one", id] as const;

export const agreementPath = (id: string): string => `/v1/sign/agreements/${encodeURIComponent(id)}`;

/** Page by page, the newest first. */
export function useAgreements(query: QueryValues, limit: number) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...listKey, query, limit],
    queryFn: ({ pageParam }) =>
      api.list<Agreement>("/v1/sign/agreements", { ...query, limit, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // What was found before stays until the next is there.
    placeholderData: (before) => before,
  });
}

export const fileSearchKey = ["file-search"] as const;

/** Whether files are searched; asked for again for as long as somebody wants to watch. */
export function useFileSearch(isWatched: (setting: FileSearch) => boolean = () => false) {
  const api = useApi();
  return useQuery({
    queryKey: fileSearchKey,
    queryFn: () => api.get<FileSearch>("/v1/privacy/file-search"),
    // It changes rarely, and counting files takes time.
    staleTime: 10 * 60_000,
    refetchInterval: ({ state: { data } }) => (data !== undefined && isWatched(data) ? watchMs : false),
  });
}

const watchMs = 3_000;

/** Asked for again while somebody may be signing it, or it is being sealed. */
export function useAgreement(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: oneKey(id),
    queryFn: () => api.get<Agreement>(agreementPath(id)),
    refetchInterval: ({ state }) => pauses.get(state.data?.status ?? "") ?? false,
  });
}

const pauses: ReadonlyMap<string, number> = new Map([
  ["sent", 15_000],
  ["delivered", 15_000],
  ["completing", 2_000],
]);

/** With the status in the key, so that what a change of it has brought is read. */
export function useAttachments({ id, status }: Agreement) {
  const api = useApi();
  return useQuery({
    queryKey: [...oneKey(id), "attachments", status],
    queryFn: () => api.get<Attachment[]>(`${agreementPath(id)}/attachments`),
  });
}

export function useHistory({ id, status }: Agreement, limit: number) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...oneKey(id), "history", status, limit],
    queryFn: ({ pageParam }) =>
      api.list<AuditEvent>(`${agreementPath(id)}/audit-events`, { limit, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
}

/** The queries to repeat after a change. */
export function useAgreementChanges() {
  const queries = useQueryClient();
  return {
    agreementIs: async (agreement: Agreement) => {
      queries.setQueryData(oneKey(agreement.id), agreement);
      const parts = queries.invalidateQueries({ queryKey: [...oneKey(agreement.id), "history"] });
      await Promise.all([parts, queries.invalidateQueries({ queryKey: listKey })]);
    },
    /** A deleted agreement is neither read again nor shown in a list any longer. */
    agreementGone: (id: string) => {
      queries.removeQueries({ queryKey: listKey });
      queries.removeQueries({ queryKey: oneKey(id) });
    },
  };
}
