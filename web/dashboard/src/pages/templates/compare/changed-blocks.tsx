import type { ReactNode } from "react";
import { useTexts } from "../../../texts/texts.tsx";
import type { BlockChange, Words } from "./block-changes.ts";

interface ChangedBlocksProps {
  readonly changes: readonly BlockChange[];
  readonly lang: string | undefined;
}

/** In the order of reading; long stretches without changes are folded. */
export function ChangedBlocks({ changes, lang }: ChangedBlocksProps) {
  return (
    <ol className="blocks" lang={lang}>
      {stretchesOf(changes).map((stretch) =>
        stretch.isFolded ? (
          <li key={stretch.start}>
            <Folded changes={stretch.changes} />
          </li>
        ) : (
          stretch.changes.map((change, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no name but their place
            <li key={stretch.start + index} className={`block block-${change.kind}`}>
              <BlockWords change={change} />
            </li>
          ))
        ),
      )}
    </ol>
  );
}

function Folded({ changes }: { readonly changes: readonly BlockChange[] }) {
  const texts = useTexts("templates");
  return (
    <details className="block-folded">
      <summary>{texts.unchangedBlocks(changes.length)}</summary>
      {changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no name but their place
        <p key={index}>{change.kind === "changed" ? null : change.text}</p>
      ))}
    </details>
  );
}

function BlockWords({ change }: { readonly change: BlockChange }): ReactNode {
  const { blockKinds } = useTexts("templates");
  switch (change.kind) {
    case "same":
      return change.text;
    case "markup":
      return (
        <>
          <small>{blockKinds.markup}</small> {change.text}
        </>
      );
    case "changed":
      return change.words.map((words, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words have no name but their place
        <Marked key={index} words={words} />
      ));
    default:
      return <Marked words={{ kind: change.kind, text: change.text }} />;
  }
}

/** Said in words too: few screen readers tell of ins and del by themselves. */
function Marked({ words: { kind, text } }: { readonly words: Words }) {
  const { insertedWords, removedWords, endOfWords } = useTexts("templates");
  if (kind === "same") return text;
  const Mark = kind === "added" ? "ins" : "del";
  return (
    <Mark>
      <span className="unseen">{` ${kind === "added" ? insertedWords : removedWords} `}</span>
      {text}
      <span className="unseen">{` ${endOfWords} `}</span>
    </Mark>
  );
}

interface Stretch {
  readonly start: number;
  readonly isFolded: boolean;
  readonly changes: readonly BlockChange[];
}

/** Blocks without changes that are shown before and after each change. */
const context = 2;

function stretchesOf(changes: readonly BlockChange[]): Stretch[] {
  const isNear = nearChanges(changes);
  const stretches: Stretch[] = [];
  for (let start = 0; start < changes.length; ) {
    const isFolded = !isNear[start];
    let end = start + 1;
    while (end < changes.length && !isNear[end] === isFolded) end += 1;
    // To open a fold is more than to read one block.
    stretches.push({ start, isFolded: isFolded && end - start > 1, changes: changes.slice(start, end) });
    start = end;
  }
  return stretches;
}

function nearChanges(changes: readonly BlockChange[]): boolean[] {
  const isNear = changes.map(() => false);
  for (const [index, { kind }] of changes.entries()) {
    if (kind !== "same") isNear.fill(true, Math.max(0, index - context), index + context + 1);
  }
  return isNear;
}
