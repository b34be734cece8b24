/** How moments are written in a language and time zone. */
export interface WrittenTimes {
  /** `2 Nov 2026, 14:05`, or with seconds. */
  moment(value: string, seconds: boolean): string;
  /** `2 Nov 2026, 14:05 (Europe/Berlin)`, by the clocks of another time zone. */
  momentIn(value: string, zone: string): string;
  /** With everything there is to say. */
  fully(value: string): string;
  /** `in 3 days`. */
  relative(value: number, unit: Intl.RelativeTimeFormatUnit): string;
}

/** Keeps its formats: making one takes longer than writing a whole column of a list with it. */
export function writtenTimes(locale: string, timeZone: string): WrittenTimes {
  const made = new Map<string, Intl.DateTimeFormat>();
  const formatOf = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
    const key = `${options.dateStyle} ${options.timeStyle} ${options.timeZone}`;
    const format = made.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, ...options });
    made.set(key, format);
    return format;
  };
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  return {
    moment: (value, seconds) =>
      write(formatOf({ dateStyle: "medium", timeStyle: seconds ? "medium" : "short" }), value),
    momentIn: (value, zone) =>
      `${write(formatOf({ dateStyle: "medium", timeStyle: "short", timeZone: zone }), value)} (${zone.replaceAll("_", " ")})`,
    fully: (value) => write(formatOf({ dateStyle: "long", timeStyle: "long" }), value),
    relative: (value, unit) => relative.format(value, unit),
  };
}

function write(format: Intl.DateTimeFormat, value: string): string {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : format.format(moment);
}
