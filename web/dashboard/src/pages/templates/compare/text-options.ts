import type { Revision, Version } from "#api/templates.ts";
import type { Texts } from "../../../texts/texts.tsx";
import type { Option } from "../../../ui/text-field.tsx";
import { writeTextName } from "./compared-text.ts";

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
