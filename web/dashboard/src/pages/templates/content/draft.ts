import type { Version, VersionDraft } from "#api/templates.ts";
import { pdfTextToHtml, readPdfText } from "#platform/pdf-text.ts";

/** The words around a text, with the most characters that each may have. */
export const longestWords = {
  consentText: 2_000,
  buttonText: 255,
  declineText: 255,
  checkboxText: 2_000,
  linkText: 255,
} as const;
export type WordName = keyof typeof longestWords;
export const wordNames = Object.keys(longestWords) as WordName[];

/** What a person writes: a text and the words around it. An empty word is left to what is usual in its language. */
export interface Draft extends Readonly<Record<WordName, string>> {
  readonly content: string;
  readonly format: Version["format"];
  readonly title: string;
  readonly purposeTexts: Readonly<Record<string, string>>;
}

/** Of a text, in UTF-8, as the API takes it. */
const maxTextBytes = 1_048_576;

/** Whether it cannot be saved. */
export const isTooLarge = (text: string): boolean =>
  text.length > maxTextBytes ||
  (text.length * 3 > maxTextBytes && new TextEncoder().encode(text).length > maxTextBytes);

const emptyDraft: Draft = {
  ...{ content: "", format: "html", title: "", purposeTexts: {} },
  ...(Object.fromEntries(wordNames.map((name) => [name, ""])) as Record<WordName, string>),
};

/**
 * What is open to be changed: of a published version its next text in the place of what is live, with the time that tells
 * whether somebody has saved since.
 */
export function openedOf(version: Version, next: VersionDraft | undefined): Version {
  if (version.status !== "PUBLISHED" || version.draft === null || next === undefined) return version;
  const { createdAt, validation } = version;
  return { ...version, ...next, createdAt, validation };
}

/** What a version says, to be changed. */
export function draftOf(version: Pick<Version, keyof Draft> | undefined): Draft {
  if (version === undefined) return emptyDraft;
  const words = Object.fromEntries(["title" as const, ...wordNames].map((name) => [name, version[name] ?? ""]));
  return {
    ...emptyDraft,
    ...words,
    // The editor knows one kind of line ends; who changes nothing else sends none of it.
    content: version.content.replaceAll(/\r\n?/g, "\n"),
    format: version.format,
    purposeTexts: version.purposeTexts,
  };
}

type Written = Pick<Draft, "content" | "format">;

/** In another format; what a file says becomes a text that can be changed. */
export function writtenAs(format: Draft["format"], { content, format: before }: Written): Written {
  if (before !== "pdf" || format === "pdf") return { format, content };
  const pdf = readPdfText(content);
  return {
    format,
    content: format === "html" && pdf !== undefined ? pdfTextToHtml(pdf) : readableOf({ content, format: before }),
  };
}

/** A text as it is written or, of a file, what it says. */
export function readableOf({ content, format }: Written): string {
  const pdf = format === "pdf" ? readPdfText(content) : undefined;
  return pdf === undefined ? content : pdf.pages.flatMap(({ text }) => text).join("\n\n");
}

/** The fields whose values differ. */
export const changedFields = (from: Draft, to: Draft): (keyof Draft)[] =>
  (Object.keys(to) as (keyof Draft)[]).filter((name) => !isSame(from[name], to[name]));

/** A request with these fields. */
export const bodyOf = (draft: Draft, fields: readonly (keyof Draft)[]): Record<string, unknown> =>
  Object.fromEntries(fields.map((name) => [name, sentValue(draft[name])]));

function sentValue(value: Draft[keyof Draft]): unknown {
  if (typeof value !== "string") return Object.fromEntries(Object.entries(value).filter(([, text]) => text !== ""));
  return value === "" ? null : value;
}

const isSame = (one: Draft[keyof Draft], other: Draft[keyof Draft]): boolean =>
  typeof one === "string" ? one === other : JSON.stringify(sentValue(one)) === JSON.stringify(sentValue(other));

/** The next text as a whole: what nobody has changed goes back as it came. */
export function wholeBodyOf(draft: Draft, base: Version): Record<string, unknown> {
  const { content, changeSummary, effectiveAt } = base;
  const isSameText = changedFields(draftOf(base), draft).every((name) => name !== "content");
  return {
    ...bodyOf(draft, Object.keys(draft) as (keyof Draft)[]),
    ...(isSameText && { content }),
    // Those of the version are of the text that is live.
    ...(base.draft !== null && { changeSummary, effectiveAt }),
  };
}
