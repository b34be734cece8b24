const pattern = /^(\d{4})-(\d\d)-(\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Reads an RFC 3339 time; undefined for anything else, such as the 30th of February. */
export function parseTimestamp(text: string): Date | undefined {
  if (text.length > 40) return undefined;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  // Date takes the 30th of February for the 1st of March.
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const time = new Date(text.toUpperCase());
  return Number.isNaN(time.getTime()) ? undefined : time;
}
