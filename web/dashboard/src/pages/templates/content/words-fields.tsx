import type { Template, Version } from "#api/templates.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { type Draft, longestWords, wordNames } from "./draft.ts";
import { listPurposes } from "./preview-rendering.ts";

interface WordsFieldsProps {
  readonly template: Template;
  readonly draft: Draft;
  readonly isReadOnly: boolean;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** The words around the text. */
export function WordsFields({ template, draft, isReadOnly, onChange }: WordsFieldsProps) {
  const texts = useTexts("editor");
  const { purposeTexts } = draft;
  return (
    <details className="words">
      <summary>{texts.words}</summary>
      <p className="editor-quiet">{texts.wordsIntro}</p>
      {wordNames.map((name) => (
        <TextField
          key={name}
          label={texts.wordLabels[name]}
          value={draft[name]}
          maxLength={longestWords[name]}
          isReadOnly={isReadOnly}
          onChange={(text) => onChange({ [name]: text })}
        />
      ))}
      {listPurposes(template).map(({ key, name }) => (
        <TextField
          key={key}
          label={`${texts.purpose} ${name}`}
          rows={2}
          value={purposeTexts[key] ?? ""}
          maxLength={2_000}
          isReadOnly={isReadOnly}
          onChange={(text) => onChange({ purposeTexts: { ...purposeTexts, [key]: text } })}
        />
      ))}
    </details>
  );
}

/** What there is in one language. */
export interface LocaleState {
  readonly locale: string;
  /** The version that is not archived; there is at most one. */
  readonly open: Version | undefined;
  /** The newest of all, from which a draft begins. */
  readonly newest: Version | undefined;
}

/** The languages of a template, its default first; also that one in which nothing is written yet. */
export function localesOf(template: Template, versions: readonly Version[], wanted: string | null): LocaleState[] {
  const named = new Set([template.defaultLocale, ...versions.map(({ locale }) => locale)]);
  const canonical = wanted === null ? undefined : canonicalLocale(wanted);
  if (canonical !== undefined) named.add(canonical);
  return [...named].map((locale) => {
    const own = versions.filter((version) => version.locale === locale);
    return { locale, open: own.find(({ status }) => status !== "ARCHIVED"), newest: own.at(-1) };
  });
}

/** Undefined for what is no language tag. */
export function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.trim())[0];
  } catch {
    return undefined;
  }
}

/** Such as "German (de)", in the language of whoever reads it. */
export function localeName(locale: string, reader: string): string {
  try {
    const name = new Intl.DisplayNames([reader], { type: "language" }).of(locale);
    return name === undefined || name === locale ? locale : `${name} (${locale})`;
  } catch {
    return locale;
  }
}
