import type { Deployment, Version } from "#api/templates.ts";
import type { Texts } from "../../../texts/texts.tsx";
import type { Option } from "../../../ui/text-field.tsx";

type Words = Pick<Texts["templates"], "latest" | "pinned" | "states">;

/** Whatever is published, or always the same version. */
export const latest = "LATEST";

/** What a deployment may be told to serve: only what was published can be pinned. */
export const servedOptions = (versions: readonly Version[], pinned: string | null, texts: Words): Option[] => [
  { id: latest, label: texts.latest },
  ...versions
    .filter(({ id, isPublished }) => isPublished || id === pinned)
    .map((version) => ({ id: version.id, label: texts.pinned(wordsOf(version, texts)) })),
];

export function servedWords({ versionSelector }: Deployment, versions: readonly Version[], texts: Words): string {
  const { mode, versionId } = versionSelector;
  if (mode === latest) return texts.latest;
  const version = versions.find(({ id }) => id === versionId);
  return texts.pinned(version === undefined ? (versionId ?? "") : wordsOf(version, texts));
}

const wordsOf = ({ locale, label, status }: Version, { states }: Words): string =>
  `${locale} ${label ?? states[status]}`;
