import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Finding } from "../../../../verify/src/finding.ts";
import { type Texts, useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { ErrorState, Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import type { Details, Evidence, PolicyCheck, Presentation, TimelineEntry } from "./evidence.ts";
import { wordsFor } from "./parts.tsx";
import "./acceptances.css";
import { missingSupport } from "../../../../verify/src/ed25519.ts";
import { type Verification, verifyBundle } from "../../../../verify/src/verify-bundle.ts";

type Fact = readonly [name: string, value: ReactNode];

/** How the text was shown, and where from it was accepted. */
export function ShownSection({
  details: { presentation, claimed, observed, metadata },
}: {
  readonly details: Details;
}) {
  const texts = useTexts("acceptances");
  const { locale } = useLanguage();
  const facts = presentation === null ? [] : presentationFacts(presentation, texts, locale);
  return (
    <Section title={texts.shownTitle}>
      {facts.length === 0 ? <p>{texts.nothingTold}</p> : <Facts facts={facts} />}
      <Values title={texts.claimed} values={claimed} />
      <Values title={texts.observed} values={observed} />
      <Values title={texts.metadata} values={metadata} />
    </Section>
  );
}

function presentationFacts(shown: Presentation, texts: Texts["acceptances"], locale: string): Fact[] {
  const { surface, displayMode, scrolledToEnd, displayedMs } = shown;
  const seconds = (ms: number): string => (ms / 1_000).toLocaleString(locale, { maximumFractionDigits: 1 });
  const known: [string, string | null][] = [
    [texts.surface, surface && wordsFor(texts.surfaces, surface)],
    [texts.display, displayMode && wordsFor(texts.displays, displayMode)],
    [texts.notice, shown.noticeText],
    [texts.checkboxWords, shown.checkboxText],
    [texts.buttonWords, shown.buttonText],
    [texts.readToEnd, scrolledToEnd === null ? null : scrolledToEnd ? texts.yes : texts.no],
    [texts.displayed, displayedMs === null ? null : texts.seconds(seconds(displayedMs))],
  ];
  return known.filter(([, value]) => value !== null && value !== "");
}

interface ValuesProps {
  readonly title: string;
  readonly values: Readonly<Record<string, unknown>> | null;
}

/** Whatever was told, by its names; nothing for what is empty. */
function Values({ title, values }: ValuesProps) {
  const { contextNames } = useTexts("acceptances");
  const known = Object.entries(values ?? {}).filter(([, value]) => value !== null && value !== "");
  if (known.length === 0) return null;
  return (
    <div className="acceptance-parts">
      <h3>{title}</h3>
      <Facts facts={known.map(([name, value]) => [wordsFor(contextNames, name), <Value key={name} value={value} />])} />
    </div>
  );
}

function Value({ value }: { readonly value: unknown }) {
  const { yes, no } = useTexts("acceptances");
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? yes : no;
  return typeof value === "object" ? <code>{JSON.stringify(value)}</code> : String(value);
}

/** What the policy asked for, and what was found. */
export function RulesSection({ checks }: { readonly checks: readonly PolicyCheck[] }) {
  const texts = useTexts("acceptances");
  const columns: Column<PolicyCheck>[] = [
    { id: "rule", title: texts.rule, cell: ({ flag }) => wordsFor(texts.rules, flag) },
    { id: "asked", title: texts.asked, cell: ({ required }) => <Value value={required} /> },
    { id: "found", title: texts.found, cell: ({ observed }) => <Value value={observed} /> },
    { id: "source", title: texts.toldBy, cell: ({ source }) => wordsFor(texts.sources, source) },
    {
      id: "met",
      title: texts.result,
      cell: ({ ok }) => <Badge tone={ok ? "success" : "danger"}>{ok ? texts.met : texts.notMet}</Badge>,
    },
  ];
  return (
    <Section title={texts.rulesTitle} intro={texts.rulesIntro}>
      <Table
        label={texts.rulesTitle}
        columns={columns}
        rows={checks}
        rowKey={({ flag }) => flag}
        empty={<p>{texts.noRules}</p>}
      />
    </Section>
  );
}

/** What happened to the session, in the order in which the service learned of it. */
export function TimelineSection({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  const texts = useTexts("acceptances");
  const numbered = entries.map((entry, index) => ({ ...entry, index }));
  const columns: Column<(typeof numbered)[number]>[] = [
    { id: "event", title: texts.event, cell: ({ type }) => wordsFor(texts.events, type) },
    { id: "when", title: texts.when, cell: ({ at, serverAt }) => <Time value={at ?? serverAt} seconds /> },
    { id: "actor", title: texts.actor, cell: ({ actor }) => wordsFor(texts.actors, actor) },
    { id: "detail", title: texts.detail, cell: ({ detail }) => detail ?? "–" },
  ];
  return (
    <Section title={texts.timelineTitle}>
      <Table
        label={texts.timelineTitle}
        columns={columns}
        rows={numbered}
        rowKey={({ index }) => String(index)}
        empty={<p>{texts.nothingTold}</p>}
      />
    </Section>
  );
}

/** What the bundle says of itself, in the words of the service. */
export function StatementSection({ statement: { proves, limitations } }: Pick<Evidence, "statement">) {
  const texts = useTexts("acceptances");
  return (
    <Section title={texts.provesTitle}>
      <Sentences title={texts.proves} sentences={proves} />
      <Sentences title={texts.limits} sentences={limitations} />
    </Section>
  );
}

function Sentences({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <div className="acceptance-parts">
      <h3>{title}</h3>
      <ul lang="en">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}

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
