import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { NumberTiles } from "../../../ui/number-tiles.tsx";
import { Section } from "../../../ui/page.tsx";
import { Time } from "../../../ui/time.tsx";
import { useNumbers } from "../../../ui/use-numbers.ts";
import type { Stats } from "./stats.ts";

/** The numbers that are looked at first. */
export function StatsNumbers({ stats }: { readonly stats: Stats }) {
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
