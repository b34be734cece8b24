import type { Run } from "./blocks.ts";

export interface LinkedRun {
  readonly link: string | undefined;
  readonly run: Run;
}

/** Neighbours that lead to the same address are one link. */
export function groupLinks(runs: readonly LinkedRun[]): Run[] {
  const groups: { readonly link: string | undefined; readonly runs: Run[] }[] = [];
  for (const { link, run } of runs) {
    const last = groups.at(-1);
    if (last !== undefined && last.link === link) last.runs.push(run);
    else groups.push({ link, runs: [run] });
  }
  return groups.flatMap(({ link, runs: same }, index) => {
    const shown = groups[index - 1]?.link === undefined ? same : withoutHyphenAtStart(same);
    return link === undefined ? shown : linkOf(link, shown);
  });
}

function linkOf(url: string, runs: readonly Run[]): Run[] {
  const shown = withoutHyphenAtEnd(runs);
  return shown.length === 0 ? [] : [{ kind: "link", url, runs: shown }];
}

// The writer of tagged PDFs breaks down when a word is divided right where a link ends
// (https://github.com/typst/typst/issues/8608). So a link has no soft hyphen at its end, and what follows it without a
// blank is not divided.

function withoutHyphenAtEnd(runs: readonly Run[]): readonly Run[] {
  const last = runs.at(-1);
  if (last?.kind !== "text") return runs;
  const text = last.text.replace(/[\u00ad\u200b]+$/, "");
  if (text === last.text) return runs;
  const before = runs.slice(0, -1);
  return text === "" ? withoutHyphenAtEnd(before) : [...before, { ...last, text }];
}

function withoutHyphenAtStart(runs: readonly Run[]): Run[] {
  const [first, ...others] = runs;
  if (first?.kind !== "text") return [...runs];
  const [word = ""] = /^\S*/.exec(first.text) ?? [];
  if (word === "") return [...runs];
  const rest = first.text.slice(word.length);
  const whole: Run = { ...first, text: word.replaceAll("\u00ad", ""), marks: { ...first.marks, whole: true } };
  return [whole, ...(rest === "" ? withoutHyphenAtStart(others) : [{ ...first, text: rest }, ...others])];
}
