import "./compare.css";
import { type ReactNode, useId, useMemo } from "react";
import type { Version } from "#api/templates.ts";
import { type BlockChange, blockChanges, countOf, type Words } from "#platform/text-changes/block-changes.ts";
import { blocksOf, linesOf } from "#platform/text-changes/text-blocks.ts";
import { useNavigate, useSearch } from "../../../app/router.tsx";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { Section } from "../../../ui/page.tsx";
import { EmptyState, ErrorState, Loading, Notice } from "../../../ui/states.tsx";
import { type Option, Select } from "../../../ui/text-field.tsx";
import { readableOf } from "../content/draft.ts";
import { type ComparedText, comparedFields, readTextName, textOptions, useComparedText } from "./compared-text.ts";

type View = "read" | "source";

/** Of the two texts that the address names; it can be sent to a colleague. */
export function Comparison({ versions }: { readonly versions: readonly Version[] }) {
  const texts = useTexts("templates");
  const search = useSearch();
  const navigate = useNavigate();
  const options = useMemo(() => textOptions(versions, texts), [versions, texts]);
  const [from, to] = [search.get("from") ?? "", search.get("to") ?? ""];
  const view: View = search.get("view") === "source" ? "source" : "read";
  const show = (wanted: { from?: string; to?: string; view?: View }) => {
    const next = new URLSearchParams({ from, to, view, ...wanted });
    navigate(`${pageOf(versions)}?${next}`, { replace: true });
  };
  const pick = (name: "from" | "to", label: string, value: string) => (
    <Select label={label} options={options} value={value} onChange={(key) => show({ [name]: String(key) })} />
  );
  return (
    <Section
      title={texts.compareTitle}
      intro={texts.compareHelp}
      actions={<Button onPress={() => navigate(pageOf(versions))}>{texts.closeComparison}</Button>}
    >
      <div className="template-filters">
        {pick("from", texts.compareFrom, from)}
        {pick("to", texts.compareTo, to)}
        <Select
          label={texts.compareAs}
          options={viewsOf(texts)}
          value={view}
          onChange={(key) => show({ view: key === "source" ? "source" : "read" })}
        />
      </div>
      <Compared versions={versions} options={options} from={from} to={to} view={view} />
    </Section>
  );
}

const pageOf = ([version]: readonly Version[]): string => `/templates/${version?.templateId ?? ""}/versions`;

const viewsOf = ({ asRead, asSource }: { readonly asRead: string; readonly asSource: string }): Option[] => [
  { id: "read", label: asRead },
  { id: "source", label: asSource },
];

interface ComparedProps {
  readonly versions: readonly Version[];
  readonly options: readonly Option[];
  readonly from: string;
  readonly to: string;
  readonly view: View;
}

function Compared({ versions, options, from, to, view }: ComparedProps) {
  const texts = useTexts("templates");
  const heading = useId();
  const older = useComparedText(versions, readTextName(from));
  const newer = useComparedText(versions, readTextName(to));
  const failed = [older, newer].find(({ error }) => error);
  if (failed !== undefined) return <ErrorState error={failed.error} retry={() => void failed.refetch()} />;
  if (older.version === undefined || newer.version === undefined) {
    return <EmptyState title={texts.compareTitle} text={texts.compareNothing} />;
  }
  if (older.text === undefined || newer.text === undefined) return <Loading />;
  const wordsOf = (name: string) => options.find(({ id }) => id === name)?.label ?? name;
  return (
    <section aria-labelledby={heading} className="comparison">
      <h3 id={heading}>{texts.comparisonOf(wordsOf(from), wordsOf(to))}</h3>
      <TextDifferences
        from={older.text}
        to={newer.text}
        view={view}
        lang={isSameLanguage(older.version, newer.version) ? newer.version.locale : undefined}
      />
    </section>
  );
}

const isSameLanguage = (one: Version, other: Version): boolean => one.locale === other.locale;

interface TextDifferencesProps {
  readonly from: ComparedText;
  readonly to: ComparedText;
  readonly view: "read" | "source";
  /** Of both texts; undefined when they differ. */
  readonly lang: string | undefined;
}

/** What was added, removed and changed, block by block and word by word. */
function TextDifferences({ from, to, view, lang }: TextDifferencesProps) {
  const texts = useTexts("templates");
  const parts = useMemo(() => partsOf(from, to, view), [from, to, view]);
  const all = parts.flatMap(({ changes }) => changes);
  if (all.every(({ kind }) => kind === "same")) return <Notice tone="success">{texts.sameText}</Notice>;
  const names = { ...texts.comparedFields, content: texts.comparedText };
  return (
    <>
      {to.changeSummary && (
        <p>
          <strong>{texts.changeSummary}:</strong> <span lang={lang}>{to.changeSummary}</span>
        </p>
      )}
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
  const blocks = ({ content, format }: ComparedText) => {
    // Of a file, what it says is compared.
    if (format === "pdf") return linesOf(readableOf({ content, format }));
    return view === "source" ? linesOf(content) : blocksOf(content, format);
  };
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

interface ChangedBlocksProps {
  readonly changes: readonly BlockChange[];
  readonly lang: string | undefined;
}

/** In the order of reading; long stretches without changes are folded. */
function ChangedBlocks({ changes, lang }: ChangedBlocksProps) {
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
            <li key={stretch.start + index} className={`block block-${change.kind}`} data-as={change.as}>
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
