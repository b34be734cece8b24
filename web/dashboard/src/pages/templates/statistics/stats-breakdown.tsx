import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { ChartBars } from "../../../ui/chart-bars.tsx";
import { Section } from "../../../ui/page.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { useNumbers } from "../../../ui/use-numbers.ts";
import { languageName } from "../language-name.ts";
import type { Stats } from "./stats.ts";

/** The same by what it consists of. */
export function StatsBreakdown({ stats }: { readonly stats: Stats }) {
  const texts = useTexts("statistics");
  const [sessions, locales] = [useSessionBars(stats), useLocaleBars(stats)];
  return (
    <>
      <div className="stats-pair">
        <Section title={texts.sessions} intro={texts.sessionsHelp}>
          <ChartBars label={texts.sessions} bars={sessions} />
        </Section>
        {locales.length > 0 && (
          <Section title={texts.byLocale}>
            <ChartBars label={texts.byLocale} bars={locales} />
          </Section>
        )}
      </div>
      {stats.byVersion.length > 0 && <Versions versions={stats.byVersion} />}
      {stats.byPurpose.length > 0 && <Purposes purposes={stats.byPurpose} />}
    </>
  );
}

const outcomes = ["created", "presented", "accepted", "completed", "declined", "expired", "cancelled"] as const;

function useSessionBars({ sessions }: Stats) {
  const { outcomes: words } = useTexts("statistics");
  return outcomes.map((id) => ({ id, label: words[id], value: sessions[id] }));
}

function useLocaleBars({ byLocale }: Stats) {
  const { locale } = useLanguage();
  const words = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
  return byLocale
    .map((one) => ({ id: one.locale, label: words.of(one.locale) ?? one.locale, value: one.acceptances }))
    .sort((a, b) => b.value - a.value);
}

function Versions({ versions }: { readonly versions: Stats["byVersion"] }) {
  const texts = useTexts("statistics");
  const language = useLanguage();
  const { count } = useNumbers();
  const columns: readonly Column<Stats["byVersion"][number]>[] = [
    { id: "label", title: texts.version, cell: ({ label }) => label },
    { id: "locale", title: texts.locale, cell: ({ locale }) => languageName(locale, language.locale) },
    { id: "revision", title: texts.revision, cell: ({ revision }) => count(revision), align: "end" },
    { id: "acceptances", title: texts.acceptances, cell: ({ acceptances }) => count(acceptances), align: "end" },
  ];
  return (
    <Section title={texts.byVersion}>
      <Table
        label={texts.byVersion}
        columns={columns}
        rows={versions}
        rowKey={({ versionId, revision }) => `${versionId} ${revision}`}
        empty={null}
      />
    </Section>
  );
}

function Purposes({ purposes }: { readonly purposes: Stats["byPurpose"] }) {
  const texts = useTexts("statistics");
  const { count } = useNumbers();
  const columns: readonly Column<Stats["byPurpose"][number]>[] = [
    { id: "purpose", title: texts.purpose, cell: ({ purpose }) => purpose },
    { id: "granted", title: texts.granted, cell: ({ granted }) => count(granted), align: "end" },
    { id: "denied", title: texts.denied, cell: ({ denied }) => count(denied), align: "end" },
    { id: "withdrawn", title: texts.withdrawn, cell: ({ withdrawn }) => count(withdrawn), align: "end" },
  ];
  return (
    <Section title={texts.byPurpose}>
      <Table label={texts.byPurpose} columns={columns} rows={purposes} rowKey={({ purpose }) => purpose} empty={null} />
    </Section>
  );
}
