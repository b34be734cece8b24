import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";

const isoPattern = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+ -]\d\d:?\d\d)?)?$/i;
const slashPattern = /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/;
const usPattern = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: (\d{1,2}):(\d\d)(?::(\d\d))?(?: ?(AM|PM))?)?$/i;

/**
 * The time of a text as clients write it: `2026-10-21` or `2026/10/21`, ISO 8601 with or without fraction and zone,
 * `10/21/2026` with or without a time. UTC where no zone is given; undefined for anything else.
 */
export function readDate(text: string): Timestamp | undefined {
  if (text.length > 40) return undefined;
  const milliseconds = readIso(text) ?? readSlashes(text) ?? readUs(text);
  return milliseconds === undefined ? undefined : timestampFromMs(milliseconds);
}

function readIso(text: string): number | undefined {
  const match = isoPattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const millisecond = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const utc = utcOf([year, month, day, hour, minute, second], millisecond);
  const zone = zoneMinutes(match[8]);
  return utc === undefined || zone === undefined ? undefined : utc - zone * 60_000;
}

type Six = [number, number, number, number, number, number];

function readSlashes(text: string): number | undefined {
  const match = slashPattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  return utcOf([year, month, day, 0, 0, 0], 0);
}

function readUs(text: string): number | undefined {
  const match = usPattern.exec(text);
  if (match === null) return undefined;
  const [month, day, year, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const half = match[7]?.toUpperCase();
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  const hours = half === undefined ? hour : (hour % 12) + (half === "PM" ? 12 : 0);
  return utcOf([year, month, day, hours, minute, second], 0);
}

/** Undefined for what no calendar and no clock shows. */
function utcOf([year, month, day, hour, minute, second]: Six, millisecond: number): number | undefined {
  if (year < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** A plus that nobody encoded arrives as a space. */
function zoneMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
