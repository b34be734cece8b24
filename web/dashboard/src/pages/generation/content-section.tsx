import type {
  GenFinding as Finding,
  GenTemplate as Template,
  GenValidation as Validation,
} from "#api/generation-templates.ts";
import "./source.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Section } from "../../ui/page.tsx";
import { ErrorNotice, Notice } from "../../ui/states.tsx";
import { type DraftState, parseData } from "./draft.ts";
import { WordFile } from "./word-file.tsx";

interface ContentSectionProps {
  readonly template: Template;
  readonly draft: DraftState;
  readonly mayChange: boolean;
}

/** The source and the sample data, checked while they are written. */
export function ContentSection({ template, draft, mayChange }: ContentSectionProps) {
  const texts = useTexts("generation");
  const source = useRef<HTMLTextAreaElement>(null);
  const sample = useRef<HTMLTextAreaElement>(null);
  const isSampleWrong = parseData(draft.sample) === undefined;
  const check = useValidation(template, draft);
  const findings = check.data?.errors ?? [];
  const lines = [...new Set(findings.flatMap(({ line }) => line ?? []))];
  const show = ({ line, column }: Finding) => {
    if (source.current !== null && line !== null) jumpTo(source.current, line, column ?? 1);
  };
  const isWord = template.format === "docx";
  const found = (
    <div id="gen-findings" aria-live="polite">
      {draft.content === "" && <Notice tone="warning">{texts.sourceEmpty}</Notice>}
      {check.error && <ErrorNotice error={check.error} />}
      {check.data !== undefined && draft.content !== "" && (
        <Findings findings={findings} onShow={isWord ? undefined : show} />
      )}
    </div>
  );
  return (
    <div className="gen-editor">
      {isWord ? (
        <WordFile draft={draft} mayChange={mayChange}>
          {found}
        </WordFile>
      ) : (
        <Section title={texts.sourceTitle} intro={texts.sourceHelp[template.format]}>
          <SourceField
            id="gen-source"
            label={texts.source}
            value={draft.content}
            onChange={(content) => draft.change({ content })}
            isReadOnly={!mayChange}
            marked={lines}
            field={source}
            describedBy="gen-findings"
          />
          {found}
        </Section>
      )}
      <Section title={texts.sampleTitle} intro={texts.sampleHelp}>
        <SourceField
          id="gen-sample"
          label={texts.sample}
          value={draft.sample}
          onChange={(value) => draft.change({ sample: value })}
          isReadOnly={!mayChange}
          marked={[]}
          field={sample}
          isLow
        />
        {isSampleWrong && <Notice tone="danger">{texts.sampleWrong}</Notice>}
      </Section>
    </div>
  );
}

interface FindingsProps {
  readonly findings: readonly Finding[];
  /** Absent for a Word file, whose text is not shown. */
  readonly onShow: ((finding: Finding) => void) | undefined;
}

function Findings({ findings, onShow }: FindingsProps) {
  const texts = useTexts("generation");
  if (findings.length === 0) return <Notice tone="success">{texts.valid}</Notice>;
  return (
    <Notice tone="danger" title={texts.problems(findings.length)}>
      <ul className="source-findings">
        {findings.map((finding) => (
          <li key={`${finding.line} ${finding.column} ${finding.path} ${finding.code} ${finding.message}`}>
            {finding.line === null ? (
              <>
                {finding.path !== undefined && (
                  <>
                    {texts.inData} <code>{finding.path}</code>:{" "}
                  </>
                )}
                {finding.message}
              </>
            ) : onShow === undefined ? (
              `${texts.placeInFile(finding.line, finding.column ?? 1)}: ${finding.message}`
            ) : (
              <button type="button" onClick={() => onShow(finding)}>
                {texts.place(finding.line, finding.column ?? 1)}: {finding.message}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The pause in typing after which the content is checked. */
const quietMs = 500;

function useValidation({ format }: Template, { content, sample }: DraftState) {
  const api = useApi();
  const written = useSettled({ content, sample });
  return useQuery({
    queryKey: ["generation", "validation", format, written],
    queryFn: () =>
      api.send<Validation>("POST", "/v1/gen/templates/validate", {
        content: written.content,
        format,
        data: parseData(written.sample) ?? null,
      }),
    enabled: written.content !== "",
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  });
}

/** What was written, once nothing has changed for a moment. */
function useSettled({ content, sample }: { readonly content: string; readonly sample: string }) {
  const [settled, setSettled] = useState({ content, sample });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ content, sample }), quietMs);
    return () => clearTimeout(timer);
  }, [content, sample]);
  return settled;
}

interface SourceFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isReadOnly?: boolean;
  /** Numbers of the lines in which something is wrong, from 1. */
  readonly marked: readonly number[];
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** The id of what says more about it. */
  readonly describedBy?: string;
  readonly isLow?: boolean;
}

/** Pixels; also in source.css. */
const lineHeight = 20;

/** A text of a programming kind, with the numbers of its lines. Tab leaves it, as it does any field. */
function SourceField(props: SourceFieldProps) {
  const { id, label, value, onChange, isReadOnly = false, marked, field, describedBy, isLow = false } = props;
  const behind = useRef<HTMLDivElement>(null);
  const count = useMemo(() => value.split("\n").length, [value]);
  const numbers = useMemo(() => Array.from({ length: count }, (_, index) => index + 1).join("\n"), [count]);
  const follow = (top: number) => {
    if (behind.current !== null) behind.current.style.transform = `translateY(${-top}px)`;
  };
  return (
    <div className="source-field">
      <label htmlFor={id}>{label}</label>
      <div className={isLow ? "source source-low" : "source"}>
        <div className="source-behind" ref={behind} aria-hidden="true">
          <pre className="source-numbers">{numbers}</pre>
          {marked.map((line) => (
            <div key={line} className="source-mark" style={{ top: (line - 1) * lineHeight + padding }} />
          ))}
        </div>
        <textarea
          id={id}
          ref={field}
          value={value}
          readOnly={isReadOnly}
          wrap="off"
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          aria-invalid={marked.length > 0}
          aria-describedby={describedBy}
          onChange={(event) => onChange(event.currentTarget.value)}
          onScroll={(event) => follow(event.currentTarget.scrollTop)}
        />
      </div>
    </div>
  );
}

const padding = 8;

/** Puts the cursor to a place; lines and columns begin with 1. */
function jumpTo(field: HTMLTextAreaElement, line: number, column: number): void {
  const before = field.value.split("\n").slice(0, line - 1);
  const start = before.reduce((sum, { length }) => sum + length + 1, 0);
  const length = field.value.split("\n")[line - 1]?.length ?? 0;
  const at = start + Math.min(Math.max(column - 1, 0), length);
  field.focus();
  field.setSelectionRange(at, start + length);
  field.scrollTop = Math.max(0, (line - 4) * lineHeight);
}
