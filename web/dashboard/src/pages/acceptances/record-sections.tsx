import type { ReactNode } from "react";
import { type Texts, useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { wordsFor } from "./codes.ts";
import type { Details, Evidence, PolicyCheck, Presentation, TimelineEntry } from "./evidence.ts";

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
