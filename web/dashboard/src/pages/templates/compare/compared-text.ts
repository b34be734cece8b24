import { useQuery } from "@tanstack/react-query";
import type { Revision, Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { asApiError } from "../../../api/errors.ts";
import type { Texts } from "../../../texts/texts.tsx";
import type { Option } from "../../../ui/text-field.tsx";
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

const writeTextName = ({ versionId, revision, isNext = false }: TextName): string =>
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

type Words = Pick<Texts["templates"], "currentText" | "draftVersion" | "nextText" | "version" | "states">;

/** All texts of a template that can be compared: each version as it stands, and each of its revisions. */
export const textOptions = (versions: readonly Version[], texts: Words): Option[] =>
  [...versions].reverse().flatMap((version) => [
    ...(version.draft === null
      ? []
      : [
          { id: writeTextName({ versionId: version.id, isNext: true }), label: `${version.locale}, ${texts.nextText}` },
        ]),
    { id: writeTextName({ versionId: version.id }), label: `${version.locale}, ${currentWords(version, texts)}` },
    ...newestFirst(version).map(({ revision, label }) => ({
      id: writeTextName({ versionId: version.id, revision }),
      label: `${version.locale}, ${texts.version} ${label}`,
    })),
  ]);

const newestFirst = ({ revisions }: Version): Revision[] => [...revisions].sort((a, b) => b.revision - a.revision);

function currentWords({ status, label }: Version, texts: Words): string {
  const state = texts.states[status];
  return label === null ? `${state}, ${texts.currentText}` : `${state} (${label}), ${texts.currentText}`;
}

/** What is compared first: what is written with what was published last, or the newest two revisions. */
function firstComparison(version: Version): { readonly from: string; readonly to: string } | undefined {
  const [last, before] = newestFirst(version);
  if (last === undefined) return undefined;
  const name = (revision: Revision) => writeTextName({ versionId: version.id, revision: revision.revision });
  if (version.status === "PUBLISHED" && version.draft !== null) {
    return { from: name(last), to: writeTextName({ versionId: version.id, isNext: true }) };
  }
  if (version.status === "DRAFT") return { from: name(last), to: writeTextName({ versionId: version.id }) };
  return { from: name(before ?? last), to: name(last) };
}

/** Of the page that shows it; undefined while nothing was ever published. */
export function comparisonPath(version: Version): string | undefined {
  const names = firstComparison(version);
  return names && `/templates/${version.templateId}/versions?${new URLSearchParams(names)}`;
}
