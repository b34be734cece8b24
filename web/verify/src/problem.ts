/** Why a check fails, in words for whoever reads the result. Whatever is malformed, missing or wrong ends as one of these. */
export class Problem extends Error {}

/** Ends the check that is being made. */
export function fail(message: string): never {
  throw new Problem(message);
}

/** Ends the check unless the condition holds. */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) fail(message);
}
