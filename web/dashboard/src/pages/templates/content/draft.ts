import type { Version } from "#api/templates.ts";

/** What a person writes: a text and the words around it. An empty word is left to what is usual in its language. */
export interface Draft {
  readonly content: string;
  readonly format: Version["format"];
  readonly title: string;
  readonly consentText: string;
  readonly buttonText: string;
  readonly declineText: string;
  readonly checkboxText: string;
  readonly linkText: string;
  readonly purposeTexts: Readonly<Record<string, string>>;
}

export const wordNames = ["consentText", "buttonText", "declineText", "checkboxText", "linkText"] as const;
export type WordName = (typeof wordNames)[number];

const emptyDraft: Draft = {
  content: "",
  format: "html",
  title: "",
  consentText: "",
  buttonText: "",
  declineText: "",
  checkboxText: "",
  linkText: "",
  purposeTexts: {},
};

/** What a version says, to be changed. */
export function draftOf(version: Version | undefined): Draft {
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
