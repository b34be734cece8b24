import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiKey, Client } from "#api/organizations.ts";
import type { PersonErasure } from "#api/person-erasures.ts";
import type { Deletion, LegalHold, PrivacyAct, Retention, RetentionPreview } from "#api/privacy.ts";
import type { User } from "#api/users.ts";
import { type QueryValues, useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";

export const privacyKey = ["privacy"] as const;
/** Whom an export is about, which was asked for on another page, until the list of exports shows it. */
export const askedExportKey = ["asked export"] as const;
export type AskedExport = readonly [id: string, person: string];
export const pageSize = 25;
export const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type Period = Retention["periods"][number];

export function useRetention() {
  const api = useApi();
  return useQuery({
    queryKey: [...privacyKey, "retention"],
    queryFn: () => api.get<Retention>("/v1/privacy/retention"),
  });
}

/** What goes until a moment, page by page; the counts of each page are those of all. */
export function useRetentionPreview(until: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...privacyKey, "preview", until],
    queryFn: ({ pageParam }) => {
      const query = { until, limit: pageSize, cursor: pageParam || undefined };
      return api.getPage<RetentionPreview>("/v1/privacy/retention/preview", query);
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
}

function useRecords<Item>(name: string, path: string, query: QueryValues = {}) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...privacyKey, name, query],
    queryFn: ({ pageParam }) => api.list<Item>(path, { ...query, limit: pageSize, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
}

export const useHolds = (lifted: boolean) => useRecords<LegalHold>("holds", "/v1/privacy/holds", { lifted });
export const useDeletions = (agreementId: string | undefined) =>
  useRecords<Deletion>("deletions", "/v1/privacy/deletions", { agreementId });
export const useErasures = () => useRecords<PersonErasure>("erasures", "/v1/privacy/erasures");
export const useActs = () => useRecords<PrivacyAct>("acts", "/v1/privacy/audit-events");

/** After a change everything on the page is read again. */
export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: privacyKey });
}

/** Who did something, by name as far as whoever looks may know it. */
export function useActorNames(): (actor: string | null) => string {
  const texts = useTexts("privacy");
  const api = useApi();
  const { user, can } = useSession();
  const [keysPath, clientsPath] = ["/v1/dashboard/api-keys", "/v1/dashboard/clients"];
  // The same answers as those of the pages that list them.
  const keys = useQuery({ queryKey: [keysPath], queryFn: () => api.get<ApiKey[]>(keysPath) });
  const clients = useQuery({ queryKey: [clientsPath], queryFn: () => api.get<Client[]>(clientsPath) });
  const people = useQuery({
    queryKey: ["users"],
    queryFn: () => api.get<User[]>("/v1/dashboard/users"),
    enabled: can("dashboard:admin"),
  });
  const names = new Map([
    ...(keys.data ?? []).map(({ id, name }) => [id, texts.ofKey(name)] as const),
    ...(clients.data ?? []).map(({ id, name }) => [id, texts.ofClient(name)] as const),
    ...[...(people.data ?? []), user].map(({ id, name }) => [`user:${id}`, name] as const),
  ]);
  return (actor) => {
    if (actor === null) return texts.byItself;
    return names.get(actor) ?? (actor.startsWith("user:") ? texts.someUser : actor);
  };
}
