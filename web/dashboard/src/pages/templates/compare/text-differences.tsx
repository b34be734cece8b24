import { useMemo } from "react";
import { useTexts } from "../../../texts/texts.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { type BlockChange, blockChanges, countOf } from "./block-changes.ts";
import { ChangedBlocks } from "./changed-blocks.tsx";
import { type ComparedText, comparedFields } from "./compared-text.ts";
import { blocksOf, linesOf } from "./text-blocks.ts";

interface TextDifferencesProps {
  readonly from: ComparedText;
  readonly to: ComparedText;
  readonly view: "read" | "source";
  /** Of both texts; undefined when they differ. */
  readonly lang: string | undefined;
}

/** What was added, removed and changed, block by block and word by word. */
export function TextDifferences({ from, to, view, lang }: TextDifferencesProps) {
  const texts = useTexts("templates");
  const parts = useMemo(() => partsOf(from, to, view), [from, to, view]);
  const all = parts.flatMap(({ changes }) => changes);
  if (all.every(({ kind }) => kind === "same")) return <Notice tone="success">{texts.sameText}</Notice>;
  const names = { ...texts.comparedFields, content: texts.comparedText };
  return (
    <>
      <p role="status">
        {texts.differences(countOf(all, "changed", "markup"), countOf(all, "added"), countOf(all, "removed"))}
      </p>
      {parts
        .filter(({ name, changes }) => name === "content" || changes.some(({ kind }) => kind !== "same"))
        .map(({ name, changes }) => (
          <div key={name} className="comparison-part">
            <h4>{names[name]}</h4>
            <ChangedBlocks changes={changes} lang={lang} />
          </div>
        ))}
    </>
  );
}

type PartName = (typeof comparedFields)[number] | "purposeTexts" | "content";

interface Part {
  readonly name: PartName;
  readonly changes: readonly BlockChange[];
}

function partsOf(from: ComparedText, to: ComparedText, view: "read" | "source"): Part[] {
  const blocks = ({ content, format }: ComparedText) =>
    view === "source" ? linesOf(content) : blocksOf(content, format);
  return [
    ...comparedFields.map((name) => ({
      name,
      changes: blockChanges(linesOf(from[name] ?? ""), linesOf(to[name] ?? "")),
    })),
    { name: "purposeTexts", changes: blockChanges(linesOf(purposesOf(from)), linesOf(purposesOf(to))) },
    { name: "content", changes: blockChanges(blocks(from), blocks(to)) },
  ];
}

const purposesOf = ({ purposeTexts }: ComparedText): string =>
  Object.entries(purposeTexts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, words]) => `${key}: ${words}`)
    .join("\n");
