import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { useLanguage, useTexts } from "../texts/texts.tsx";
import type { WrittenTimes } from "../texts/written-times.ts";

interface TimeProps {
  /** ISO 8601; null or undefined is never. */
  readonly value: string | null | undefined;
  readonly seconds?: boolean;
  /** Whose clocks show it, which is said then; those of the person when absent. */
  readonly zone?: string | undefined;
}

/** A moment in the person's time zone, or another one. */
export function Time({ value, seconds = false, zone }: TimeProps) {
  const { times } = useLanguage();
  const { never } = useTexts("common");
  if (!value) return <span>{never}</span>;
  return (
    <time dateTime={value} title={value}>
      {zone === undefined ? times.moment(value, seconds) : times.momentIn(value, zone)}
    </time>
  );
}

/** How long ago, or until when; the moment itself as its title. */
export function RelativeTime({ value }: Pick<TimeProps, "value">) {
  const { times } = useLanguage();
  const { never } = useTexts("common");
  const now = useNow();
  if (!value) return <span>{never}</span>;
  return (
    <time dateTime={value} title={times.fully(value)}>
      {relative(times, (Date.parse(value) - now) / 1_000)}
    </time>
  );
}

const steps = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [30, "day"],
  [12, "month"],
  [Number.POSITIVE_INFINITY, "year"],
] as const;

function relative(times: WrittenTimes, seconds: number): string {
  let rest = seconds;
  for (const [size, unit] of steps) {
    // Seconds would need a clock that ticks with them.
    if (Math.abs(rest) < size)
      return unit === "second" ? times.relative(0, "second") : times.relative(Math.round(rest), unit);
    rest /= size;
  }
  return times.relative(Math.round(rest), "year");
}

const ClockContext = createContext<number | undefined>(undefined);

/** One clock for all that is written relative to now: a long list would have a timer in each row. */
export function ClockProvider({ children }: { readonly children: ReactNode }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return <ClockContext value={now}>{children}</ClockContext>;
}

/** Milliseconds, renewed every half a minute. */
export function useNow(): number {
  const now = useContext(ClockContext);
  if (now === undefined) throw new Error("there is no clock");
  return now;
}
