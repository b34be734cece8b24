import "../../access/access.css";
import "./statistics.css";
import { Link } from "../../../app/router.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { ChartBars, ChartColumns, useNumbers } from "../../../ui/charts.tsx";
import { NumberTiles, Section } from "../../../ui/page.tsx";
import { EmptyState } from "../../../ui/states.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";
import { Loaded } from "../../access/parts.tsx";
import { languageName, type TemplateTabProps } from "../configuration.ts";
import { type DayCount, daySeries, type Step } from "./day-series.ts";
import { type Stats, type StatsFilter, useStats } from "./stats.ts";
import { StatsFilters, useFilter } from "./stats-filters.tsx";
import { WhoAccepted } from "./who-accepted.tsx";

/** What became of a template: how many have seen, accepted and declined it, in which versions and languages. */
export function StatisticsTab({ templateId }: TemplateTabProps) {
  const filter = useFilter();
  const stats = useStats(templateId, filter);
  return (
    <div className="stats" aria-busy={stats.isFetching}>
      <StatsFilters templateId={templateId} filter={filter} />
      <Loaded query={stats}>{(found) => <Found templateId={templateId} stats={found} filter={filter} />}</Loaded>
      <WhoAccepted templateId={templateId} />
    </div>
  );
}

interface FoundProps {
  readonly templateId: string;
  readonly stats: Stats;
  readonly filter: StatsFilter;
}

function Found({ templateId, stats, filter }: FoundProps) {
  const texts = useTexts("statistics");
  const { sessions, acceptances, declines, renders } = stats;
  if (sessions.created + acceptances.total + declines + renders === 0) {
    const isNarrowed = Object.values(filter).some(Boolean);
    return (
      <EmptyState
        title={isNarrowed ? texts.nothingFound : texts.nothing}
        text={isNarrowed ? texts.nothingFoundText : texts.nothingText}
      />
    );
  }
  return (
    <>
      <StatsNumbers stats={stats} />
      <DecisionsByDay days={stats.byDay} filter={filter} />
      <StatsBreakdown templateId={templateId} stats={stats} />
    </>
  );
}

interface DecisionsByDayProps {
  readonly days: readonly DayCount[];
  readonly filter: StatsFilter;
}

/** When it was decided, in days, weeks or months of UTC. */
function DecisionsByDay({ days, filter: { to } }: DecisionsByDayProps) {
  const texts = useTexts("statistics");
  const { locale } = useLanguage();
  const { count } = useNumbers();
  const { step, points } = daySeries(days, { to, today: new Date().toISOString().slice(0, 10) });
  const total = (name: "acceptances" | "declines") => count(points.reduce((sum, point) => sum + point[name], 0));
  const [long, short] = formats(locale, step);
  return (
    <Section title={texts.over[step]} intro={texts.inUtc}>
      {points.length === 0 ? (
        <p className="quiet">{texts.nobodyDecided}</p>
      ) : (
        <ChartColumns
          label={texts.overTime(total("acceptances"), total("declines"))}
          pointName={texts.steps[step]}
          series={[texts.accepted, texts.declined]}
          points={points.map(({ date, acceptances, declines }) => {
            const time = new Date(`${date}T00:00:00Z`);
            const title = long.format(time);
            return { id: date, title, axis: short.format(time), values: [acceptances, declines] };
          })}
        />
      )}
    </Section>
  );
}

function formats(locale: string, step: Step): [long: Intl.DateTimeFormat, short: Intl.DateTimeFormat] {
  const timeZone = "UTC";
  if (step === "month") {
    return [
      new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone }),
      new Intl.DateTimeFormat(locale, { month: "short", year: "numeric", timeZone }),
    ];
  }
  return [
    new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone }),
    new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone }),
  ];
}

/** The numbers that are looked at first. */
function StatsNumbers({ stats }: { readonly stats: Stats }) {
  const texts = useTexts("statistics");
  const { count, share } = useNumbers();
  const written = useDurations();
  const { acceptances, rates, timeToAcceptMs } = stats;
  const rate = (value: number | null) => (value === null ? "–" : share(value));
  return (
    <Section title={texts.numbers}>
      <NumberTiles
        tiles={[
          {
            name: texts.acceptances,
            value: count(acceptances.total),
            hint: texts.lastWeek(count(acceptances.last7d)),
          },
          { name: texts.users, value: count(acceptances.uniqueUsers) },
          { name: texts.declines, value: count(stats.declines) },
          { name: texts.withdrawals, value: count(stats.withdrawals) },
          { name: texts.acceptanceRate, value: rate(rates.acceptance), hint: texts.ofSessions },
          { name: texts.abandonmentRate, value: rate(rates.abandonment), hint: texts.ofSessions },
          {
            name: texts.timeToAccept,
            value: written(timeToAcceptMs.p50),
            hint: timeToAcceptMs.p90 === null ? undefined : texts.slowest(written(timeToAcceptMs.p90)),
          },
          { name: texts.onLatest, value: count(stats.usersOnLatest) },
          { name: texts.needingReacceptance, value: count(stats.usersNeedingReacceptance) },
        ]}
      />
      {stats.lastAcceptedAt && (
        <p className="quiet">
          {texts.lastAccepted} <Time value={stats.lastAcceptedAt} />
        </p>
      )}
    </Section>
  );
}

const steps = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [Number.POSITIVE_INFINITY, "day"],
] as const;

/** Such as "4.2 sec"; a dash for none. */
function useDurations(): (milliseconds: number | null) => string {
  const { locale } = useLanguage();
  return (milliseconds) => {
    if (milliseconds === null) return "–";
    let rest = milliseconds / 1_000;
    for (const [size, unit] of steps) {
      if (rest < size) {
        return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }).format(rest);
      }
      rest /= size;
    }
    return "–";
  };
}

/** The same by what it consists of. */
function StatsBreakdown({ templateId, stats }: { readonly templateId: string; readonly stats: Stats }) {
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
      {stats.byVersion.length > 0 && <Versions templateId={templateId} versions={stats.byVersion} />}
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

interface VersionsProps {
  readonly templateId: string;
  readonly versions: Stats["byVersion"];
}

/** Each leads to the list of its acceptances. */
function Versions({ templateId, versions }: VersionsProps) {
  const texts = useTexts("statistics");
  const language = useLanguage();
  const { count } = useNumbers();
  const columns: readonly Column<Stats["byVersion"][number]>[] = [
    { id: "label", title: texts.version, cell: ({ label }) => label },
    { id: "locale", title: texts.locale, cell: ({ locale }) => languageName(locale, language.locale) },
    { id: "revision", title: texts.revision, cell: ({ revision }) => count(revision), align: "end" },
    {
      id: "acceptances",
      title: texts.acceptances,
      cell: ({ versionId, revision, acceptances }) => (
        <Link to={`/acceptances?${new URLSearchParams({ templateId, versionId, revision: String(revision) })}`}>
          {count(acceptances)}
        </Link>
      ),
      align: "end",
    },
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
