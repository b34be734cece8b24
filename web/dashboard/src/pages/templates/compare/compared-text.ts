import { useQuery } from "@tanstack/react-query";
import type { Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { asApiError } from "../../../api/errors.ts";
import { useVersionDraft, versionPath } from "../queries.ts";

export const comparedFields = [
  "title",
  "consentText",
  "checkboxText",
  "buttonText",
  "declineText",
  "linkText",
] as const;

/** All that people are shown of a version. */
export type ComparedText = Pick<
  Version,
  "content" | "format" | "purposeTexts" | "changeSummary" | (typeof comparedFields)[number]
>;

/** Names a version as it stands, one of its revisions or its next text, in an address: "id", "id.2" or "id.next". */
interface TextName {
  readonly versionId: string;
  readonly revision?: number;
  readonly isNext?: boolean;
}

export const writeTextName = ({ versionId, revision, isNext = false }: TextName): string =>
  isNext ? `${versionId}.next` : revision === undefined ? versionId : `${versionId}.${revision}`;

export function readTextName(name: string): TextName {
  const [versionId = "", revision = ""] = name.split(".");
  if (revision === "next") return { versionId, isNext: true };
  return /^[1-9]\d{0,8}$/.test(revision) ? { versionId, revision: Number(revision) } : { versionId };
}

const draftGone = "CLICK_DRAFT_NOT_FOUND";

/** A revision never changes; a version is among those that the page has. */
export function useComparedText(versions: readonly Version[], name: TextName) {
  const api = useApi();
  const version = versions.find(({ id }) => id === name.versionId);
  const { revision, isNext = false } = name;
  const next = useVersionDraft(isNext ? version : undefined);
  const { data, error, refetch } = useQuery({
    queryKey: ["templates", "revision", name.versionId, revision],
    queryFn: () => api.get<ComparedText>(`${versionPath(version as Version)}/revisions/${revision}`),
    enabled: version !== undefined && revision !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  // It was published or discarded meanwhile.
  const isGone = version?.draft === null || (next.error !== null && asApiError(next.error).code === draftGone);
  if (isNext)
    return { ...next, ...(isGone && { error: null }), version: isGone ? undefined : version, text: next.data };
  const text: ComparedText | undefined = revision === undefined ? version : data;
  return { version, text, error, refetch };
}
