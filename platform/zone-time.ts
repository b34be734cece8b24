export const dayMs = 86_400_000;

/**
 * The moment at which clocks of the zone show a time, which is written as if it were UTC. Where they are put forward over
 * it, it is as much later; where they show it twice, it is the first time.
 */
export function momentOf(timeZone: string, shown: number): number {
  const [before, later] = [shown - dayMs, shown + dayMs].map((near) => shown - offsetOf(timeZone, near)) as [
    number,
    number,
  ];
  const isShown = (moment: number): boolean => moment + offsetOf(timeZone, moment) === shown;
  return !isShown(before) && isShown(later) ? later : before;
}

/** By how much clocks of the zone are ahead of UTC at a moment. */
export function offsetOf(timeZone: string, moment: number): number {
  const parts = new Intl.DateTimeFormat("en-u-hc-h23", {
    ...{ timeZone, year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  }).formatToParts(moment);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return shown - Math.floor(moment / 1_000) * 1_000;
}

const zoneName = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** The name of a time zone of the IANA database as it is written there; undefined when there is none. */
export function knownTimeZone(timeZone: string): string | undefined {
  if (!zoneName.test(timeZone)) return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
