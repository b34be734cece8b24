/** Older ones are reached by their number. */
const most = 50;

/** Numbers of versions are without gaps, so that the latest one tells them all. */
export const newestVersions = (latest: number | null): number[] =>
  Array.from({ length: Math.min(latest ?? 0, most) }, (_, index) => (latest ?? 0) - index);
