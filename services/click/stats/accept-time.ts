/** Eight buckets for each doubling: what is read from them is at most 5 % off. */
const perDoubling = 8;
/** Some 30 years. */
const maxBucket = 320;

/** The bucket of a duration in milliseconds. */
export const acceptTimeBucket = (ms: number): number =>
  ms < 1 ? 0 : Math.min(maxBucket, 1 + Math.floor(Math.log2(ms) * perDoubling));

/** The duration in the middle of a bucket, in milliseconds. */
const bucketTime = (bucket: number): number => (bucket === 0 ? 0 : Math.round(2 ** ((bucket - 0.5) / perDoubling)));

export interface TimeBucket {
  readonly bucket: number;
  readonly acceptances: number;
}

/** The duration that so large a part of acceptances did not exceed; null without any. */
export function acceptTimeQuantile(buckets: readonly TimeBucket[], part: number): number | null {
  const total = buckets.reduce((sum, { acceptances }) => sum + acceptances, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const { bucket, acceptances } of buckets.toSorted((a, b) => a.bucket - b.bucket)) {
    seen += acceptances;
    if (seen >= total * part) return bucketTime(bucket);
  }
  return null;
}
