import type { Template } from "#api/templates.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { type Draft, type WordName, wordNames } from "./draft.ts";
import { listPurposes } from "./preview-rendering.ts";

interface WordsFieldsProps {
  readonly template: Template;
  readonly draft: Draft;
  readonly isReadOnly: boolean;
  readonly onChange: (changes: Partial<Draft>) => void;
}

const longest: Readonly<Record<WordName, number>> = {
  consentText: 2_000,
  buttonText: 255,
  declineText: 255,
  checkboxText: 2_000,
  linkText: 255,
};

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
          maxLength={longest[name]}
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
