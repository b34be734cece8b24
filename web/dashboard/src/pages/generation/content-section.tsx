import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { type DraftState, parseData } from "./draft.ts";
import { jumpTo, SourceField } from "./source-field.tsx";
import type { Finding, Template, Validation } from "./types.ts";

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
  return (
    <div className="gen-editor">
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
        <div id="gen-findings" aria-live="polite">
          {draft.content === "" && <Notice tone="warning">{texts.sourceEmpty}</Notice>}
          {check.error && <ErrorNotice error={check.error} />}
          {check.data !== undefined && draft.content !== "" && <Findings findings={findings} onShow={show} />}
        </div>
      </Section>
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
  readonly onShow: (finding: Finding) => void;
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
                {texts.inData} <code>{finding.path}</code>: {finding.message}
              </>
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

/** How long nobody types before it is checked. */
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
