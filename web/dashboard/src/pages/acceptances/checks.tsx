import type { UseQueryResult } from "@tanstack/react-query";
import type { Finding } from "../../../../verify/src/finding.ts";
import { type Texts, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Section } from "../../ui/page.tsx";
import { ErrorState, Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { wordsFor } from "./codes.ts";
import type { Evidence } from "./evidence.ts";
import "./acceptances.css";
import { missingSupport } from "../../../../verify/src/ed25519.ts";
import { type Verification, verifyBundle } from "../../../../verify/src/verify-bundle.ts";

interface VerdictNoticeProps {
  readonly verification: UseQueryResult<EvidenceVerdict>;
  /** The log will soon publish a proof that is not in the evidence yet. */
  readonly isPending: boolean;
}

/** The overall result of the checks in this browser. */
export function VerdictNotice({ verification: { data, error, refetch }, isPending }: VerdictNoticeProps) {
  const texts = useTexts("acceptances");
  if (data === undefined) {
    if (error) return <ErrorState error={error} retry={() => void refetch()} />;
    return (
      <div className="acceptance-progress" role="status">
        <span className="spinner" aria-hidden="true" />
        {texts.checking}
      </div>
    );
  }
  if (data.kind === "unsupported") {
    return (
      <Notice tone="warning" title={texts.unsupported}>
        <p>{texts.unsupportedText}</p>
        <p lang="en">{data.reason}</p>
      </Notice>
    );
  }
  const { ok, checks } = data.verification;
  if (!ok) return <FailedNotice checks={checks} />;
  const count = (status: Finding["status"]) => checks.filter((one) => one.status === status).length;
  return (
    <Notice tone="success" title={texts.genuine}>
      <p>{texts.genuineText(count("PASS"), count("NOT PRESENT"), count("ERASED"))}.</p>
      <p>{texts.checkedHere}</p>
      {isPending && <p>{texts.pending}</p>}
    </Notice>
  );
}

function FailedNotice({ checks }: { readonly checks: readonly Finding[] }) {
  const texts = useTexts("acceptances");
  const failed = checks.filter(({ status }) => status === "FAIL");
  return (
    <Notice tone="danger" title={texts.failed}>
      <p>{texts.failedText(failed.length, checks.length)}</p>
      <ul>
        {failed.map(({ check, record, message }) => (
          <li key={`${check} ${record}`}>
            <strong>{wordsFor(texts.checks, check)}:</strong> <span lang="en">{message}</span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface ChecksSectionProps {
  readonly evidence: Evidence;
  readonly verdict: EvidenceVerdict | undefined;
}

/** Every check, grouped by what was looked at. */
export function ChecksSection({ evidence, verdict }: ChecksSectionProps) {
  const texts = useTexts("acceptances");
  if (verdict?.kind !== "verified") return null;
  return (
    <Section title={texts.checksTitle}>
      {groupsOf(evidence, verdict.verification.checks, texts).map(({ title, id, findings }) => (
        <div key={id ?? title} className="acceptance-parts">
          <h3>
            {title} {id && <code className="acceptance-code">{id}</code>}
          </h3>
          <FindingTable label={id ? `${title} ${id}` : title} findings={findings} />
        </div>
      ))}
    </Section>
  );
}

const tones = { PASS: "success", FAIL: "danger", "NOT PRESENT": "info", ERASED: "info" } as const;

function FindingTable({ label, findings }: { readonly label: string; readonly findings: readonly Finding[] }) {
  const texts = useTexts("acceptances");
  const columns: Column<Finding>[] = [
    {
      id: "check",
      title: texts.check,
      width: "broad",
      cell: ({ check }) => (
        <>
          {wordsFor(texts.checks, check)}
          <div className="acceptance-code">{check}</div>
        </>
      ),
    },
    {
      id: "result",
      title: texts.result,
      cell: ({ status }) => <Badge tone={tones[status]}>{wordsFor(texts.statuses, status)}</Badge>,
    },
    // The messages of the verifier exist in English only.
    { id: "found", title: texts.found, cell: ({ message }) => <span lang="en">{message}</span> },
  ];
  return <Table label={label} columns={columns} rows={findings} rowKey={({ check }) => check} empty={null} />;
}

interface Group {
  readonly title: string;
  /** Names the record among others of its kind. */
  readonly id?: string;
  readonly findings: readonly Finding[];
}

const anchorChecks: ReadonlySet<string> = new Set([
  "ANCHOR_INCLUSION",
  "ANCHOR_CHECKPOINT",
  "TIMESTAMP",
  "TIMESTAMP_TRUST",
  "COSIGNATURES",
]);

function groupsOf(evidence: Evidence, checks: readonly Finding[], texts: Texts["acceptances"]): Group[] {
  const isAnchor = ({ check }: Finding): boolean => anchorChecks.has(check);
  const kinds = new Map(evidence.integrity.records.map(({ recordId, kind }) => [recordId, kind]));
  const records = [...new Set(checks.flatMap(({ record }) => record ?? []))];
  const groups: Group[] = [
    { title: texts.groups.bundle, findings: checks.filter((one) => one.record === undefined && !isAnchor(one)) },
    ...records.map((id) => ({
      title: texts.records.get(kinds.get(id) ?? "") ?? texts.record,
      id,
      findings: checks.filter(({ record }) => record === id),
    })),
    { title: texts.groups.anchor, findings: checks.filter(isAnchor) },
  ];
  return groups.filter(({ findings }) => findings.length > 0);
}

export type EvidenceVerdict =
  | { readonly kind: "verified"; readonly verification: Verification }
  /** Why this browser cannot check anything. */
  | { readonly kind: "unsupported"; readonly reason: string };

/** The offline verifier's checks of a bundle, with the keys from where the installation publishes them. */
export async function verifyEvidence(
  evidence: Evidence,
  get: (path: string) => Promise<object>,
): Promise<EvidenceVerdict> {
  const reason = await missingSupport();
  if (reason !== undefined) return { kind: "unsupported", reason };
  const keys = await get(`/.well-known/click-keys.json?log=${encodeURIComponent(evidence.organizationId)}`);
  return { kind: "verified", verification: await verifyBundle(JSON.stringify(evidence), { keys }) };
}
