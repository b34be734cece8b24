/** A time in UTC as ISO 8601 writes it, to the second. */
export const time = (at: Date | null | undefined): string | undefined =>
  at === null || at === undefined ? undefined : `${at.toISOString().slice(0, 19)}Z`;
