import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useApi } from "../../api/client.ts";
import type { DetailsDocument } from "./details.ts";
import type { Draft, SignTemplate } from "./types.ts";

/** Beside the other pages of agreements, so that their lists are asked for again after a change. */
const all = ["agreements"] as const;
const draftKey = (id: string) => [...all, "draft", id] as const;

export const pathOf = (id: string): string => `/v1/sign/agreements/${encodeURIComponent(id)}`;

/** What was read just now, such as after it was made, is not read again. */
const justReadMs = 5_000;

export function useDraft(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: draftKey(id),
    queryFn: () => api.get<Draft>(pathOf(id)),
    // A draft that is being edited is not read again in the background.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: justReadMs,
  });
}

export function useSignTemplate(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: [...all, "template", id],
    queryFn: () => api.get<SignTemplate>(`/v1/sign/templates/${encodeURIComponent(id ?? "")}`),
    enabled: id !== undefined,
    refetchOnWindowFocus: false,
  });
}

const pageSize = 10;

/** Page by page, the newest first. */
export function useSignTemplates(text: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...all, "templates", text],
    queryFn: ({ pageParam }) =>
      api.list<SignTemplate>("/v1/sign/templates", { text, limit: pageSize, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
}

/** How many form fields a file has that is still to be sent. Only PDFs have any, and none is read twice. */
export const formFieldsIn = ({ key, file }: DetailsDocument) => ({
  queryKey: ["form fields", key],
  queryFn: async () => {
    if (file === undefined || !file.name.toLowerCase().endsWith(".pdf")) return 0;
    const engine = await import("../../ui/pdf/engine.ts");
    return engine.countFormFields(new Uint8Array(await file.arrayBuffer()));
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** What the pages know anew after a draft was changed. */
export function useDraftChanges() {
  const queries = useQueryClient();
  return {
    draftOf: (id: string) => queries.getQueryData<Draft>(draftKey(id)),
    draftIs: (draft: Draft) => queries.setQueryData(draftKey(draft.id), draft),
    /** Everything but the draft itself, which is known already. */
    othersChanged: (id: string) =>
      queries.invalidateQueries({
        queryKey: all,
        predicate: ({ queryKey }) => queryKey[1] !== "draft" || queryKey[2] !== id,
      }),
    draftGone: (id: string) => queries.removeQueries({ queryKey: draftKey(id) }),
  };
}
