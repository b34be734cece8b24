/** What an input of the kind datetime-local holds, such as 2026-11-20T17:00; where browsers offer them, with seconds. */
const localForm = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?$/;

/** The moment at which the clocks of a time zone show this; undefined for what is no time. */
export function momentOf(local: string, timeZone: string): Date | undefined {
  const [, minute, second = "00"] = localForm.exec(local) ?? [];
  if (minute === undefined) return undefined;
  const asUtc = Date.parse(`${minute}:${second}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  // The offset is that of the moment itself, which is known to a day at first.
  const first = asUtc - offsetAt(asUtc, timeZone);
  return new Date(asUtc - offsetAt(first, timeZone));
}

/**
 * All moments at which they do, the earlier first: none for a time that is left out when clocks are put forward, two for
 * one that comes twice when they are put back.
 */
export function momentsOf(local: string, timeZone: string): Date[] {
  const moment = momentOf(local, timeZone);
  if (moment === undefined) return [];
  // Clocks are changed by three hours at most.
  const near = [-180, -120, -60, -30, 0, 30, 60, 120, 180].map(
    (minutes) => new Date(moment.getTime() + minutes * 60_000),
  );
  return near.filter((one) => local.startsWith(localOf(one, timeZone)));
}

/** The other way round. */
export function localOf(moment: Date, timeZone: string): string {
  const shown = new Date(moment.getTime() + offsetAt(moment.getTime(), timeZone));
  return shown.toISOString().slice(0, "2026-11-20T17:00".length);
}

/** Milliseconds by which the clocks of a zone are ahead of UTC. */
function offsetAt(moment: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return shown - Math.floor(moment / 1_000) * 1_000;
}
