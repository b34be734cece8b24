import { useQuery } from "@tanstack/react-query";
import type { Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { versionPath } from "../queries.ts";

export const comparedFields = [
  "title",
  "consentText",
  "checkboxText",
  "buttonText",
  "declineText",
  "linkText",
] as const;

/** All that people are shown of a version. */
export type ComparedText = Pick<Version, "content" | "format" | "purposeTexts" | (typeof comparedFields)[number]>;

/** Names a version as it stands, or one of its revisions, in an address: "id" or "id.2". */
interface TextName {
  readonly versionId: string;
  readonly revision?: number;
}

export const writeTextName = ({ versionId, revision }: TextName): string =>
  revision === undefined ? versionId : `${versionId}.${revision}`;

export function readTextName(name: string): TextName {
  const [versionId = "", revision = ""] = name.split(".");
  return /^[1-9]\d{0,8}$/.test(revision) ? { versionId, revision: Number(revision) } : { versionId };
}

/** A revision never changes; a version is among those that the page has. */
export function useComparedText(versions: readonly Version[], name: TextName) {
  const api = useApi();
  const version = versions.find(({ id }) => id === name.versionId);
  const { revision } = name;
  const { data, error, refetch } = useQuery({
    queryKey: ["templates", "revision", name.versionId, revision],
    queryFn: () => api.get<ComparedText>(`${versionPath(version as Version)}/revisions/${revision}`),
    enabled: version !== undefined && revision !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const text: ComparedText | undefined = revision === undefined ? version : data;
  return { version, text, error, refetch };
}
