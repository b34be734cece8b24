import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { ChartColumns } from "../../../ui/chart-columns.tsx";
import { Section } from "../../../ui/page.tsx";
import { useNumbers } from "../../../ui/use-numbers.ts";
import { type DayCount, daySeries, type Step } from "./day-series.ts";
import type { StatsFilter } from "./stats.ts";

interface DecisionsByDayProps {
  readonly days: readonly DayCount[];
  readonly filter: StatsFilter;
}

/** When it was decided, in days, weeks or months of UTC. */
export function DecisionsByDay({ days, filter: { to } }: DecisionsByDayProps) {
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
