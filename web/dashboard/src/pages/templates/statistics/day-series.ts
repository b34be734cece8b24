/** What was decided on a day, or in the step that begins with it. */
export interface DayCount {
  readonly date: string;
  readonly acceptances: number;
  readonly declines: number;
}

export type Step = "day" | "week" | "month";

interface DaySeries {
  readonly step: Step;
  /** Without gaps, oldest first; `date` is the first day of the step. */
  readonly points: readonly DayCount[];
}

const dayMs = 86_400_000;
/** More columns are too thin for a finger. */
const most = 62;

/**
 * Days in which something happened as a series without gaps, in weeks or months when there are many: from the first of
 * them up to the last day that is asked for, which is today at the latest.
 */
export function daySeries(
  days: readonly DayCount[],
  { to, today }: { readonly to?: string | undefined; readonly today: string },
): DaySeries {
  const start = days[0]?.date;
  const last = days.at(-1)?.date;
  if (start === undefined || last === undefined) return { step: "day", points: [] };
  const end = to === undefined || to > today ? later(last, today) : later(last, to);
  const span = (timeOf(end) - timeOf(start)) / dayMs + 1;
  const step: Step = span <= most ? "day" : span <= 7 * most ? "week" : "month";
  const counts = new Map<string, DayCount>();
  for (let at = start; at <= end; at = after(at, step)) {
    const date = beginningOf(at, step);
    counts.set(date, { date, acceptances: 0, declines: 0 });
  }
  for (const { date: day, acceptances, declines } of days) {
    const date = beginningOf(day, step);
    const before = counts.get(date) ?? { acceptances: 0, declines: 0 };
    counts.set(date, {
      date,
      acceptances: before.acceptances + acceptances,
      declines: before.declines + declines,
    });
  }
  return { step, points: [...counts.values()].sort((a, b) => (a.date < b.date ? -1 : 1)) };
}

const timeOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const later = (a: string, b: string): string => (a > b ? a : b);

/** Weeks begin on Monday. */
function beginningOf(date: string, step: Step): string {
  if (step === "day") return date;
  if (step === "month") return `${date.slice(0, 7)}-01`;
  const weekday = (new Date(timeOf(date)).getUTCDay() + 6) % 7;
  return dayOf(timeOf(date) - weekday * dayMs);
}

function after(date: string, step: Step): string {
  if (step === "day") return dayOf(timeOf(date) + dayMs);
  if (step === "week") return dayOf(timeOf(beginningOf(date, step)) + 7 * dayMs);
  const [year = 0, month = 0] = date.split("-").map(Number);
  return dayOf(Date.UTC(year, month, 1));
}
