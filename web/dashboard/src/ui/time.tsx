import { useEffect, useState } from "react";
import { useLanguage, useTexts } from "../texts/texts.tsx";

interface TimeProps {
  /** ISO 8601; null or undefined is never. */
  readonly value: string | null | undefined;
  readonly seconds?: boolean;
}

/** A moment in the person's time zone. */
export function Time({ value, seconds = false }: TimeProps) {
  const { locale, timeZone } = useLanguage();
  const { never } = useTexts("common");
  if (!value) return <span>{never}</span>;
  const timeStyle = seconds ? "medium" : "short";
  const words = format(new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle, timeZone }), value);
  return (
    <time dateTime={value} title={value}>
      {words}
    </time>
  );
}

/** How long ago, or until when; the moment itself as its title. */
export function RelativeTime({ value }: Pick<TimeProps, "value">) {
  const { locale, timeZone } = useLanguage();
  const { never } = useTexts("common");
  const now = useNow();
  if (!value) return <span>{never}</span>;
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "long", timeZone });
  return (
    <time dateTime={value} title={format(moment, value)}>
      {relative(locale, (Date.parse(value) - now) / 1_000)}
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

function relative(locale: string, seconds: number): string {
  const words = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  let rest = seconds;
  for (const [size, unit] of steps) {
    // Seconds would need a clock that ticks with them.
    if (Math.abs(rest) < size)
      return unit === "second" ? words.format(0, "second") : words.format(Math.round(rest), unit);
    rest /= size;
  }
  return words.format(Math.round(rest), "year");
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function format(words: Intl.DateTimeFormat, value: string): string {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : words.format(moment);
}
