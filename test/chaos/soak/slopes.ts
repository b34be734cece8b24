/** One measured quantity over time. */
export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly Point[];
}

export interface Point {
  /** Seconds since the load began. */
  readonly at: number;
  readonly value: number;
}

/** What a quantity may rise by while it is watched: what is left of warming up, and so much an hour. */
export interface Bound {
  readonly once: number;
  readonly perHour: number;
}

/** A leak of one byte in ten of every request shows in an hour; what a busy machine adds for a moment does not. */
const bounds: Readonly<Record<string, Bound>> = {
  "heap MB": { once: 8, perHour: 6 },
  "external MB": { once: 16, perHour: 6 },
  "RSS MB": { once: 96, perHour: 48 },
  "open files": { once: 12, perHour: 6 },
  "active resources": { once: 12, perHour: 6 },
  connections: { once: 12, perHour: 6 },
};

/** Of a latency: the last third of the time against the first. */
const flatFactor = 2;
const flatSlackMs = 100;

/** The median of the slopes between all pairs of points (Theil and Sen), so that single outliers mean nothing. */
export function slopePerSecond(points: readonly Point[]): number {
  const slopes = points.flatMap((first, n) =>
    points.slice(n + 1).map((second) => (second.value - first.value) / (second.at - first.at)),
  );
  return median(slopes);
}

export interface Verdict {
  readonly name: string;
  readonly unit: string;
  readonly first: number;
  readonly last: number;
  /** By the slope, over the whole time. */
  readonly rise: number;
  readonly allowed: number;
}

export function verdictOf({ name, unit, points }: Series): Verdict {
  const [first, last] = [points.at(0), points.at(-1)];
  const seconds = (last?.at ?? 0) - (first?.at ?? 0);
  const { once, perHour } = bounds[unit] ?? { once: 0, perHour: 0 };
  return {
    ...{ name, unit, first: first?.value ?? Number.NaN, last: last?.value ?? Number.NaN },
    rise: points.length < 2 ? 0 : slopePerSecond(points) * seconds,
    allowed: once + (perHour * seconds) / 3_600,
  };
}

/** Whether a latency stayed what it was. */
export function isFlat(points: readonly Point[]): boolean {
  const third = Math.max(1, Math.floor(points.length / 3));
  const of = (some: readonly Point[]): number => median(some.map(({ value }) => value));
  return points.length < 3 || of(points.slice(-third)) <= of(points.slice(0, third)) * flatFactor + flatSlackMs;
}

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
