import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { ErrorNotice } from "../../../ui/error-notice.tsx";
import type { Finding } from "./findings.ts";
import type { Findings } from "./use-findings.ts";

interface FindingListProps {
  readonly findings: Findings;
  readonly onJump: (finding: Finding) => void;
}

/** What is wrong with the text; each leads to its place. */
export function FindingList({ findings: { all, content, error }, onJump }: FindingListProps) {
  const texts = useTexts("editor");
  const { locale } = useLanguage();
  if (error) return <ErrorNotice error={error} />;
  const errors = all.filter(({ severity }) => severity === "ERROR").length;
  return (
    <div className="findings">
      <p role="status">{content !== "" && texts.found(errors, all.length - errors, locale)}</p>
      {all.length > 0 && (
        <ol aria-label={texts.findings}>
          {all.map((finding) => (
            <li key={`${finding.code} ${finding.offset} ${finding.message}`}>
              <Badge tone={finding.severity === "ERROR" ? "danger" : "warning"}>
                {texts.severities[finding.severity]}
              </Badge>
              <button type="button" className="finding-link" onClick={() => onJump(finding)}>
                {texts.place(finding.line, finding.column)}
              </button>
              <span>{texts.messages.get(finding.code) ?? finding.message}</span>
              {finding.snippet && <code>{finding.snippet}</code>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
