const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** What is waited after the first attempt, the second and so on; after the last one nothing follows. */
const delaysMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

export const maxAttempts = delaysMs.length + 1;

/** Of the delay, to either side: receivers that fail together are not asked again together. */
const jitter = 0.2;

/**
 * How long to wait for the next attempt when so many were made before the one that has just failed; undefined when it
 * was the last. `random` is at least 0 and less than 1.
 */
export function delayAfter(step: number, random: number): number | undefined {
  const delay = delaysMs[step];
  return delay === undefined ? undefined : Math.round(delay * (1 - jitter + 2 * jitter * random));
}

/** A receiver that acknowledges is asked again once a day. */
const connectDelayMs = 24 * hour;

export const connectDelayAfter = (step: number): number | undefined =>
  step + 1 < maxAttempts ? connectDelayMs : undefined;

/** While the services that know the contents are away, an attempt is put off by so much, and does not count. */
export const putOffMs = 5 * second;
