import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ConsentState } from "#api/consents.ts";
import type { ConsentReceipt, Receipt, VerificationResult } from "#api/receipts.ts";
import type { Template } from "#api/templates.ts";
import { useApi } from "../../api/client.ts";
import type { Evidence } from "./evidence.ts";

const all = ["acceptances"] as const;

/** Of a decision about a text, or of a change of consent that was none. */
export type AnyReceipt = Receipt | ConsentReceipt;
export const isConsentReceipt = (receipt: AnyReceipt): receipt is ConsentReceipt => "kind" in receipt;

export interface ReceiptFilter {
  readonly userRef?: string | undefined;
  readonly templateId?: string | undefined;
  readonly versionId?: string | undefined;
  /** Of the version; a number, as the address of the page has it. */
  readonly revision?: string | undefined;
  /** Moments in ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Page by page, the newest first. */
export function useReceipts(filter: ReceiptFilter, limit: number) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...all, "list", filter, limit],
    queryFn: ({ pageParam }) =>
      api.list<Receipt>("/v1/click/acceptances", { ...filter, limit, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
}

/** The newest thousand, to choose from. */
export function useTemplateNames() {
  const api = useApi();
  return useQuery({
    queryKey: [...all, "templates"],
    queryFn: () => api.get<Pick<Template, "id" | "name">[]>("/v1/click/templates"),
    staleTime: 60_000,
  });
}

export const receiptPath = (id: string): string => `/v1/click/receipts/${encodeURIComponent(id)}`;

export function useReceipt(id: string) {
  const api = useApi();
  return useQuery({ queryKey: [...all, "receipt", id], queryFn: () => api.get<AnyReceipt>(receiptPath(id)) });
}

export const evidencePath = (sessionId: string): string => `/v1/click/evidence/${encodeURIComponent(sessionId)}`;

/** Each answer is a bundle of its own; asked for again until the log has published the proof. */
export function useEvidence(sessionId: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...all, "evidence", sessionId],
    queryFn: () => api.get<Evidence>(evidencePath(sessionId)),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data?.integrity.log?.status === "PENDING" ? 2_000 : false),
  });
}

/** The result of the checks, which run in this browser with the keys that the installation publishes. */
export function useVerification(evidence: Evidence | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: [...all, "verification", evidence?.bundleId],
    // The verifier is loaded for it: nobody else needs it.
    queryFn: async () => {
      const { verifyEvidence } = await import("./record-sections.tsx");
      return verifyEvidence(evidence as Evidence, (path) => api.get<object>(path));
    },
    enabled: evidence !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
}

/** Changes of consent have no bundle, so the server checks their receipts. It records nothing. */
export function useServerChecks(receipt: ConsentReceipt) {
  const api = useApi();
  return useQuery({
    queryKey: [...all, "server-checks", receipt],
    queryFn: () => api.send<VerificationResult>("POST", "/v1/click/receipts/verify", { receipt }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export const personPath = (userRef: string): string => `/acceptances/people/${encodeURIComponent(userRef)}`;

export function useConsentState(userRef: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...all, "consent", userRef],
    queryFn: () =>
      api.get<Required<ConsentState>>(`/v1/click/consent/${encodeURIComponent(userRef)}`, { includeHistory: true }),
  });
}

/** After an erasure everything is read again. */
export function useForget(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: all });
}
